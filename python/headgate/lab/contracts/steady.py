"""Whether a wait or a rate has settled: how far it drifts over the measured part of a run, beside what it varies by meanwhile.

`headgate.stats.drift` is a test of significance, for which no drift is too small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

#: A drift of this share of the mean is none.
TOLERANCE = 0.02

#: Nor is one of as many standard deviations of either half: whole periods of an oscillation have a slope, too. What varies in one half
#: alone is on its way to an equilibrium, or from it.
SPREADS = 2.0

#: Parts of which the means count: what varies from one interval to the next is no drift.
PARTS = 20

#: How many times as long a run becomes, in doublings, before what still drifts counts as unsettled.
LONGEST = 8


def trend(times: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """The change of a line of least squares from the first of `PARTS` parts to the last, and the lesser standard deviation of two halves.

    >>> [round(x, 6) for x in trend([0, 1, 2, 3], [5, 7, 9, 11])]
    [6.0, 1.0]
    """
    if len(times) < 4:
        return 0.0, 0.0
    parts = min(PARTS, len(times))
    x, y = (np.array([part.mean() for part in np.array_split(np.asarray(v, float), parts)]) for v in (times, values))
    slope = np.polyfit(x, y, 1)[0]
    return float(slope * (x[-1] - x[0])), min(float(np.std(half)) for half in np.array_split(y, 2))


def settled(mean: float, change: float, spread: float) -> bool:
    """Whether what has this mean, drift and spread counts as settled; not if nothing is known of it.

    >>> settled(10.0, 0.19, 0.0), settled(10.0, 1.1, 0.5), settled(10.0, 1.1, 0.6)
    (True, False, True)
    """
    return abs(change) <= max(TOLERANCE * mean, SPREADS * spread)
