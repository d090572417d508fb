"""How much of a run is warm-up: MSER-5.

Source: White 1997, "An effective truncation heuristic for bias reduction in simulation output", Simulation 69(6); in batches of five,
Spratt 1998 and White, Cobb and Spratt 2000 (Winter Simulation Conference). Deviations: none; the last five batches are never the
answer's only support, and an answer in the second half is reported as no answer (Hoad, Robinson and Davies 2010).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class WarmUp:
    """What MSER says of a series.

    Attributes:
        discard: values at the beginning that are warm-up.
        mean: of the rest.
        found: whether the answer can be trusted: it lies in the first half. If not, the series is too short or still drifting.
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
    x = np.atleast_2d(np.asarray(values, dtype=np.float64))
    known = ~np.isnan(x)
    with np.errstate(invalid="ignore"):
        series = np.where(known, x, 0.0).sum(axis=0) / known.sum(axis=0)
    series = np.where(np.isnan(series), np.nanmean(series) if known.any() else 0.0, series)
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
    return WarmUp(first * batch, float(rest.mean()) if rest.size else math.nan, first <= n // 2)
