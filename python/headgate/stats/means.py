"""Means with their spread: over intervals of a run, over batches, over replications, and ratios of sums.

REAL's method (Keshav 1991, section 6.3): the run is cut into intervals, the first is discarded, and the mean and the standard
deviation of the interval means are given. Beside it is the 95 % interval of the mean by Student's t, over the
intervals of one run or, where there are several replications, over their means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .distributions import NORMAL, student_quantile

#: Batches into which a long series is cut: in the middle of 10 to 30, beyond which an interval gains little (Schmeiser 1982).
BATCHES = 20


@dataclass(frozen=True)
class Mean:
    """A mean of `n` values with their standard deviation (n - 1 in the denominator).

    `mean` is nan if n is 0, `std` if n is below 2. `exact` says that the values are those of runs that are copies of one another, because
    nothing in them was drawn: the mean is known, and there is no interval.
    """

    mean: float
    std: float
    n: int
    exact: bool = field(default=False, repr=False)

    def half_at(self, confidence: float) -> float:
        """Half width of the Student interval of the mean with that confidence; nan if n < 2 or the mean is exact."""
        if self.n < 2 or self.exact:
            return math.nan
        return student_quantile(self.n - 1, (1 + confidence) / 2) * self.std / math.sqrt(self.n)

    @property
    def half(self) -> float:
        """Half width of the 95 % Student interval of the mean; nan if n < 2 or the mean is exact."""
        return self.half_at(0.95)

    @property
    def ci95(self) -> tuple[float, float] | None:
        """Ends of the 95 % Student interval of the mean; None if there is none."""
        return None if math.isnan(self.half) else (self.mean - self.half, self.mean + self.half)

    @property
    def real(self) -> float:
        """Half width of REAL's 95 % interval: three standard deviations (Keshav 1991, section 6.3)."""
        return 3.0 * self.std

    def __str__(self) -> str:
        """The mean ± half of its 95 % interval, with two digits of that; the mean alone where there is no interval.

        >>> print(Mean(4.7634, 0.1046, 6), Mean(1657.2, 43.0, 120), Mean(2.5, math.nan, 1), Mean(0.25, 0.0, 9), Mean(math.nan, math.nan, 0))
        4.76 ± 0.11 1657.2 ± 7.8 2.5 0.25 ± 0 -
        """
        if self.n == 0 or not math.isfinite(self.mean):
            return "-"
        if math.isnan(self.half):
            return f"{self.mean:.6g}"
        # A rounding error is no spread.
        if self.half <= 1e-9 * abs(self.mean):
            return f"{self.mean:.6g} ± 0"
        decimals = 1 - math.floor(math.log10(float(f"{self.half:.1e}")))
        return f"{self.mean:.{max(0, decimals)}f} ± {self.half:.{max(0, decimals)}f}"

    def __format__(self, spec: str) -> str:
        """Both numbers in the same form: `f"{mean:.3f}"`.

        >>> f"{Mean(4.7634, 0.1046, 6):.3f} or {Mean(4.7634, 0.1046, 6)}"
        '4.763 ± 0.110 or 4.76 ± 0.11'
        """
        if not spec:
            return str(self)
        spread = f" ± {self.half:{spec}}" if math.isfinite(self.half) else ""
        return f"{self.mean:{spec}}{spread}" if self.n else "-"

    def scaled(self, factor: float) -> Mean:
        """The same in another unit.

        >>> print(Mean(0.0283, 0.00002, 120).scaled(1e3))
        28.3000 ± 0.0036
        """
        return Mean(self.mean * factor, self.std * factor, self.n, self.exact)

    def to_dict(self) -> dict[str, float | int | list[float] | None]:
        """`{mean, std, n, ci95: [low, high]}` with null for what does not exist."""
        return {
            "mean": finite(self.mean),
            "std": finite(self.std),
            "n": self.n,
            "ci95": None if self.ci95 is None else [float(self.ci95[0]), float(self.ci95[1])],
        }


def finite(x: float) -> float | None:
    """A number, or None for nan and infinities, which JSON does not know."""
    return float(x) if math.isfinite(x) else None


def mean_of(values: npt.ArrayLike, exact: bool = False) -> Mean:
    """Mean and deviation of the values that are numbers; `exact` if they are those of equal runs.

    The interval is right for independent values of one distribution: one value per replication always are; intervals of one run are if
    they are long enough (see `batch_means`).

    >>> mean_of([1.0, 2.0, 3.0, float("nan")])
    Mean(mean=2.0, std=1.0, n=3)
    >>> round(mean_of([1.0, 2.0, 3.0]).half, 3)
    2.484
    """
    array = np.asarray(values, dtype=np.float64)
    good = array[~np.isnan(array)]
    n = int(good.size)
    if n == 0:
        return Mean(math.nan, math.nan, 0)
    # The same as `mean` and `std`, to the last bit, in a fifth of the time: most of these series are short.
    mean = float(np.add.reduce(good)) / n
    if n == 1:
        return Mean(mean, math.nan, 1)
    if exact:
        return Mean(float(good[0]), 0.0, n, True)
    off = good - mean
    return Mean(mean, math.sqrt(float(np.add.reduce(off * off)) / (n - 1)), n)


