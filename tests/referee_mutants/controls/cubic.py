"""CUBIC by RFC 9438 without HyStart, the original of mutants: each changes a line of it."""

import headgate

C, BETA = 0.4, 0.7


@headgate.control("NAME", source="RFC 9438", gauges=["threshold", "plateau"])
class Cubic:
    """The window follows a cubic function of the time since the last loss, and is never below that of Reno."""

    def on_start(self, window):
        self.window, self.threshold = float(window), float("inf")
        self.plateau = self.prior = 0.0
        self.epoch = self.unused = None
        self.before = None
        self.in_slow_start = True

    def on_ack(self, ack):
        if ack.recovering or not ack.credit:
            return
        if not ack.limited:
            self.unused = ack.now if self.unused is None else self.unused
            return
        self.in_slow_start = self.window < self.threshold
        if self.unused is not None and self.epoch is not None:
            self.epoch += ack.now - max(self.unused, self.epoch)
        self.unused = None
        if self.window < self.threshold:
            self.window = min(self.window + ack.credit, max(self.threshold, 1.0))
            return
        self.avoid(ack)

    def avoid(self, ack):
        if self.epoch is None:
            self.epoch, self.reno = ack.now, self.window
            self.plateau = max(self.plateau, self.window)
            self.k = ((self.plateau - self.window) / C) ** (1 / 3)
        alpha = 3 * (1 - BETA) / (1 + BETA) if self.reno < self.prior else 1.0
        self.reno += alpha * ack.credit / self.window
        t = ack.now - self.epoch
        if C * (t - self.k) ** 3 + self.plateau < self.reno:
            self.window = max(self.window, self.reno)
            return
        target = C * (t + (ack.smoothed_rtt or 0) - self.k) ** 3 + self.plateau
        target = min(max(target, self.window), 1.5 * self.window)
        self.window += (target - self.window) * ack.credit / self.window

    def on_packet_lost(self, now, packet):
        pass

    def on_loss(self, loss):
        if not loss.again:
            self.before = (self.window, self.threshold, self.plateau, self.prior, self.epoch)
            self.plateau = self.window * (1 + BETA) / 2 if self.window < self.plateau else self.window
            self.prior = self.window
            self.threshold = max(self.window * BETA, 2)
        self.window = self.threshold
        self.epoch = None
        self.in_slow_start = False
        if loss.kind == "timeout":
            self.plateau = 0.0
            self.window = loss.remaining + 1

    def on_idle(self, rule, initial, timeouts):
        self.threshold = max(self.threshold, 0.75 * self.window)
        self.window = max(self.window / 2 ** min(timeouts, 60), min(initial, self.window))
        self.epoch = None

    def on_undo(self):
        if self.before and self.window < self.before[0]:
            self.window, self.threshold, self.plateau, self.prior, self.epoch = self.before
