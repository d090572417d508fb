"""Laws: how a rate follows losses, where theory says so; fits; and what a contract of delay predicts.

Sources: Mathis et al. 1997 (the inverse square root), RFC 9438, section 5.1 (CUBIC); Arun, Alizadeh and Balakrishnan 2022 (starvation by
bounded delay) and Agarwal et al. 2025 ("contracts") for the prediction, both as recalled: their texts were not at hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...analysis.tcp import CUBIC_BETA, CUBIC_C
from ...base.catalogue import catalogue

#: Below this window, in packets, timeouts and not the law decide.
LEAST_WINDOW = 12.0

#: Share of the line above which the line and not the losses decide.
MOST_OF_LINE = 0.8


@dataclass(frozen=True)
class LossLaw:
    """A law of the rate by the loss rate.

    Attributes:
        exponent: of the loss rate.
        source: where it stands.
        greatest: loss rate up to which it holds at a round trip in s.
    """

    exponent: float
    source: str
    cubic: bool = False

    def greatest(self, rtt: float) -> float:
        """The loss rate up to which the law holds."""
        if not self.cubic:
            return 1.0
        # Above it the window of the Reno-friendly region is the larger one: 1.2 / sqrt(p) > a (rtt / p)^(3/4).
        a = (CUBIC_C * (3 + CUBIC_BETA) / (4 * (1 - CUBIC_BETA))) ** 0.25
        return float((a * rtt**0.75 / 1.2) ** 4)


#: The laws of families of flow controls.
LAWS = {
    "reno-window": LossLaw(-0.5, "Mathis et al. 1997"),
    "cubic-window": LossLaw(-0.75, "RFC 9438, section 5.1", cubic=True),
}


def law_of(control: str) -> LossLaw | None:
    """The law of a flow control, if theory has one for its family."""
    known = catalogue("flow-controls")
    return LAWS.get(known[control].family) if control in known else None


def exponent(losses: Sequence[float], rates: Sequence[float]) -> float:
    """The slope of the logarithm of the rate over that of the loss rate, by least squares.

    >>> round(exponent([1e-4, 1e-3, 1e-2], [1e-4**-0.5, 1e-3**-0.5, 1e-2**-0.5]), 6)
    -0.5
    """
    if len(losses) < 2:
        return math.nan
    return float(np.polyfit(np.log(losses), np.log(rates), 1)[0])


def delay_at(points: Sequence[tuple[float, float]], rate: float) -> float:
    """The delay of a contract at a rate, between the measured points, by logarithms.

    Args:
        points: (rate in bit/s, delay in s), with rising rates.
        rate: in bit/s, within the rates of the points, as `reached` says.

    >>> round(delay_at([(1e6, 0.03), (1e7, 0.003)], 2e6), 6)
    0.015
    """
    x = [math.log(max(r, 1.0)) for r, _ in points]
    y = [math.log(max(d, 1e-6)) for _, d in points]
    return float(math.exp(np.interp(math.log(rate), x, y)))


def reached(points: Sequence[tuple[float, float]], rate: float) -> bool:
    """Whether a rate is within those of a contract's points, or 5 % beside them.

    >>> [reached([(1e6, 0.03), (1e7, 0.003)], rate) for rate in (0.96e6, 1.04e7, 1.1e7)]
    [True, True, False]
    """
    rates = [r for r, _ in points]
    return 0.95 * min(rates) <= rate <= 1.05 * max(rates)


def shares(rate: float, ratio: float) -> tuple[float, float]:
    """The two rates with this ratio of which the sum is `rate`: the less, and the greater.

    >>> shares(22e6, 10)
    (2000000.0, 20000000.0)
    """
    return rate / (1 + ratio), rate * ratio / (1 + ratio)


def starving_delay(
    points: Sequence[tuple[float, float]], rate: float, ratio: float, slower: Sequence[tuple[float, float]] = ()
) -> float:
    """The bound of a delay of one of two equal flows at which their rates have this ratio, by the contract of delay.

    Both see the queue of one line, and the first a further delay. Their contracts hold at the rates r and `ratio` r, of which the sum is
    the line's, if the delay is the difference of what the contract has at these rates. If the contract's delay does not fall with the
    rate, any delay will do: 0.

    Where a range of delays is an equilibrium, the flow whose rate falls keeps the greatest one: `slower` has these, and `points` the least.

    With k packets in the queue at any rate, the delay is k / rate:

    >>> line = [(r, 3 * 12000 / r) for r in (1e6, 1e7, 1e8)]
    >>> round(1e3 * starving_delay(line, 20e6, 10), 2)
    17.82
    """
    slow, fast = shares(rate, ratio)
    difference = delay_at(slower or points, slow) - delay_at(points, fast)
    return max(difference, 0.0)


def first_beyond(points: Sequence[tuple[float, float]], ratio: float) -> tuple[float, float] | None:
    """The last delay before, and the first from which on, all ratios are at least `ratio`; None if there is none.

    >>> first_beyond([(1, 1.1), (2, 12), (3, 5), (5, 20), (7, 30)], 10)
    (3, 5)
    """
    last = None
    for i in reversed(range(len(points))):
        if points[i][1] < ratio:
            break
        last = i
    if last is None:
        return None
    return (points[last - 1][0] if last else points[0][0] / 2, points[last][0])
