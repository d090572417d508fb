"""Cells of tables in words."""

from __future__ import annotations

import math

from ..stats import Mean
from .measures import Measure


def cell_text(mean: Mean, measure: Measure, between: str = " ") -> str:
    """A mean in the unit of its measure, with half of its 95 % interval; a dash where nothing was measured.

    >>> from headgate.matrix import MEASURES
    >>> cell_text(Mean(0.0215, 0.001, 5), MEASURES["sparse_p95"]), cell_text(Mean(math.nan, math.nan, 0), MEASURES["share"])
    ('21.5 ±1.2', '-')
    """
    if not mean.n or not math.isfinite(mean.mean):
        return "-"
    number = f"{mean.mean * measure.scale:.{measure.decimals}f}"
    if not math.isfinite(mean.half):
        return number
    return f"{number}{between}±{mean.half * measure.scale:.{measure.decimals}f}"
