"""Multiplicative rate control in the manner of NETBLT, as a fluid: the strawman of Keshav 1991, section 4.3."""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["NetbltStep", "netblt_rounds", "netblt_step"]


@dataclass(frozen=True)
class NetbltStep:
    """The fluid after a change of the bottleneck's rate, round trip by round trip."""

    rates: tuple[float, ...]
    """Sending rate in each round trip, in packets a round trip."""
    queue: tuple[float, ...]
    """Packets that wait at the end of each round trip."""


def netblt_step(
    mu_before: float, mu_after: float, rounds: int, *, decrease: float = 0.9, increase: float = 1.1
) -> NetbltStep:
    """A source that sends at `mu_before` when the bottleneck changes to `mu_after`, in packets a round trip.

    Acknowledgements arrive at the bottleneck's rate while packets wait or arrive too fast, else at the sending rate. Once per round trip
    the sending rate is multiplied by `decrease` if it is above theirs and by `increase` otherwise. The gains are ours.

    >>> [round(q, 2) for q in netblt_step(20, 10, 9).queue]
    [10.0, 18.0, 24.2, 28.78, 31.9, 33.71, 34.34, 33.91, 34.43]
    """
    rate, waiting = float(mu_before), 0.0
    rates, queue = [], []
    for _ in range(rounds):
        rates.append(rate)
        waiting = max(waiting + rate - mu_after, 0.0)
        queue.append(waiting)
        # Where nothing waits at the end of a round trip, the rate was at most the bottleneck's, and acknowledgements arrived at the rate.
        rate *= decrease if rate > mu_after else increase
    return NetbltStep(tuple(rates), tuple(queue))


def netblt_rounds(mu_before: float, mu_after: float, *, decrease: float = 0.9, increase: float = 1.1) -> int:
    """Round trips until the rate has reached that of the bottleneck: the logarithm of their ratio over that of the gain.

    >>> [netblt_rounds(*step) for step in ((10, 20), (10, 100), (20, 10), (100, 10))]
    [8, 25, 7, 22]
    """
    return math.ceil(math.log(mu_after / mu_before) / math.log(increase if mu_after > mu_before else decrease))
