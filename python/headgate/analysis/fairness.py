"""Fairness: Jain's index, the max-min ideal of a line and of a network, and the distance from it.

Those of a network, and the measures, are the engine's (`crates/view/src/summary`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .. import _core

Floats = npt.NDArray[np.float64]


def jain_index(allocations: npt.ArrayLike) -> float:
    """Jain's fairness index of allocations, dimensionless: 1 if all are equal, 1/n if one flow has everything.

    Source: Jain, Chiu and Hawe 1984 (DEC-TR-301). nan without any allocation above zero.

    >>> jain_index([5, 5]), jain_index([1, 0, 0, 0])
    (1.0, 0.25)
    """
    return _core.jain_index(np.asarray(allocations, dtype=np.float64))


_jain = np.frompyfunc(_core.jain_of_sums, 3, 1)


def jain_of_sums(total: npt.ArrayLike, squares: npt.ArrayLike, count: npt.ArrayLike) -> Floats:
    """The index from the sum of allocations, that of their squares and their number: numbers, or arrays of several indices.

    >>> float(jain_of_sums(10.0, 50.0, 2))
    1.0
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(_jain(total, squares, count), dtype=np.float64)


def max_min(capacity: float, demands: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
    """The max-min fair allocation of one line, in the unit of `capacity`; demands may be infinite.

    Source: Demers, Keshav and Shenker 1989, section 2.1; weights as in section 5.

    >>> max_min(10, [2, 2.6, 4, 5]).round(3).tolist()
    [2.0, 2.6, 2.7, 2.7]

    Raises:
        ValueError: not as many weights as demands.
    """
    demands = np.asarray(demands, dtype=np.float64)
    weights = np.ones(demands.size) if weights is None else np.asarray(weights, dtype=np.float64)
    if demands.size != weights.size:
        raise ValueError(f"{weights.size} weights; expected one for each of {demands.size} flows")
    return np.asarray(_core.line_max_min(capacity, demands.ravel(), weights.ravel()))


def network_max_min(
    capacities: Sequence[float],
    routes: Sequence[Sequence[int]],
    demands: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> Floats:
    """The max-min fair allocation of a network by progressive filling (Bertsekas and Gallager 1987, section 6.5).

    All allocations rise together, in proportion to weights, until a line is full or a demand met; flows that cross a full line are frozen.

    Args:
        capacities: of each line.
        routes: of each flow, the lines that it crosses; a flow that crosses none gets its demand.
        demands: of each flow; infinite unless given.
        weights: of each flow; 1 unless given.

    Returns:
        The allocation of each flow, in the unit of `capacities`.

    >>> network_max_min([10, 4], [[0], [0, 1], [1]]).tolist()
    [8.0, 2.0, 2.0]

    Raises:
        ValueError: not as many demands or weights as flows.
    """
    n = len(routes)
    demand = np.full(n, np.inf) if demands is None else np.asarray(demands, dtype=np.float64)
    by_weight = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
    if demand.size != n or by_weight.size != n:
        raise ValueError(f"{demand.size} demands and {by_weight.size} weights; expected one for each of {n} flows")
    lines = [sorted(set(route)) for route in routes]
    left = np.asarray(capacities, dtype=np.float64).tolist()
    return np.array(_core.network_max_min(left, lines, demand.tolist(), by_weight.tolist()))


def shortfall(allocations: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Distance from an ideal: the largest share of its ideal that a flow lacks, from 0 to 1.

    >>> shortfall([5.0, 3.0], [4.5, 4.0])
    0.25
    """
    return _core.shortfall(np.asarray(allocations, dtype=np.float64), np.asarray(ideal, dtype=np.float64))
