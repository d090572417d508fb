"""What a learned flow control sees, and what its answers do: the environments use it, and every saved policy has it in its file.

Nothing here but additions, subtractions, multiplications, divisions and comparisons of numbers (tanh excepted, for networks that have
it): these are the same on every machine, and so is a run. It uses no other module of headgate, since a policy's file stands by itself.

Source: the observations are ratios as those of Aurora (Jay et al. 2019, A Deep Reinforcement Learning Perspective on Internet Congestion
Control, section 3.1).
Deviations: a window is set, not a rate; marks, timeouts, the window itself and the shortest round trip are seen too.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from typing import Any

#: Bounds of the window in packets.
LEAST_WINDOW, MOST_WINDOW = 2.0, 1e5

#: Steps over which the largest delivery rate is remembered.
REMEMBERED = 16


class Signals:
    """What one flow observes: counts of its acknowledgements until a step ends, then ratios."""

    def __init__(self) -> None:
        #: Time of the last step's end in seconds; None before the first acknowledgement.
        self.since: float | None = None
        #: Of the last step: its length in seconds, packets delivered in a second, mean round trip in seconds (0 before one was measured),
        #: shares of packets lost and marked, and the timeouts.
        self.seconds, self.rate, self.rtt, self.loss, self.marked, self.timeouts = 0.0, 0.0, 0.0, 0.0, 0.0, 0
        #: The shortest round trip so far, in seconds; 0 before one was measured.
        self.least_rtt = 0.0
        #: The smoothed round-trip time of the transport, in seconds.
        self.smoothed_rtt = 0.0
        #: The last action.
        self.action = 0.0
        self._rates: deque[float] = deque(maxlen=REMEMBERED)
        self._clear()

    def _clear(self) -> None:
        self._delivered, self._lost, self._marks, self._rtts, self._rtt_sum = 0, 0, 0, 0, 0.0
        self._limited, self._timeouts = False, 0

    def add(self, ack: Any) -> None:
        """Counts an acknowledgement."""
        if self.since is None:
            # The first packet left a round trip ago.
            self.since = ack.now - (ack.rtt or 0.0)
        self._delivered += ack.delivered
        self._lost += ack.lost
        self._marks += ack.marks
        self._limited = self._limited or ack.limited
        rtt = ack.rtt
        if rtt is not None:
            self._rtts += 1
            self._rtt_sum += rtt
            self.smoothed_rtt = ack.smoothed_rtt or rtt
            if self.least_rtt == 0.0 or rtt < self.least_rtt:
                self.least_rtt = rtt

    def add_timeout(self) -> None:
        """Counts a retransmission timeout."""
        self._timeouts += 1

    def trip_over(self, now: float) -> bool:
        """Whether a round trip has passed since the last step ended.

        What the transport calls a round ends with acknowledgements in sequence, of which there are none while a loss is repaired.
        """
        return self.since is not None and now - self.since >= self.smoothed_rtt > 0.0

    def close(self, now: float, window: float) -> list[float]:
        """Ends a step at this time; gives what is observed, in the precision of a float32."""
        if self.since is None:
            return [0.0] * 12
        last_rate, last_rtt = self.rate, self.rtt
        self.seconds, self.since = max(now - self.since, 0.0), now
        self.rate = self._delivered / self.seconds if self.seconds > 0.0 else last_rate
        self.rtt = self._rtt_sum / self._rtts if self._rtts else last_rtt
        self.loss = _share(self._lost, self._delivered)
        self.marked = min(1.0, self._marks / self._delivered) if self._delivered else 0.0
        self.timeouts = self._timeouts
        self._rates.append(self.rate)
        limited = self._limited
        self._clear()
        most = max(self._rates)
        return rounded(
            [
                1.0 - self.least_rtt / self.rtt if self.rtt > 0.0 else 0.0,
                _change(self.rtt, last_rtt),
                self.rate / most if most > 0.0 else 0.0,
                _change(self.rate, last_rate),
                self.loss,
                self.marked,
                1.0 if self.timeouts else 0.0,
                _share(window, most * self.least_rtt),
                doublings(window) / 20.0,
                min(1.0, doublings(self.least_rtt * 1e6) / 30.0),
                1.0 if limited else 0.0,
                self.action,
            ]
        )


def rounded(values: list[float]) -> list[float]:
    """Numbers as a float32 has them, so that an environment, whose arrays hold such, and a policy's file see the same."""
    return list(array("f", values))


def _share(part: float, rest: float) -> float:
    return part / (part + rest) if part > 0 else 0.0


def _change(now: float, before: float) -> float:
    """From -1 to 1: the difference over the sum; 0 before there was one."""
    return (now - before) / (now + before) if before > 0.0 else 0.0


def doublings(x: float) -> float:
    """How often 1 is doubled to get x, at least 0: exact for powers of two, a straight line between them."""
    if not x > 1.0:
        return 0.0
    mantissa, exponent = math.frexp(x)
    return exponent - 1 + (2.0 * mantissa - 1.0)


def next_time(now: float, period: float) -> float:
    """The next multiple of a period after this time, in seconds."""
    return (math.floor(now / period) + 1) * period


def factor(action: float) -> float:
    """What an action from -1 to 1 multiplies with: from one half, over 1 at 0, to 2."""
    return 1.0 + action if action >= 0.0 else 1.0 / (1.0 - action)


def bounded(window: float) -> float:
    """A window within its bounds."""
    return min(max(window, LEAST_WINDOW), MOST_WINDOW)


def after_timeout(window: float) -> float:
    """The window after a retransmission timeout, which answers before the policy does: a half."""
    return bounded(window / 2.0)


def pacing(window: float, rtt: float, action: float) -> float | None:
    """The sending rate in packets a second that the second action from -1 to 1 asks for: one to four windows in a round trip, two at 0."""
    return 2.0 * factor(action) * window / rtt if rtt > 0.0 else None


class Feedforward:
    """A neural network with layers of (weights of each output, biases); none but the output layer is a linear policy.

    Its outputs are within -1 and 1 (y / (1 + |y|)). Sums are in the order of the weights: `sum` and libraries have orders of their own.
    """

    def __init__(self, layers: list[tuple[list[list[float]], list[float]]], activation: str = "softsign") -> None:
        self.layers, self.activation = layers, activation

    def __call__(self, values: list[float]) -> list[float]:
        """The actions for what is observed, in the precision of a float32."""
        last = len(self.layers) - 1
        for i, (weights, biases) in enumerate(self.layers):
            out = []
            for row, bias in zip(weights, biases, strict=True):
                total = bias
                for weight, value in zip(row, values, strict=True):
                    total += weight * value
                out.append(_activated(total, "softsign" if i == last else self.activation))
            values = out
        return rounded(values)


def _activated(x: float, name: str) -> float:
    if name == "relu":
        return max(x, 0.0)
    if name == "tanh":
        return math.tanh(x)
    return x / (1.0 + abs(x))
