"""A queueing discipline in 40 lines: CoDel."""

from collections import deque

import headgate
from headgate.plugins import Duration


@headgate.discipline("my_codel", source="RFC 8289", gauges=["count"])
class Codel:
    """Packets are dropped as they leave, once all of them have waited longer than a target for an interval."""

    limit: int = headgate.parameter(1000, min=1, doc="Maximum backlog in packets.")
    target: Duration = headgate.parameter("5ms", above=0, doc="The wait that is accepted.")
    interval: Duration = headgate.parameter("100ms", above=0, doc="How long waits must be above it.")

    def on_start(self):
        self.queue = deque()
        self.above_since = None
        self.dropping, self.next_drop = False, 0.0
        self.count = self.last_count = 0

    def enqueue(self, packet, cx):
        if cx.packets >= self.limit:
            cx.drop(packet, "full")
        else:
            self.queue.append(packet)

    def take(self, cx):
        """The next packet, and whether packets have waited too long for an interval (section 5.5, dodequeue)."""
        if not self.queue:
            self.above_since = None
            return None, False
        packet = self.queue.popleft()
        if cx.now - packet.arrived < self.target or cx.bytes - packet.bytes <= 1500:
            self.above_since = None
        elif self.above_since is None:
            self.above_since = cx.now + self.interval
        return packet, self.above_since is not None and cx.now >= self.above_since

    def dequeue(self, cx):
        packet, late = self.take(cx)
        was_dropping, self.dropping = self.dropping, self.dropping and late
        while self.dropping and late and cx.now >= self.next_drop:
            cx.drop(packet, "sojourn")
            self.count += 1
            packet, late = self.take(cx)
            self.dropping = late
            if late:
                self.next_drop += self.interval / self.count**0.5
        if late and not was_dropping:
            cx.drop(packet, "sojourn")
            packet, _ = self.take(cx)
            recent = self.count - self.last_count > 1 and cx.now - self.next_drop < 16 * self.interval
            self.count = self.last_count = self.count - self.last_count if recent else 1
            self.dropping, self.next_drop = True, cx.now + self.interval / self.count**0.5
        return packet
