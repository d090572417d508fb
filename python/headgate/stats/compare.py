"""Is one better than the other: differences with intervals and tests, for pairs of runs with common random numbers.

Two variants run with the same seed see the same packets at the same times, so much of the chance in their results is common and drops out
of the difference (Law 2015, section 11.2). Such results are compared pair by pair, never as two separate samples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..base.counts import counted
from .change import change
from .distributions import NORMAL, binomial_cdf, student_cdf, student_quantile

#: Values that differ by a smaller share are equal but for rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Comparison:
    """How b differs from a.

    Attributes:
        a: mean of a.
        b: mean of b.
        difference: b - a.
        low: lower end of its interval; nan below two pairs, and where the difference is the same in every pair: there is no spread then to
            make an interval of.
        high: upper end.
        confidence: of the interval.
        p: two-sided p-value of "no difference in the means": Student's t of the differences, or Welch's without pairs. Where the difference
            is the same in every pair it is that of Wilcoxon's test.
        robust_p: that of Wilcoxon's signed-rank test, which needs no normal differences; nan without pairs.
        n: pairs, or values of the smaller side.
        paired: whether value i of a and value i of b belong together.
    """

    a: float
    b: float
    difference: float
    low: float
    high: float
    confidence: float
    p: float
    robust_p: float
    n: int
    paired: bool

    @property
    def relative(self) -> float:
        """The difference as a share of a's mean; nan where that is 0."""
        return self.difference / abs(self.a) if self.a else math.nan

    @property
    def significant(self) -> bool:
        """Whether the interval leaves out 0 or, where there is none, p is below the level.

        Of many comparisons, correct the p-values first (`holm`, `benjamini_hochberg`).
        """
        return self.p < 1 - self.confidence if math.isnan(self.low) else self.low > 0 or self.high < 0

    def sentence(self, a: str = "a", b: str = "b", unit: str = "") -> str:
        """The comparison in words.

        >>> compare([10.0, 12, 11, 13], [9.0, 10.5, 10, 11.5]).sentence("fcfs", "fq", "ms")
        'fq is 1.25 ms (10.9 %) below fcfs: 95 % interval -1.709 to -0.7907 ms, p = 0.0032 (4 pairs)'
        >>> compare([1.0, 2, 3], [2.0, 1, 3]).sentence()
        'no difference between a and b is shown: 0, 95 % interval -2.484 to 2.484, p = 1 (3 pairs)'
        >>> compare([1.0, 2, 3], [3.0, 4, 5]).sentence()
        'b less a is 2 in each of 3 pairs, which have no spread to make an interval of'
        """
        unit = f" {unit}" if unit else ""
        what = counted(self.n, "pair") if self.paired else f"{self.n} values a side, not paired"
        if math.isnan(self.p):
            return f"{b} less {a} is {self.difference:.4g}{unit}; too few runs for an interval ({what})"
        if math.isnan(self.low):
            pairs = counted(self.n, "pair")
            return f"{b} less {a} is {self.difference:.4g}{unit} in each of {pairs}, which have no spread to make an interval of"
        span = f"{100 * self.confidence:.4g} % interval {self.low:.4g} to {self.high:.4g}{unit}"
        rest = f"{span}, p = {self.p:.2g} ({what})"
        if not self.significant:
            return f"no difference between {a} and {b} is shown: {self.difference:.4g}{unit}, {rest}"
        side = "above" if self.difference > 0 else "below"
        relative = change(self.a, self.b)
        share = f" ({relative})" if relative else ""
        return f"{b} is {abs(self.difference):.4g}{unit}{share} {side} {a}: {rest}"


