# careful.py
import headgate


@headgate.control("careful")
class Careful:
    """The window grows by a packet a round trip, and a loss halves it."""

    def on_start(self, window):
        self.window = window

    def on_ack(self, ack):
        if ack.limited and not ack.recovering:
            self.window += ack.credit / self.window

    def on_loss(self, loss):
        self.window = max(self.window / 2, 2)
