"""A flow control in 40 lines: CUBIC, without HyStart."""

import headgate


@headgate.control("my_cubic", source="RFC 9438", gauges=["w_max"])
class Cubic:
    """After a loss the window returns to where it was along a cubic function of time, and goes beyond it."""

    c: float = headgate.parameter(0.4, above=0, max=100, doc="How steep the function is, in packets per cubic second.")
    beta: float = headgate.parameter(0.7, min=0.1, max=0.99, doc="Part of the window that is left after a loss.")

    def on_start(self, window):
        self.window, self.threshold = float(window), float("inf")
        self.w_max = self.w_est = self.k = 0.0
        self.epoch = None

    def on_ack(self, ack):
        if not ack.limited or ack.recovering or not ack.credit:
            return
        if self.window < self.threshold:
            self.window += ack.credit
            return
        if self.epoch is None:
            # Section 4.2: the time at which the function reaches the window of the last loss.
            self.epoch, self.w_est = ack.now, self.window
            self.w_max = max(self.w_max, self.window)
            self.k = ((self.w_max - self.window) / self.c) ** (1 / 3)
        # Section 4.3: what Reno would have, with the same share of the line for this factor.
        self.w_est += 3 * (1 - self.beta) / (1 + self.beta) * ack.credit / self.window
        t = ack.now - self.epoch
        if self.c * (t - self.k) ** 3 + self.w_max < self.w_est:
            self.window = max(self.window, self.w_est)
            return
        # Section 4.4: towards the window of one round trip later, by no more than half.
        target = self.c * (t + (ack.smoothed_rtt or 0) - self.k) ** 3 + self.w_max
        target = min(max(target, self.window), 1.5 * self.window)
        self.window += (target - self.window) * ack.credit / self.window

    def on_loss(self, loss):
        # Section 4.7: a flow that did not reach its last maximum leaves room for others.
        self.w_max = self.window * (1 + self.beta) / 2 if self.window < self.w_max else self.window
        self.threshold = max(self.window * self.beta, 2)
        self.window = 1.0 if loss.kind == "timeout" else self.threshold
        self.epoch = None
