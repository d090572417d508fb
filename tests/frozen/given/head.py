# head.py
from collections import deque

import headgate


@headgate.discipline("my_head", gauges=["dropped"])
class MyHead:
    """Packets leave in order of arrival, and a full buffer drops from its head: a sender hears of it earlier."""

    limit: int = headgate.parameter(67, min=1, doc="Packets that may wait.")

    def on_start(self):
        self.queue, self.dropped = deque(), 0

    def enqueue(self, packet, cx):
        if cx.packets >= self.limit:
            cx.drop(self.queue.popleft(), "evicted")
            self.dropped += 1
        self.queue.append(packet)

    def dequeue(self, cx):
        return self.queue.popleft() if self.queue else None
