"""Rates against time, from the acknowledgements of a run: each gives one round-trip sample."""

from __future__ import annotations

import math

import numpy as np

from ..claims import Runs

#: Seconds over which a rate is taken: scenario 3's round trip without queueing.
WINDOW = 4.0


def reaches(runs: Runs, variant: str, start: float, end: float, level: float) -> float:
    """Seconds after `start` until the rates of sources 1 and 2, over the last 4 s, are both at `level`; nan if never before `end`."""
    times = [runs.trace(variant, "rtt", s)[0] for s in ("1", "2")]
    for at in np.arange(start, end, 0.5):
        if all(((t > at - WINDOW) & (t <= at)).sum() >= level * WINDOW for t in times):
            return float(at - start)
    return math.nan
