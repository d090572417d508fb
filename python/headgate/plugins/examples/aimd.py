"""A flow control in 15 lines: additive increase, multiplicative decrease."""

import headgate


@headgate.control("my_aimd", source="Chiu and Jain 1989")
class Aimd:
    """The window grows by a packet a round trip, and a loss halves it."""

    increase: float = headgate.parameter(
        1.0, min=0.001, max=1000, doc="Packets by which the window grows in a round trip."
    )
    decrease: float = headgate.parameter(0.5, min=0.01, max=1, doc="Part of the window that is left after a loss.")

    def on_ack(self, ack):
        if ack.limited and not ack.recovering:
            self.window += self.increase * ack.credit / self.window

    def on_loss(self, loss):
        self.window = max(self.window * self.decrease, 2)
