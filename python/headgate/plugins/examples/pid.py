"""A queueing discipline with a controller: the probability of a drop follows the delay by a PID rule."""

from collections import deque

import headgate
from headgate.plugins import Duration


@headgate.discipline("my_pid", gauges=["probability", "delay"])
class Pid:
    """Packets are dropped or marked at random as they arrive, so that the queueing delay stays at a target."""

    limit: int = headgate.parameter(1000, min=1, doc="Maximum backlog in packets.")
    target: Duration = headgate.parameter("15ms", above=0, doc="The queueing delay that is wanted.")
    period: Duration = headgate.parameter("15ms", above=0, doc="Time between two updates of the probability.")
    p: float = headgate.parameter(1.25, min=0, doc="Change of the probability for a second by which the delay changed.")
    i: float = headgate.parameter(0.125, min=0, doc="Change for a second by which the delay is above the target.")
    d: float = headgate.parameter(0.1, min=0, doc="Change for a second by which the change of the delay changed.")

    def on_start(self):
        self.queue = deque()
        self.probability = self.delay = 0.0
        self.last = self.before = 0.0
        self.due = self.period

    def update(self, now):
        """One step for each period that has passed."""
        while now >= self.due:
            slope, bend = self.delay - self.last, self.delay - 2 * self.last + self.before
            change = self.i * (self.delay - self.target) + self.p * slope + self.d * bend
            self.probability = min(max(self.probability + change, 0.0), 1.0)
            self.last, self.before = self.delay, self.last
            self.due += self.period

    def enqueue(self, packet, cx):
        self.delay = cx.bytes * 8 / self.link_rate
        self.update(cx.now)
        if cx.packets >= self.limit:
            cx.drop(packet, "full")
        elif cx.random() < self.probability and not packet.mark():
            cx.drop(packet, "random")
        else:
            self.queue.append(packet)

    def dequeue(self, cx):
        return self.queue.popleft() if self.queue else None
