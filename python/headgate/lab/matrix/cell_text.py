"""Cells of tables in words."""

from __future__ import annotations

import math

from ...stats import Mean
from .measures import Measure


def cell_text(mean: Mean, measure: Measure, between: str = " ") -> str:
    """A mean in the unit of its measure, with half of its 95 % interval; a dash where nothing was measured.

    Where the interval would leave the values that are possible, its ends are shown, cut off there.

    >>> from headgate.lab.matrix import MEASURES
    >>> cell_text(Mean(0.0215, 0.001, 5), MEASURES["sparse_p95"]), cell_text(Mean(math.nan, math.nan, 0), MEASURES["share"])
    ('21.5 ±1.2', '-')
    >>> cell_text(Mean(0.29, 0.384, 2), MEASURES["share"]), cell_text(Mean(0.9, 0.1, 3), MEASURES["share"])
    ('0.29 (0.00 to 1.00)', '0.90 (0.65 to 1.00)')
    """
    if not mean.n or not math.isfinite(mean.mean):
        return "-"
    number = f"{mean.mean * measure.scale:.{measure.decimals}f}"
    if not math.isfinite(mean.half):
        return number
    low, high = (max(mean.mean - mean.half, measure.bounds[0]), min(mean.mean + mean.half, measure.bounds[1]))
    if low > mean.mean - mean.half or high < mean.mean + mean.half:
        ends = (f"{end * measure.scale:.{measure.decimals}f}" for end in (low, high))
        return f"{number}{between}({' to '.join(ends)})"
    return f"{number}{between}±{mean.half * measure.scale:.{measure.decimals}f}"
