"""The paper's measures of section 4.1.4, and what follows from its network alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from ...analysis import jain_index
from ...stats import student_quantile
from ..measure import Floats

#: Bytes of a packet, and bits.
PACKET = 500
BITS = 8 * PACKET


@dataclass(frozen=True, order=True)
class Network:
    """Rates in Mbit/s of the sources' lines and of the bottleneck, and the round trip D in ms, which the paper calls propagation delay."""

    line: int
    bottleneck: int
    delay: float

    @property
    def buffer(self) -> int:
        """Packets that S1 holds: the bottleneck's rate times its own round trip, D/3, rounded down.

        >>> [Network(150, 30, d).buffer for d in (30, 3, 1.8, 1)]
        [75, 7, 4, 2]
        """
        return max(1, math.floor(self.bottleneck * 1e3 * self.delay / 3 / BITS + 1e-9))

    @property
    def product(self) -> float:
        """Bytes: the sources' rate times the round trip.

        >>> Network(150, 30, 30).product
        562500.0
        """
        return self.line * 1e3 * self.delay / 8

    def capacity(self, packets: int) -> float:
        """Files of this number of packets that the bottleneck carries in a second.

        >>> Network(150, 30, 30).capacity(200)
        37.5
        """
        return self.bottleneck * 1e6 / (BITS * packets)

    def least(self, packets: int) -> float:
        """Response time in seconds of one file alone, if it is sent at once and nothing is lost.

        >>> round(1e3 * Network(150, 90, 30).least(200), 6)
        38.942222
        """
        return self.delay / 1e3 + 2 * BITS / (self.line * 1e6) + packets * BITS / (self.bottleneck * 1e6)


def power(throughput: Floats | float, response: Floats | float) -> Floats | float:
    """log10 of the power in bytes/s^2: throughput in bit/s over response time in s.

    >>> round(power(605e6, 0.032), 6)
    9.373515
    """
    found = np.log10(np.asarray(throughput) / 8 / np.asarray(response))
    return float(found) if found.ndim == 0 else found


def fairness(response: Floats) -> float:
    """Index of fairness of the throughputs of files of one size, which is that of 1/R; nan without any.

    >>> round(fairness(1 / np.array([1.0, 2.0, 3.0])), 6)
    0.857143
    """
    return jain_index(1 / response)


def half_width(values: Floats) -> float:
    """Half of the 90 % interval of a mean of three: t(2) = 2.920, as the paper has it.

    >>> round(half_width(np.array([0.20, 0.21, 0.22])), 6)
    0.016859
    """
    return student_quantile(2, 0.95) * float(values.std(ddof=1)) / math.sqrt(3)


def present(start: Floats, end: Floats) -> float:
    """Connections in the system in the mean over time, from the first start to the last end: counted event by event.

    >>> present(np.array([0.0, 1.0]), np.array([2.0, 4.0]))
    1.25
    """
    times = np.concatenate([start, end])
    steps = np.concatenate([np.ones(len(start)), -np.ones(len(end))])
    order = np.argsort(times, kind="stable")
    there = np.cumsum(steps[order])[:-1]
    return float((there * np.diff(times[order])).sum() / (end.max() - start.min()))
