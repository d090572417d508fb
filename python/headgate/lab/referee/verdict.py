"""Verdicts: from the values of runs to a word.

- `pass`, `fail`: the 95 % interval of the mean lies on one side of the bound.
- `open`: it does not.
- `better`, `same`, `worse`: the interval of the difference from the baseline, run by run with the same seeds, lies beyond the zone of
  indifference, within it, or beyond it on the other side; `open` otherwise.
- `report`: there is no bound and no direction.
- `n/a`: the subject does not have what the case needs; `invalid`: it failed, or did not keep to its contract.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...stats.compare import compare
from ...stats.means import mean_of

#: Values of runs; None where there was nothing to measure.
Values = Sequence[float | None]

VERDICTS = ("pass", "fail", "open", "better", "same", "worse", "report", "n/a", "invalid")


def interval(values: Values) -> tuple[float, float, float]:
    """The mean, and the ends of its 95 % interval; the mean itself where the runs are equal or there is one.

    >>> interval([2.0, 2.0]), interval([1.0])
    ((2.0, 2.0, 2.0), (1.0, 1.0, 1.0))
    """
    known = [value for value in values if value is not None]
    mean = mean_of(known)
    # Equal values have no spread, and a rounding error is none.
    half = 0.0 if mean.n < 2 or np.ptp(known) <= 1e-12 * abs(mean.mean) else mean.half
    return mean.mean, mean.mean - half, mean.mean + half


def bound(values: Values, least: float, most: float, forbidden: bool = False) -> str:
    """Whether a mean is within a range; with `forbidden`, whether it is outside of it.

    >>> bound([0.95, 0.97, 0.96], 0.9, 1.0), bound([0.5, 0.6, 0.55], 0.9, 1.0), bound([0.8, 0.99, 0.9], 0.9, 1.0)
    ('pass', 'fail', 'open')
    """
    if all(value is None for value in values):
        return "n/a"
    _, low, high = interval(values)
    inside = low >= least and high <= most
    outside = high < least or low > most
    if forbidden:
        inside, outside = outside, inside
    return "pass" if inside else "fail" if outside else "open"


def better(own: Values, baseline: Values, direction: str, zone: float) -> str:
    """How a subject differs from a baseline, whose values are those of the same seeds.

    >>> better([11.0, 12.1, 13.0], [10.0, 11.0, 12.0], "more", 0.05), better([10.0, 11.0], [10.0, 11.0], "less", 0.05)
    ('better', 'same')
    """
    pairs = [(a, b) for a, b in zip(own, baseline, strict=False) if a is not None and b is not None]
    if not pairs:
        return "n/a"
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True))
    found = compare(y, x)
    low, high = found.low, found.high
    if math.isnan(low):
        low = high = found.difference
    scale = abs(float(y.mean()))
    margin = zone * scale
    if direction == "less":
        low, high = -high, -low
    if low >= -margin and high <= margin:
        return "same"
    if low > margin:
        return "better"
    return "worse" if high < -margin else "open"
