"""Many comparisons, many false findings: corrected p-values, and the levels that intervals need to agree with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

#: A smaller probability cannot be distinguished from 0 beside 1.
_LEAST = 1e-15


def holm(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """p-values of many tests, adjusted so that all those below 0.05 are right with probability 0.95 (Holm 1979).

    nan is kept as nan and is not counted.

    >>> holm([0.01, 0.04, 0.03, 0.005]).tolist()
    [0.03, 0.06, 0.06, 0.02]
    """
    return _adjusted(p, lambda n: n - np.arange(n), np.maximum.accumulate)


def benjamini_hochberg(p: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """p-values of many tests, adjusted so that of those below 0.05 one in twenty is wrong in the mean (Benjamini and Hochberg 1995).

    For independent and for positively correlated tests. nan is kept as nan and is not counted.

    >>> benjamini_hochberg([0.01, 0.04, 0.03, 0.005]).round(3).tolist()
    [0.02, 0.04, 0.04, 0.02]
    """

    def from_the_end(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.minimum.accumulate(x[::-1])[::-1]

    return _adjusted(p, lambda n: n / np.arange(1, n + 1), from_the_end)


def holm_levels(p: npt.ArrayLike, alpha: float) -> npt.NDArray[np.float64]:
    """The level at which Holm's procedure tests each of many hypotheses.

    The least p-value of m is tested at alpha / m, the next one at alpha / (m - 1) and so on, until one is not rejected; all that
    are left share its level (Holm 1979). An interval of the confidence 1 - level leaves out 0 just where the hypothesis is rejected.
    Those that are not rejected hold together with the signs of the others with probability 1 - alpha (Guilbaud 2008).

    >>> holm_levels([0.01, 0.04, 0.03, 0.005], 0.05).tolist()  # 0.03 is above 0.025, so that nothing further is tested
    [0.016666666666666666, 0.025, 0.025, 0.0125]
    """
    given = np.asarray(p, dtype=np.float64)
    levels = np.full(given.shape, np.nan)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    rejected = int((holm(given)[order] < alpha).sum())
    rank = np.minimum(np.arange(order.size), rejected)
    levels[order] = np.maximum(alpha / (order.size - rank), _LEAST)
    return levels


def benjamini_hochberg_levels(p: npt.ArrayLike, alpha: float) -> npt.NDArray[np.float64]:
    """The level of intervals beside the findings of Benjamini and Hochberg: alpha times the share of hypotheses that are rejected.

    Of the intervals of the rejected ones a share of alpha at most miss the truth in the mean (Benjamini and Yekutieli 2005, section 3).
    They leave out 0; those of the others, at the same level, do not.

    >>> benjamini_hochberg_levels([0.01, 0.5, 0.03, 0.005], 0.05).tolist()  # three of four
    [0.037500000000000006, 0.037500000000000006, 0.037500000000000006, 0.037500000000000006]
    """
    given = np.asarray(p, dtype=np.float64)
    known = ~np.isnan(given)
    rejected = int((benjamini_hochberg(given)[known] < alpha).sum())
    level = max(alpha * (max(rejected, 1) / max(int(known.sum()), 1)), _LEAST)
    return np.where(known, level, np.nan)


def _adjusted(
    p: npt.ArrayLike,
    factors: Callable[[int], npt.NDArray[Any]],
    monotone: Callable[[npt.NDArray[np.float64]], Any],
) -> npt.NDArray[np.float64]:
    """Sorted p-values times their factors, made monotone, at most 1, in the old order."""
    given = np.asarray(p, dtype=np.float64)
    out = np.full(given.shape, np.nan)
    known = np.flatnonzero(~np.isnan(given))
    order = known[np.argsort(given[known], kind="stable")]
    out[order] = np.minimum(1.0, monotone(given[order] * factors(order.size)))
    return out
