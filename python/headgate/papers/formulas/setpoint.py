"""The choice of the set-point of packet-pair (Keshav 1991, section 5.3.1): how the queue is distributed while mu walks at random.

Queues in packets, rates in packets per second, times in seconds; a round trip is `rtt`, and mu takes one step of standard deviation
`sigma` in each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .rate_control import law_5_9, next_queue

__all__ = [
    "QueueShares",
    "queue_spread",
    "queueing_delay",
    "queues_of_walk",
    "random_walk",
    "shares_of",
    "shares_of_normal",
]

Floats = npt.NDArray[np.float64]


def random_walk(
    rng: np.random.Generator, steps: int, start: float, sigma: float, low: float, high: float = math.inf
) -> Floats:
    """Rates of a random walk with Gaussian steps (section 5.2), reflected at `low` and `high`; the first is `start`.

    Raises `ValueError` if the start is not between the two.

    >>> random_walk(np.random.default_rng(1), 5, 10, 1, 9.5, 10.5).round(3).tolist()
    [10.0, 10.346, 9.833, 10.163, 10.14]
    """
    if not low <= start <= high:
        raise ValueError(f"start: expected a rate from {low:g} to {high:g}, found {start:g}")
    walk = [float(start)]
    for step in rng.normal(0.0, sigma, steps - 1):
        rate = walk[-1] + step
        while not low <= rate <= high:
            rate = 2 * low - rate if rate < low else 2 * high - rate
        walk.append(float(rate))
    return np.array(walk)


@dataclass(frozen=True)
class QueueShares:
    """Shares of the distribution N of the queue: bandwidth is lost in proportion to `empty`, packets to `full`."""

    empty: float
    """N(0)."""
    full: float
    """N(B)."""
    mean: float
    """Packets; times the service time of a packet, the mean queueing delay."""

    @property
    def imbalance(self) -> float:
        """Difference of the two losses."""
        return abs(self.empty - self.full)


def shares_of(queues: npt.ArrayLike, buffer: float) -> QueueShares:
    """The shares of a sample of queues.

    >>> shares_of([0, 0, 5, 10], 10)
    QueueShares(empty=0.5, full=0.25, mean=3.75)
    """
    n = np.asarray(queues, dtype=np.float64)
    return QueueShares(float((n <= 1e-9).mean()), float((n >= buffer - 1e-9).mean()), float(n.mean()))


def queueing_delay(distribution: npt.ArrayLike, service: float) -> float:
    """Mean queueing delay in seconds, with the weights of 0, 1, ... packets and the service time of one.

    >>> queueing_delay([1] * 11, 0.1)
    0.5
    """
    n = np.asarray(distribution, dtype=np.float64)
    return float(service * (np.arange(n.size) * n).sum() / n.sum())


def queue_spread(sigma: float, rtt: float, *, delay: int = 1) -> float:
    """Standard deviation of the queue around the set-point under law 5.9 with alpha = 1, where the queue is never cut off.

    n_b(k+2) is the set-point plus (2 mu-hat - mu(k) - mu(k+1)) RTT. With mu-hat = mu(k - 1), which is what probes show at the end of
    epoch k (`delay` 1), that is -(2 w(k-1) + w(k)) RTT; with mu-hat = mu(k) (`delay` 0) it is -w(k) RTT.

    >>> round(queue_spread(1, 1), 6), queue_spread(1, 2, delay=0)
    (2.236068, 2)
    """
    return (math.sqrt(5.0) if delay else 1) * sigma * rtt


def shares_of_normal(setpoint: float, spread: float, buffer: float) -> QueueShares:
    """The shares of a normal distribution around the set-point, cut off at 0 and at the buffers.

    >>> s = shares_of_normal(5, 2, 10)
    >>> round(s.empty, 6), round(s.full, 6), s.mean
    (0.00621, 0.00621, 5.0)
    """

    def below(x: float) -> float:
        return 0.5 * math.erfc(-x / math.sqrt(2))

    def density(x: float) -> float:
        return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    low, high = -setpoint / spread, (buffer - setpoint) / spread
    inside = setpoint * (below(high) - below(low)) + spread * (density(low) - density(high))
    full = below(-high)
    return QueueShares(below(low), full, inside + buffer * full)


def queues_of_walk(mu: npt.ArrayLike, setpoint: float, buffer: float, rtt: float, *, delay: int = 1) -> Floats:
    """The queue at the beginning of each epoch under law 5.9, alpha = 1, for a rate that changes from epoch to epoch.

    The source knows the rate of `delay` epochs ago and counts its queue with the clamp of section 5.4; it starts with an empty one.

    >>> queues_of_walk([10.0] * 5, 5, 10, 1).tolist()
    [0.0, 0.0, 5.0, 5.0, 5.0]
    """
    rates = np.asarray(mu, dtype=np.float64)
    n, rate, out = 0.0, float(rates[0]), []
    for k, served in enumerate(rates):
        out.append(n)
        known, sent = float(rates[max(k - delay, 0)]), rate * rtt
        # The acknowledgements show the epoch's service: the source's count is the queue (section 5.4), its prediction is not.
        rate = max(law_5_9(setpoint, n, sent, known, rtt), 0.0)
        n = next_queue(n, sent, float(served) * rtt, buffer)
    return np.array(out)
