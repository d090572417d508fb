"""Reno by RFC 5681, the original of mutants: each changes a line of it."""

import headgate


@headgate.control("NAME", source="RFC 5681", ecn="ect0", gauges=["threshold"])
class Reno:
    """Slow start, congestion avoidance, a cut in half, and one packet after a timeout."""

    def on_start(self, window):
        self.window, self.threshold = float(window), float("inf")
        self.before = (self.window, self.threshold)
        self.in_slow_start = True

    def on_ack(self, ack):
        if ack.recovering:
            return
        if not ack.limited:
            return
        self.grow(ack.credit)

    def grow(self, credit):
        self.in_slow_start = self.window < self.threshold
        if self.window < self.threshold:
            opened = min(credit, self.threshold - self.window)
            self.window += opened
            credit -= opened
        self.window += credit / self.window

    def on_packet_lost(self, now, packet):
        pass

    def on_loss(self, loss):
        if loss.kind == "mark":
            self.cut()
            return
        if not loss.again:
            self.before = (self.window, self.threshold)
            self.cut()
        if loss.kind == "timeout":
            self.window = loss.remaining + 1

    def cut(self):
        self.window = self.threshold = max(self.window / 2, 2)
        self.in_slow_start = False

    def on_idle(self, rule, initial, timeouts):
        self.threshold = max(self.threshold, 0.75 * self.window)
        self.window = max(self.window / 2 ** min(timeouts, 60), min(initial, self.window))

    def on_undo(self):
        self.window, self.threshold = max(self.window, self.before[0]), max(self.threshold, self.before[1])
