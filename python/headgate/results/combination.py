"""How the values of several flows, ports or transfers become one number of each run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ..analysis.fairness import jain_of_sums

Array = npt.NDArray[np.float64]

#: What reduces values to one for each group by a function such as `np.add`.
Reduce = Callable[[np.ufunc, Array], Array]


def by_row(function: np.ufunc, values: Array) -> Array:
    """Reduces each row."""
    return np.asarray(function.reduce(values, axis=1))


def by_stretch(starts: npt.NDArray[np.intp]) -> Reduce:
    """Reduces stretches of neighbours, which begin at these places."""
    return lambda function, values: np.asarray(function.reduceat(values, starts))


def by_group(groups: npt.NDArray[np.int64], size: int) -> Reduce:
    """Reduces the values of each of `size` groups; of groups without values the sum is 0 and the extremes are nan."""

    def reduce(function: np.ufunc, values: Array) -> Array:
        if function is np.add:
            return np.asarray(np.bincount(groups, values, size), dtype=np.float64)
        out = np.full(size, np.nan)
        function.at(out, groups, values)
        return out

    return reduce


def combined(how: str, values: Array, reduce: Reduce, weights: Array | None = None) -> Array:
    """One number for each group from those of its values that are numbers; nan for a group without.

    >>> groups = by_group(np.array([0, 0, 2, 2]), 3)
    >>> combined("mean", np.array([1.0, 3.0, 5.0, np.nan]), groups).tolist()
    [2.0, nan, 5.0]
    >>> combined("mean", np.array([1.0, 3.0, 5.0, np.nan]), groups, np.array([3.0, 1.0, 2.0, 0.0])).tolist()
    [1.5, nan, 5.0]
    >>> combined("jain", np.array([1.0, 3.0, 5.0, 5.0]), groups).tolist()
    [0.8, nan, 1.0]

    Args:
        how: one of `metrics.OVER`.
        values: of all groups.
        reduce: what reduces them, such as `by_row`. The order in which it adds decides on the last bit.
        weights: of a mean: the packets that each value is the mean of.
    """
    if how in ("least", "most"):
        return reduce(np.fmin if how == "least" else np.fmax, values)
    good = ~np.isnan(values)
    values = np.where(good, values, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        if how == "mean" and weights is not None:
            weights = np.where(good, weights, 0.0)
            return np.asarray(reduce(np.add, weights * values) / reduce(np.add, weights))
        total, count = reduce(np.add, values), reduce(np.add, good.astype(np.float64))
        if how == "jain":
            return np.asarray(jain_of_sums(total, reduce(np.add, values**2), count))
        return np.asarray(total / count if how == "mean" else np.where(count > 0, total, np.nan))
