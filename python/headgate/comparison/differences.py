"""What a comparison consists of: the means of points, and the differences of pairs of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .. import stats
from ..stats import Mean
from ..stats.means import finite

Where = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """The mean of one point: `where` are the points of the other axes, `value` is that of the axis compared."""

    where: Where
    value: Any
    mean: Mean


@dataclass(frozen=True)
class Difference:
    """`b` compared with `a`.

    Attributes:
        where: the points of the other axes.
        a: the reference point.
        b: the other one; the difference is b - a.
        found: difference, interval and p-value of this one comparison by itself, over the pairs of replications.
        p: the p-value, corrected for all comparisons that were made; nan if the difference is exact.
        low: lower end of the interval that is corrected likewise: it leaves out 0 just where the difference is significant. nan where the
            difference is exact, or the same in every pair.
        high: its upper end.
        significant: whether p is below alpha; of an exact difference, whether it is another one than 0.
        exact: whether all runs of both points are equal, so that nothing is left to chance.
        unpaired: replications that one of both lacks, or that measured nothing in one of both; they are left out.
    """

    where: Where
    a: Any
    b: Any
    found: stats.Comparison
    p: float
    low: float
    high: float
    significant: bool
    exact: bool
    unpaired: int

    @property
    def verdict(self) -> str:
        """`above`, `below`, `no difference shown` or, of runs without chance, `equal`."""
        if not self.significant:
            return "equal" if self.exact else "no difference shown"
        return "above" if self.found.difference > 0 else "below"

    def to_dict(self) -> dict[str, Any]:
        """The difference as JSON data."""
        c = self.found
        return {
            "where": self.where,
            "a": self.a,
            "b": self.b,
            "mean_a": finite(c.a),
            "mean_b": finite(c.b),
            "difference": finite(c.difference),
            "interval": ends(c.low, c.high),
            "interval_corrected": ends(self.low, self.high),
            "relative": finite(c.relative),
            "exact": self.exact,
            "pairs": c.n,
            "unpaired": self.unpaired,
            "p": None if self.exact else finite(c.p),
            "p_corrected": finite(self.p),
            "p_wilcoxon": None if self.exact else finite(c.robust_p),
            "significant": self.significant,
        }


def ends(low: float, high: float) -> list[float] | None:
    """An interval as JSON data."""
    return None if math.isnan(low) or math.isnan(high) else [float(low), float(high)]
