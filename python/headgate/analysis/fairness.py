"""Fairness: Jain's index, the max-min ideal of a line and of a network, and the distance from it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def jain_index(allocations: npt.ArrayLike) -> float:
    """Jain's fairness index of allocations, dimensionless: 1 if all are equal, 1/n if one flow has everything.

    Source: Jain, Chiu and Hawe 1984 (DEC-TR-301). nan without any allocation above zero.

    >>> jain_index([5, 5]), jain_index([1, 0, 0, 0])
    (1.0, 0.25)
    """
    x = np.asarray(allocations, dtype=np.float64)
    squares = float((x**2).sum())
    return float(jain_of_sums(float(x.sum()), squares, x.size)) if squares > 0 else math.nan


def jain_of_sums(total: Any, squares: Any, count: Any) -> Any:
    """The index from the sum of allocations, that of their squares and their number: numbers, or arrays of several indices.

    >>> jain_of_sums(10.0, 50.0, 2)
    1.0
    """
    return total**2 / (count * squares)


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
    if demands.sum() <= capacity:
        return demands.copy()
    # Flows are met in the order of demand over weight, until those that are left would share less than that.
    level = np.divide(demands, weights)
    order = np.argsort(level, kind="stable")
    met = np.concatenate([[0.0], np.cumsum(demands[order])[:-1]])
    left = np.cumsum(weights[order][::-1])[::-1]
    share = (capacity - met) / left
    above = level[order] > share
    if not above.any():
        # Demands add up to the capacity, but for rounding.
        return demands.copy()
    first = int(np.argmax(above))
    fair: Floats = np.minimum(demands, weights * share[first])
    return fair


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
    return np.array(filled(left, lines, demand.tolist(), by_weight.tolist()))


def filled(
    capacities: Sequence[float], lines: Sequence[Sequence[int]], demands: Sequence[float], weight: Sequence[float]
) -> list[float]:
    """As `network_max_min`, for plain numbers that need no check, ten thousand small networks in a row: no flow has a line twice.

    >>> filled([10.0, 4.0], [[0], [0, 1], [1]], [math.inf] * 3, [1.0] * 3)
    [8.0, 2.0, 2.0]
    """
    n, m = len(lines), len(capacities)
    left = list(capacities)
    crossed_by: list[list[int]] = [[] for _ in range(m)]
    for flow, route in enumerate(lines):
        for line in route:
            crossed_by[line].append(flow)
    load = [sum(weight[flow] for flow in flows) for flows in crossed_by]
    waiting = [len(flows) for flows in crossed_by]
    # The level, allocation over weight, at which a line would be full or a demand is met. Freezing a flow never lowers that of a line,
    # so one that is out of date is found when it is reached.
    by_line = [(left[line] / load[line], line) for line in range(m) if waiting[line]]
    heapq.heapify(by_line)
    by_demand = sorted((want / weight[flow], flow) for flow, want in enumerate(demands))
    share = [math.nan] * n
    level = 0.0

    def freeze(flow: int, allocation: float) -> None:
        share[flow] = allocation
        for line in lines[flow]:
            left[line] -= allocation
            load[line] -= weight[flow]
            waiting[line] -= 1

    for met, first in by_demand:
        while by_line and by_line[0][0] < met:
            full, line = heapq.heappop(by_line)
            now = max(left[line] / load[line], level) if waiting[line] else math.inf
            if now > full:
                if waiting[line]:
                    heapq.heappush(by_line, (now, line))
                continue
            level = now
            for flow in crossed_by[line]:
                if math.isnan(share[flow]):
                    freeze(flow, weight[flow] * level)
        if math.isnan(share[first]):
            level = max(level, met)
            freeze(first, demands[first])
    return share


def shortfall(allocations: npt.ArrayLike, ideal: npt.ArrayLike) -> float:
    """Distance from an ideal: the largest share of its ideal that a flow lacks, from 0 to 1.

    >>> shortfall([5.0, 3.0], [4.5, 4.0])
    0.25
    """
    x, due = np.asarray(allocations, dtype=np.float64), np.asarray(ideal, dtype=np.float64)
    some = (due > 0) & np.isfinite(due)
    return float((1 - x[some] / due[some]).max(initial=0.0))
