"""Whether a wait has settled: how far it drifts over the measured part of a run, beside what it varies by meanwhile."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: A drift of this share of the mean is none.
TOLERANCE = 0.1

#: Nor is one of as many standard deviations of what is left without it: whole periods of an oscillation have a slope, too.
SPREADS = 2.0

#: How many times as long a run becomes, in doublings, before its wait counts as one that does not settle.
LONGEST = 8


def trend(times: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """The change of a line of least squares from the first time to the last, and the standard deviation around it.

    >>> [round(x, 6) for x in trend([0, 1, 2, 3], [5, 7, 9, 11])]
    [6.0, 0.0]
    """
    x, y = np.asarray(times, float), np.asarray(values, float)
    if len(x) < 3:
        return 0.0, 0.0
    slope, first = np.polyfit(x, y, 1)
    return float(slope * (x[-1] - x[0])), float(np.std(y - slope * x - first))


def settled(mean: float, change: float, spread: float) -> bool:
    """Whether a wait with this mean, drift and spread counts as one in equilibrium; not if nothing is known of it.

    >>> settled(10.0, 0.9, 0.0), settled(10.0, 1.1, 0.5), settled(10.0, 1.1, 0.6)
    (True, False, True)
    """
    return abs(change) <= max(TOLERANCE * mean, SPREADS * spread)