def means_of(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The mean of each column, equal to that of `mean_of` to the last bit. All values are numbers.

    >>> means_of(np.array([[1.0, 5.0], [3.0, 6.0]])).tolist()
    [2.0, 5.5]
    """
    # The sum of a row that is contiguous in memory, as a series is.
    rows = np.ascontiguousarray(values.T)
    with np.errstate(invalid="ignore"):
        means: npt.NDArray[np.float64] = np.add.reduce(rows, axis=1) / np.float64(rows.shape[1])
    return means


def ratio_of(totals: npt.ArrayLike, counts: npt.ArrayLike) -> Mean:
    """The mean of a quantity per packet (or per second) from its totals and counts in several intervals or replications.

    Sum over sum, not mean of means: an interval with many packets counts for more, as it must where long delays and many packets occur
    together. The deviation is such that the Student interval is the classical one of a ratio (Law 2015, section 9.4.2; Cochran 1977,
    chapter 6): that of `(total - ratio * count) / mean count`. The ratio's own bias is of the order 1/n.

    Args:
        totals: per interval or replication, such as seconds of delay; those that are nan are left out.
        counts: the same number of them, such as packets; not negative, in sum above zero.

    Delays of 1 s for one packet and of 3 s for each of three: 2.5 s in the mean, not 2.

    >>> ratio_of([1.0, 9.0], [1, 3]).mean
    2.5

    Raises:
        ValueError: not as many totals as counts, or a negative count.
    """
    total, count = np.asarray(totals, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    if total.shape != count.shape or (count < 0).any():
        raise ValueError(f"ratio_of: shapes {total.shape} and {count.shape}; expected equal ones and counts from 0")
    good = ~(np.isnan(total) | np.isnan(count))
    total, count = total[good], count[good]
    if count.sum() == 0:
        return Mean(math.nan, math.nan, 0)
    ratio, n = float(total.sum() / count.sum()), int(total.size)
    if n < 2:
        return Mean(ratio, math.nan, n)
    spread = (total - ratio * count) / count.mean()
    return Mean(ratio, float(np.sqrt((spread**2).sum() / (n - 1))), n)


def pooled(means: npt.ArrayLike, counts: npt.ArrayLike, axis: int = -1) -> npt.NDArray[np.float64]:
    """The mean over all packets together, from the means over parts of them and how many there are in each; nan where there is none.

    >>> pooled([[1.0, 3.0], [np.nan, np.nan]], [[1, 3], [0, 0]]).tolist()
    [2.5, nan]
    """
    count = np.asarray(counts, dtype=np.float64)
    total = np.where(count > 0, np.nan_to_num(np.asarray(means, dtype=np.float64)) * count, 0.0).sum(axis=axis)
    whole = count.sum(axis=axis)
    found: npt.NDArray[np.float64] = np.asarray(total / np.where(whole > 0, whole, np.nan))
    return found


def lag_one(values: npt.ArrayLike) -> float:
    """The correlation of neighbours in a series (by von Neumann's ratio, corrected for the ends); nan below three values or without spread.

    Under independence it is 0 in the mean with variance (n - 2) / (n^2 - 1), and near normal from about 8 values on.

    >>> round(lag_one([1, 2, 3, 4, 5, 6, 7, 8]), 3), round(lag_one([1, -1] * 4), 3)
    (0.917, -0.75)
    """
    x = np.asarray(values, dtype=np.float64)
    spread = float(((x - x.mean()) ** 2).sum()) if x.size > 2 else 0.0
    return 1.0 - float((np.diff(x) ** 2).sum()) / (2 * spread) if spread > 0 else math.nan


@dataclass(frozen=True)
class Batches:
    """A mean over the batches of one series.

    Attributes:
        mean: of the batch means.
        size: values in a batch.
        lag_one: correlation of neighbouring batch means.
        correlated: it is above what independent batches show in 95 of 100 series (von Neumann 1941, as used by Fishman 1978): the batches
            are too short and the interval is too narrow.
    """

    mean: Mean
    size: int
    lag_one: float
    correlated: bool

    @property
    def advice(self) -> str:
        """A warning as a sentence; empty if nothing is wrong with the interval."""
        if self.mean.n < 8:
            return f"{self.mean.n} batches are too few to test whether they are independent; run longer or use replications"
        if self.correlated:
            return (
                f"neighbouring batches of {self.size} are correlated ({self.lag_one:.2f}), so the interval is too narrow; "
                "run longer or use replications"
            )
        return ""


def batch_means(values: npt.ArrayLike, batches: int | None = None) -> Batches:
    """The mean of a stationary, correlated series with an interval, by nonoverlapping batches of equal size.

    Neighbouring values of a simulation are correlated; means of long batches are hardly so. Twenty batches (Schmeiser 1982: between 10
    and 30 lose little against any other number), or one per value for fewer than 40 values. Values that do not fill a batch are dropped
    from the beginning, where the warm-up is nearest.

    Args:
        values: one per interval or packet, warm-up removed; without nan.
        batches: another number of batches.

    >>> b = batch_means(range(45), batches=4)
    >>> b.size, b.mean.mean, b.correlated
    (11, 22.5, False)
    >>> batch_means(np.sin(np.arange(1000) / 300)).correlated
    True

    Raises:
        ValueError: no values, more batches than values, or fewer than two batches.
    """
    x = np.asarray(values, dtype=np.float64).ravel()
    k = batches if batches is not None else (BATCHES if x.size >= 2 * BATCHES else x.size)
    if not 2 <= k <= x.size:
        raise ValueError(
            f"batch_means: {k} batches of {x.size} values; expected at least 2, each of at least one value"
        )
    size = x.size // k
    means = x[x.size - k * size :].reshape(k, size).mean(axis=1)
    lag = lag_one(means)
    limit = NORMAL.inv_cdf(0.95) * math.sqrt((k - 2) / (k * k - 1))
    return Batches(mean_of(means), size, lag, k >= 8 and lag > limit)
