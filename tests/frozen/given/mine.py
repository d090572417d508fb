# mine.py
import headgate


@headgate.control("mine", gauges=["ceiling"])
class Mine:
    """The window doubles until the first loss; then it grows by some packets a round trip, and a loss leaves a part of it."""

    increase: float = headgate.parameter(1.0, min=0.001, max=1000, doc="Packets by which it grows in a round trip.")
    decrease: float = headgate.parameter(0.5, min=0.01, max=0.99, doc="Part of the window that is left after a loss.")

    def on_start(self, window):
        self.window, self.ceiling = window, float("inf")

    def on_ack(self, ack):
        if not ack.limited or ack.recovering:
            return
        if self.window < self.ceiling:
            self.window += ack.credit
        else:
            self.window += self.increase * ack.credit / self.window

    def on_loss(self, loss):
        self.window = self.ceiling = max(self.window * self.decrease, 2)