def compare(a: npt.ArrayLike, b: npt.ArrayLike, confidence: float = 0.95, paired: bool = True) -> Comparison:
    """Compares two variants by one value per replication each.

    Args:
        a: the variant to compare with.
        b: the other one; with pairs, value i of both comes from the same replication (same seed, same run number). Pairs of which
            one is nan are left out.
        confidence: of the interval of the difference.
        paired: False for independent runs (Welch 1947).

    >>> c = compare([10.0, 12, 11, 13], [9.0, 10.5, 10, 11.5])
    >>> round(c.difference, 3), round(c.p, 4), c.robust_p, c.significant
    (-1.25, 0.0032, 0.125, True)

    Raises:
        ValueError: pairs of different numbers of values, or no values.
    """
    x, y = (np.asarray(v, dtype=np.float64).ravel() for v in (a, b))
    if paired:
        if x.size != y.size:
            raise ValueError(f"compare: {x.size} and {y.size} values; expected as many of each to make pairs")
        good = ~(np.isnan(x) | np.isnan(y))
        x, y = x[good], y[good]
    else:
        x, y = x[~np.isnan(x)], y[~np.isnan(y)]
    if not x.size or not y.size:
        raise ValueError(f"compare: {x.size} and {y.size} values; expected at least one of each")
    n, mean_a, mean_b = min(x.size, y.size), float(x.mean()), float(y.mean())
    if n < 2:
        nan = math.nan
        return Comparison(mean_a, mean_b, mean_b - mean_a, nan, nan, confidence, nan, nan, n, paired)
    if paired:
        d = y - x
        if np.ptp(d) <= _ROUNDING * max(np.abs(x).max(), np.abs(y).max()):
            # Student's t would divide by 0, or by a rounding error, and be certain, after two pairs as after a hundred.
            nan, level = math.nan, np.full(n, np.median(d))
            return Comparison(
                mean_a, mean_b, float(d.mean()), nan, nan, confidence, wilcoxon(level), wilcoxon(level), n, paired
            )
        difference, error, dof, robust = float(d.mean()), float(d.std(ddof=1)) / math.sqrt(n), n - 1.0, wilcoxon(d)
    else:
        u, v = float(x.var(ddof=1)) / x.size, float(y.var(ddof=1)) / y.size
        spread = u**2 / (x.size - 1) + v**2 / (y.size - 1)
        difference, error, robust = mean_b - mean_a, math.sqrt(u + v), math.nan
        dof = (u + v) ** 2 / spread if spread > 0 else n - 1.0
    p = min(1.0, 2 * student_cdf(-abs(difference) / error, dof)) if error > 0 else float(difference == 0)
    half = student_quantile(dof, (1 + confidence) / 2) * error
    low, high = difference - half, difference + half
    return Comparison(mean_a, mean_b, difference, low, high, confidence, p, robust, n, paired)


def wilcoxon(differences: npt.ArrayLike) -> float:
    """Two-sided p-value of Wilcoxon's signed-rank test: differences are symmetric about 0.

    Zeros are left out (Wilcoxon 1945), ties get mean ranks. Exact up to 50 differences, given their ranks; above, by the normal
    distribution with the correction for ties and for continuity (Hollander and Wolfe 1999, section 3.1). Below 6 differences the
    least p-value is above 0.05: such a test can show nothing at the 0.05 level.

    >>> wilcoxon([1.0, 2, 3, 4, 5, 6])  # 2 of the 64 choices of signs
    0.03125
    """
    d = np.asarray(differences, dtype=np.float64).ravel()
    d = d[~np.isnan(d) & (d != 0)]
    n = d.size
    if n == 0:
        return 1.0
    _, place, many = np.unique(np.abs(d), return_inverse=True, return_counts=True)
    last = np.cumsum(many)
    # Twice the mean rank of each, a whole number.
    ranks = (2 * last - many + 1)[place.ravel()]
    positive, total = int(ranks[d > 0].sum()), int(ranks.sum())
    extreme = min(positive, total - positive)
    if n <= 50:
        # Choices of signs by the sum of the positive ranks.
        counts = np.zeros(total + 1)
        counts[0] = 1.0
        for r in ranks.tolist():
            counts[r:] = counts[r:] + counts[:-r]
        return float(min(1.0, 2 * counts[: extreme + 1].sum() / 2.0**n))
    variance = float((ranks.astype(np.float64) ** 2).sum()) / 4
    z = (extreme - total / 2 + 1) / math.sqrt(variance)  # a step of doubled ranks is 2, half of it 1
    return min(1.0, 2 * NORMAL.cdf(min(z, 0.0)))


def sign_test(differences: npt.ArrayLike) -> float:
    """Two-sided p-value of the sign test: positive and negative differences are equally likely; zeros are left out.

    It needs fewer assumptions than any other test, and has the least power.

    >>> round(sign_test([0.1, 0.4, 0.2, 3.0, 0.7, 0.2, -0.1, 0.5]), 4)  # 2 (1 + 8) / 256
    0.0703
    """
    d = np.asarray(differences, dtype=np.float64).ravel()
    positive, n = int((d > 0).sum()), int(((d > 0) | (d < 0)).sum())
    return min(1.0, 2 * binomial_cdf(min(positive, n - positive), n, 0.5)) if n else 1.0
