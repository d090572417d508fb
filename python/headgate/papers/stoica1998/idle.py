"""Footnote 6: what a line that was idle sees when many identical UDP flows hit it at once."""

from __future__ import annotations

import math

import numpy as np

from ..claims import Runs
from ..measure import Floats

#: Sums of the flows' rates over the line's, and the sets of rules.
LOADS = ("1.2", "1.4", "1.6", "2", "3", "4", "5", "6", "8", "10", "12")
RULES = ("paper", "figure_2", "published_code")

#: When the flows begin, K_alpha, and the buffer over what the line sends in K_alpha.
START, K, BUFFER = 0.1, 0.1, 64_000 * 8 / (10e6 * 0.1)

#: The buffer in packets of 1000 bytes.
ROOM = 64


def detected(x: float) -> float:
    """Seconds until the estimate of arrivals, which grows as 1 - exp(-t/K), reaches the line's rate.

    >>> round(detected(2.0), 4)
    0.0693
    """
    return K * math.log(x / (x - 1))


def fluid_queue(x: float) -> float:
    """Queue of a fluid of which nothing is dropped until then, over the buffer.

    >>> round(fluid_queue(1.5), 2)
    1.07
    """
    return (x - 1) * detected(x) / K / BUFFER


def arriving(runs: Runs, variant: str) -> tuple[Floats, Floats]:
    """The estimate A over the line's rate, at the end of each ms."""
    times, rates = runs.gauge(variant, "bottleneck", "arriving_bps")
    return times, rates / 10e6


def first_overflow(runs: Runs, variant: str) -> float:
    """Seconds after the flows' start at which a packet is dropped with the buffer full; infinite if that does not happen."""
    dropped, _ = runs.port_trace(variant, "drops", "bottleneck")
    times, backlog = runs.port_trace(variant, "backlog", "bottleneck")
    held = backlog[np.searchsorted(times, dropped, side="right") - 1] if len(dropped) else dropped
    full = dropped[held >= ROOM]
    return float(full[0] - START) if len(full) else math.inf


def congested(runs: Runs, variant: str) -> float:
    """Seconds after the flows' start at which the estimate A reaches the line's rate."""
    times, load = arriving(runs, variant)
    over = times[load >= 1]
    return float(over[0] - START) if len(over) else math.inf


def overflowed(runs: Runs, variant: str) -> bool:
    """Whether the buffer overflows before that."""
    return first_overflow(runs, variant) < congested(runs, variant)


def peak(runs: Runs, variant: str) -> float:
    """Longest queue over the buffer until congestion is found."""
    times, backlog = runs.port_trace(variant, "backlog", "bottleneck")
    before = times <= START + min(congested(runs, variant), 0.5)
    return float(backlog[before].max()) / ROOM
