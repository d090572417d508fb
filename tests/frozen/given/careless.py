# careless.py
import headgate


@headgate.control("careless")
class Careless:
    """The window grows by a packet a round trip, and a loss takes one packet away."""

    def on_start(self, window):
        self.window = window

    def on_ack(self, ack):
        if ack.limited and not ack.recovering:
            self.window += ack.credit / self.window

    def on_loss(self, loss):
        self.window = max(self.window - 1, 2)
