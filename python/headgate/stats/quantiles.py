"""Quantiles: of independent values with their interval, and of many delays by a sketch that merges over runs.

The sketch is the histogram that every run keeps (crates/sim/src/meter/histogram.rs): buckets 1/32 of their lower edge wide. So a quantile
is known to at most 3.2 %, and the merged sketch of many runs is exactly the sketch of all their packets. It is the idea of DDSketch
(Masson, Rim and Lee 2019) with buckets that need no logarithm.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .distributions import binomial_quantile
from .means import Mean

_BITS = 5
_PER_SECOND = 1e12


def _bucket(ps: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Number of the bucket: one per picosecond below 2^5, 2^5 to the octave above."""
    length = np.frexp(ps.astype(np.float64))[1].astype(np.int64)
    # A float that was rounded up to the next power of two means the same bucket, the last of its octave.
    octave = np.maximum(length - _BITS - 1, 0)
    bucket: npt.NDArray[np.int64] = (octave << _BITS) + (ps >> octave.astype(np.uint64)).astype(np.int64)
    return bucket


def _edges(bucket: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Lower and upper edge in seconds."""
    octave = np.maximum((bucket >> _BITS) - 1, 0)
    width = 2.0**octave
    lower = (bucket - (octave << _BITS)) * width
    return lower / _PER_SECOND, (lower + width) / _PER_SECOND


@dataclass(frozen=True, eq=False)
class Sketch:
    """Counts of durations by bucket. Immutable; `a + b` holds the durations of both.

    Attributes:
        buckets: numbers of the buckets that are not empty, ascending.
        counts: durations in each.
        least: the shortest duration in seconds, below which no quantile lies; minus infinity if it is not known.
        greatest: the longest one; infinity if it is not known.

    >>> rng = np.random.default_rng(1)
    >>> one, two = rng.exponential(0.01, 5000), rng.exponential(0.02, 5000)
    >>> both = Sketch.of(one) + Sketch.of(two)
    >>> exact = np.quantile([*one, *two], 0.99)
    >>> low, high = both.bounds(0.99)
    >>> both.count, bool(low <= exact <= high), bool(abs(both.quantile(0.99) / exact - 1) < 1 / 31)
    (10000, True, True)
    """

    buckets: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int64]
    least: float = -math.inf
    greatest: float = math.inf

    @classmethod
    def of(cls, durations_s: npt.ArrayLike) -> Sketch:
        """The sketch of durations in seconds, from 0 to 213 days; they are cut to whole picoseconds, nan is left out.

        Raises:
            ValueError: a duration that is negative or longer.
        """
        x = np.asarray(durations_s, dtype=np.float64).ravel()
        x = x[~np.isnan(x)]
        if x.size and not (x.min() >= 0 and x.max() * _PER_SECOND < 2.0**64):
            raise ValueError(f"Sketch.of: durations from {x.min()} to {x.max()} s; expected 0 to 1.8e7")
        buckets, counts = np.unique(_bucket((x * _PER_SECOND).astype(np.uint64)), return_counts=True)
        least, greatest = (float(x.min()), float(x.max())) if x.size else (-math.inf, math.inf)
        return cls(buckets, counts.astype(np.int64), least, greatest)

    @classmethod
    def of_counts(
        cls, buckets: npt.ArrayLike, counts: npt.ArrayLike, least: float = -math.inf, greatest: float = math.inf
    ) -> Sketch:
        """From the columns `bucket` and `count` of the table of delays; equal buckets are added up.

        The least `lower_s` and the greatest `upper_s` of that table are those of the durations.
        """
        numbers = np.asarray(buckets, dtype=np.int64)
        unique, place = np.unique(numbers, return_inverse=True)
        sums = np.bincount(place.ravel(), weights=np.asarray(counts, dtype=np.float64), minlength=unique.size)
        return cls(unique, sums.astype(np.int64), least, greatest)

    def __add__(self, other: Sketch) -> Sketch:
        """The durations of both."""
        return Sketch.of_counts(
            np.concatenate([self.buckets, other.buckets]),
            np.concatenate([self.counts, other.counts]),
            min(self.least, other.least),
            max(self.greatest, other.greatest),
        )

    @property
    def count(self) -> int:
        """Durations in it."""
        return int(self.counts.sum())

    def _place(self, q: float) -> tuple[int, float]:
        """The bucket that holds the `q`-quantile, and the position inside it."""
        if not 0 <= q <= 1:
            raise ValueError(f"quantile {q}; expected from 0 to 1")
        above = np.cumsum(self.counts)
        rank = q * float(above[-1])
        i = min(int(np.searchsorted(above, rank)), above.size - 1)
        return i, (rank - float(above[i] - self.counts[i])) / float(self.counts[i])

    def quantile(self, q: float) -> float:
        """The `q`-quantile of the durations in seconds, interpolated inside its bucket: within 1/32 of the exact one; nan if empty."""
        if self.counts.size == 0:
            return math.nan
        i, share = self._place(q)
        low, high = _edges(self.buckets[i : i + 1])
        return min(max(float(low[0] + (high[0] - low[0]) * share), self.least), self.greatest)

    def bounds(self, q: float) -> tuple[float, float]:
        """The edges in seconds between which the exact `q`-quantile of the durations lies; nan if empty."""
        if self.counts.size == 0:
            return math.nan, math.nan
        low, high = _edges(self.buckets[self._place(q)[0] :][:1])
        return max(float(low[0]), self.least), min(float(high[0]), self.greatest)

    def cdf(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Upper edges of the buckets in seconds, and the share of the durations up to each."""
        return _edges(self.buckets)[1], np.cumsum(self.counts) / max(self.count, 1)


def quantile_over_runs(sketches: Sequence[Sketch], q: float) -> Mean:
    """The `q`-quantile of the delays of all runs together, in seconds, with a Student interval from the spread between the runs.

    Sectioning (Asmussen and Glynn 2007, section III.5): each run's quantile is compared with that of all packets together, which is less
    biased than the mean of the runs' quantiles. Packets of one run need not be independent. The interval includes the sketch's error of at
    most 1/32 (see `Sketch.bounds`), the same for all runs. A run should hold some 10 / (1 - q) packets at least.

    >>> rng = np.random.default_rng(2)
    >>> p99 = quantile_over_runs([Sketch.of(rng.exponential(0.01, 4000)) for _ in range(10)], 0.99)
    >>> round(p99.mean, 3), p99.n, p99.half < 0.002  # exactly 0.01 ln 100 = 0.046
    (0.046, 10, True)
    """
    some = [s for s in sketches if s.count]
    if not some:
        return Mean(math.nan, math.nan, 0)
    whole = sum(some[1:], some[0]).quantile(q)
    n = len(some)
    squares = sum((s.quantile(q) - whole) ** 2 for s in some)
    return Mean(whole, math.sqrt(squares / (n - 1)) if n > 1 else math.nan, n)


def quantile_interval(values: npt.ArrayLike, q: float, confidence: float = 0.95) -> tuple[float, float]:
    """An interval for the `q`-quantile of any distribution from independent values of it, by order statistics.

    Exact for every distribution (David and Nagaraja 2003, section 7.1); the confidence is at least the one asked for. An end is infinite
    where so few values cannot bound it: an upper one for the 99 % quantile takes 368. Values must be independent: one per
    replication are, delays of neighbouring packets are not.

    >>> quantile_interval(range(1, 101), 0.5)
    (40.0, 61.0)
    >>> quantile_interval(range(1, 101), 0.99)
    (97.0, inf)

    Raises:
        ValueError: no values, or a quantile or confidence outside of (0, 1).
    """
    x = np.sort(np.asarray(values, dtype=np.float64).ravel())
    x = x[~np.isnan(x)]
    if x.size == 0 or not 0 < q < 1 or not 0 < confidence < 1:
        raise ValueError(
            f"quantile_interval: {x.size} values, q {q}, confidence {confidence}; expected some, in (0, 1)"
        )
    # The number of values below the quantile is binomial. With B such, the quantile lies between order statistics B and B + 1.
    low = binomial_quantile((1 - confidence) / 2, x.size, q)
    high = binomial_quantile((1 + confidence) / 2, x.size, q) + 1
    return (float(x[low - 1]) if low >= 1 else -math.inf, float(x[high - 1]) if high <= x.size else math.inf)
