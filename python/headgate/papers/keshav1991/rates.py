"""Rates against time, from the acknowledgements of a run: each gives one round-trip sample."""

from __future__ import annotations

import math

import numpy as np

from ..claims import Runs

#: Seconds over which a rate is taken: scenario 3's round trip without queueing.
WINDOW = 4.0


def reaches(runs: Runs, variant: str, start: float, end: float, level: float) -> float:
    """Seconds after `start` until the rates of sources 1 and 2, over the last 4 s, are both at `level`; nan if never before `end`."""
    every = np.arange(start, end, 0.5)
    reached = np.full(every.shape, True)
    for source in ("1", "2"):
        times = runs.trace(variant, "rtt", source)[0]
        counts = np.searchsorted(times, every, "right") - np.searchsorted(times, every - WINDOW, "right")
        reached &= counts >= level * WINDOW
    return float(every[reached][0] - start) if reached.any() else math.nan
