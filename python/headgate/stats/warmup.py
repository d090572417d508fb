"""The length of the warm-up of a run: MSER-5.

Source: White 1997, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69(6); in batches of five,
Spratt 1998 and White, Cobb and Spratt 2000 (Winter Simulation Conference). Deviations: none; the last five batches are never the
answer's only support, and an answer in the second half, or the last that is possible, is reported as no answer (Hoad, Robinson and
Davies 2010).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .distributions import student_cdf
from .means import mean_of


@dataclass(frozen=True)
class WarmUp:
    """The result of MSER for a series.

    Attributes:
        discard: values at the beginning that are warm-up.
        mean: of the rest.
        found: whether the answer can be trusted: it lies in the first half and is not the last possible one. If not, the series is too
            short or still drifting.
    """

    discard: int
    mean: float
    found: bool


def mser(values: npt.ArrayLike, batch: int = 5) -> WarmUp:
    """Where the warm-up of a series ends: the beginning whose removal makes the standard error of the rest least.

    Args:
        values: one per interval (or packet) from the start of the run; or an array of shape (runs, intervals), which is averaged over
            the runs first: the more runs, the clearer the answer. nan counts as the mean of the others.
        batch: values to a batch.

    A series that starts at 0 and settles at 10:

    >>> rng = np.random.default_rng(1)
    >>> series = 10 * (1 - np.exp(-np.arange(300) / 10)) + rng.normal(size=300)
    >>> mser(series).discard, round(mser(series).mean, 1)
    (45, 9.9)
    >>> mser(np.arange(100.0)).found
    False

    Raises:
        ValueError: fewer than ten batches.
    """
    series = _average(values)
    n = series.size // batch
    if batch < 1 or n < 10:
        raise ValueError(f"mser: {series.size} values in batches of {batch}; expected at least ten batches")
    y = series[: n * batch].reshape(n, batch).mean(axis=1)
    y -= y.mean()  # keeps the digits of a small spread around a large mean
    # Of all tails at once, from the end: number, sum, and sum of squares.
    left = np.arange(n, 0, -1)
    total, squares = np.cumsum(y[::-1])[::-1], np.cumsum((y**2)[::-1])[::-1]
    error = (squares - total**2 / left) / left.astype(np.float64) ** 2
    first = int(np.argmin(error[: n - 5]))
    rest = series[first * batch :]
    return WarmUp(first * batch, float(rest.mean()) if rest.size else math.nan, first <= n // 2 and first < n - 6)


def drift(values: npt.ArrayLike, parts: int = 10) -> float:
    """Whether a series that should be settled still drifts: the p-value of "its first part is like the others".

    The series is cut into equal parts; Student's t compares the mean of the first with those of the others. MSER gives the place to cut but
    cuts settled noise as well (a tenth or more of it in three of ten series that we tried); this test shows whether a cut is needed.

    Args:
        values: as for `mser`, warm-up removed.
        parts: into which it is cut; at least three.

    >>> rng = np.random.default_rng(1)
    >>> noise = rng.normal(size=300)
    >>> drift(noise) > 0.05, drift(noise - 3 * np.exp(-np.arange(300) / 30)) < 0.001
    (True, True)

    Raises:
        ValueError: fewer values than parts, or fewer than three parts.
    """
    series = _average(values)
    size = series.size // parts
    if parts < 3 or size < 1:
        raise ValueError(f"drift: {series.size} values in {parts} parts; expected at least three parts of at least one")
    means = series[: size * parts].reshape(parts, size).mean(axis=1)
    others = mean_of(means[1:])
    error = others.std * math.sqrt(1 + 1 / others.n)
    gap = abs(float(means[0]) - others.mean)
    return min(1.0, 2 * student_cdf(-gap / error, others.n - 1)) if error > 0 else float(gap == 0)


def _average(values: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """The mean over the runs; where all are nan, the mean of the rest."""
    x = np.atleast_2d(np.asarray(values, dtype=np.float64))
    known = ~np.isnan(x)
    number = known.sum(axis=0)
    series = np.where(known, x, 0.0).sum(axis=0) / np.maximum(number, 1)
    rest = float(series[number > 0].mean()) if known.any() else 0.0
    return np.where(number > 0, series, rest)
