"""Claims of chapter 3 as predicates over operation counts. Thresholds are the thesis's words; measured times never enter."""

from __future__ import annotations

from itertools import pairwise
from math import log2

import numpy as np

from ...claims import Nulls, Result, Runs, ends, listed
from ...measure import Floats
from ...model import Point
from ..statements import claim
from .costs import STRUCTURES, TRUNK, WINDOW, Costs, is_underloaded
from .growth import TABLES, fit
from .rounds import iterative_deletion

HEAPS = ("HEAP", "PERC")


@claim("K3.0")
def _k3_0(runs: Runs) -> Result:
    costs = Costs(runs)
    equal = sum(len({runs.digest(costs.variant(s, p)) for s in STRUCTURES}) == 1 for p in costs.points)
    return equal == len(costs.points), f"equal at {equal} of {len(costs.points)} points"


claim("F3.1")(iterative_deletion)


@claim("F3.3")
def _f3_3(runs: Runs) -> Result:
    costs, away = Costs(runs), {}
    for s in STRUCTURES:
        end, final = costs.asymptote(s, (10, 200)), costs.average(s, (10, 200))
        away[s] = abs(final / end - 1) if end > 0 else float("inf")
    text = ", ".join(f"{s} {100 * a:.1f} %" if np.isfinite(a) else f"{s} tends to 0" for s, a in away.items())
    return max(away.values()) <= 0.1, text


@claim("K3.1")
def _k3_1(runs: Runs) -> Result:
    costs = Costs(runs)
    jumps = {s: max(_jumps(costs, s)) for s in STRUCTURES}
    holds = jumps["HEAP"][0] < 3 and jumps["PERC"][0] < 3 <= jumps["LINK"][0]
    return holds, "largest: " + ", ".join(f"{s} {r:.1f} to 1 ({where})" for s, (r, where) in jumps.items())


def _jumps(costs: Costs, structure: str) -> list[tuple[float, str]]:
    """Ratio of each two neighbours on an axis, and where they are."""
    found = []
    for axis, points in costs.axes.items():
        values = costs.along(structure, axis)
        for i in range(len(points) - 1):
            low, high = sorted((float(values[i]), float(values[i + 1])))
            found.append((high / low if low > 0 else float("inf"), f"axis {axis}, {points[i]} to {points[i + 1]}"))
    return found


@claim("K3.2a")
def _k3_2a(runs: Runs) -> Result:
    costs = Costs(runs)
    link, others = _links_and_others(runs, "A")
    wins = link < others.min(axis=0)
    late = max(costs.asymptote("LINK", p) for p in costs.axes["A"])
    why = f"passed while the windows open: at most {late:.2f} in the last fifth of the trace"
    return bool(wins.all()), f"{_where(runs, 'A', wins)}; LINK {listed(link)}, {why}"


@claim("K3.2b")
def _k3_2b(runs: Runs) -> Result:
    link, others = _links_and_others(runs, "B")
    wins = link > others.max(axis=0)
    return bool(wins.any()), _where(runs, "B", wins)


def _links_and_others(runs: Runs, axis: str) -> tuple[Floats, Floats]:
    """LINK's cost along an axis, and a row of costs for each of the others."""
    costs = Costs(runs)
    return costs.along("LINK", axis), np.array([costs.along(s, axis) for s in STRUCTURES if s != "LINK"])


def _where(runs: Runs, axis: str, wins: Floats) -> str:
    points = Costs(runs).axes[axis]
    return f"at N = {', '.join(str(p[0]) for p, w in zip(points, wins, strict=True) if w) or 'none'}"


@claim("K3.3a")
def _k3_3a(runs: Runs) -> Result:
    slopes = [_slope(runs, s, "B") for s in HEAPS]
    return all(slope - half > 0 for slope, half in slopes), _slopes_text(slopes)


@claim("K3.3b")
def _k3_3b(runs: Runs) -> Result:
    costs = Costs(runs)
    ratio = [costs.along(s, "A").max() / costs.along(s, "A").min() for s in HEAPS]
    rest = [p for p in costs.axes["C"] if is_underloaded(p)]
    same = all(len({round(costs.average(s, p), 9) for p in rest}) == 1 for s in HEAPS)
    text = f"HEAP {ratio[0]:.2f} to 1, PERC {ratio[1]:.2f} to 1: logarithms of what waits and of N"
    return max(ratio) < 1.25, f"{text}; {'constant' if same else 'not constant'} in B at N = 10"


def _slope(runs: Runs, structure: str, axis: str) -> tuple[float, float]:
    """Operations more per doubling of N along an axis, and half the 95 % interval."""
    costs = Costs(runs)
    line = fit(np.log2([p[0] for p in costs.axes[axis]]), costs.along(structure, axis))
    return line.slope, line.slope_half


def _slopes_text(slopes: list[tuple[float, float]]) -> str:
    return ", ".join(f"{s} {v:+.2f} ± {h:.2f}" for s, (v, h) in zip(HEAPS, slopes, strict=True)) + " per doubling of N"


@claim("K3.4")
def _k3_4(runs: Runs) -> Result:
    costs = Costs(runs)
    held = [costs.average("PERC", p) < min(costs.average(s, p) for s in ("HEAP", "TREE")) for p in costs.points]
    return all(held), f"at {sum(held)} of {len(held)} points"


@claim("K3.5")
def _k3_5(runs: Runs) -> Result:
    costs = Costs(runs)
    points = [p for axis in costs.axes.values() for p in axis]
    ratio = np.array([costs.average("HEAP", p) / costs.average("PERC", p) for p in points])
    return bool((ratio <= 10).mean() >= 0.8), f"at {(ratio <= 10).sum()} of {len(points)}; ratios {ends(ratio, 1)}"


@claim("K3.6")
def _k3_6(runs: Runs) -> Result:
    costs = Costs(runs)

    def skew(axis: str) -> Floats:
        waiting = [runs.link(costs.variant("TREE", p), TRUNK, "backlog_mean") for p in costs.axes[axis]]
        return np.divide(costs.along("TREE", axis), waiting)

    a, b = costs.along("TREE", "A"), costs.along("TREE", "B")
    holds = bool((a > b).all() and skew("A").min() > skew("B").max())
    return (
        holds,
        f"links A {ends(a, 0)}, B {ends(b, 0)}; over packets that wait A {ends(skew('A'))}, B {ends(skew('B'))}",
    )


@claim("K3.7a")
def _k3_7a(runs: Runs) -> Result:
    costs = Costs(runs)
    share = np.array([costs.average("PERC", p) / log2(p[0]) for p in costs.points])
    return bool((share < 1).all()), f"{ends(share)} of log2 N"


@claim("K3.7b")
def _k3_7b(runs: Runs) -> Result:
    costs = Costs(runs)
    text, holds = [], True
    for regime, wanted in (("underloaded", True), ("overloaded", False)):
        points = [p for p in costs.points if is_underloaded(p) == wanted]
        heap = np.array([costs.average("HEAP", p) / log2(p[1]) for p in points])
        perc = np.array([costs.average("PERC", p) / log2(p[0]) for p in points])
        holds = holds and bool((heap < 0.5).all() and (perc < 0.5).all())
        text.append(f"{regime} HEAP {ends(heap)} of log2 B, PERC {ends(perc)} of log2 N")
    return holds, "; ".join(text)


@claim("K3.8")
def _k3_8(runs: Runs) -> Result:
    costs = Costs(runs)

    def bound(structure: str, point: Point) -> float:
        n, b = point
        return {"HEAP": 4 * log2(b) + 2, "PERC": 4 * log2(n) + 2}.get(structure, b)

    share = {s: max(costs.maximum(s, p) / bound(s, p) for p in costs.points) for s in STRUCTURES}
    return max(share.values()) <= 1, "greatest share of the bound: " + ", ".join(
        f"{s} {v:.2f}" for s, v in share.items()
    )


@claim("K3.9")
def _k3_9(runs: Runs) -> Result:
    costs, text, holds = Costs(runs), [], True
    points = costs.axes["A"]
    for s in HEAPS:
        insert = np.array([costs.average(s, p) for p in points])
        get = np.array([costs.get(s, p) for p in points])
        rise = (float(insert[-1] - insert[0]), float(get[-1] - get[0]))
        holds = holds and rise[0] < 0 and rise[1] > -rise[0]
        text.append(f"{s} insertion {rise[0]:+.2f}, deletion {rise[1]:+.2f}")
    return holds, f"along axis A: {'; '.join(text)}. With W N <= B no packet is lost, and B by itself changes nothing"


@claim("K3.10")
def _k3_10(runs: Runs) -> Result:
    costs = Costs(runs)
    best = {p: costs.cheapest(p) for p in costs.points}
    free = [best[p] for p in costs.points if is_underloaded(p)]
    lossy = [best[p] for p in costs.points if not is_underloaded(p)]
    holds = "TREE" not in best.values() and set(lossy) == {"PERC"} and 2 * free.count("LINK") > len(free)
    text = f"without loss (W = {WINDOW}) LINK is the best at {free.count('LINK')} of {len(free)} points"
    return holds, f"{text}; with loss PERC at {lossy.count('PERC')} of {len(lossy)}"


def _in_order(values: list[float]) -> bool:
    """Whether costs rise from each structure of table 3.2 to the next."""
    return all(a < b for a, b in pairwise(values))


def _table_3_2(column: str) -> list[float]:
    """A column of the table: 1991's numbers, or ours, which were weighed and counted once."""
    return [float(row[column]) for row in TABLES.about("table_3_2")]


def _cost_nulls(column: str) -> Nulls:
    """Structures that all cost the same, and each in the place of another one, in the circle that keeps the order best."""

    def nulls(_: Runs) -> tuple[bool | None, bool | None]:
        own = _table_3_2(column)
        return _in_order([1.0] * len(own)), any(_in_order(own[i:] + own[:i]) for i in range(1, len(own)))

    return nulls


@claim("K3.11", nulls=_cost_nulls("ours"))
def _k3_11(_: Runs) -> Result:
    own = _table_3_2("ours")
    return _in_order(own), f"{listed(np.array(own))} of LINK's; 1991 {listed(np.array(_table_3_2('size')), 1)}"


@claim("K3.12", nulls=_cost_nulls("weighed"))
def _k3_12(_: Runs) -> Result:
    own = _table_3_2("weighed")
    return _in_order(
        own
    ), f"{listed(np.array(own), 1)} instructions; 1991 {listed(np.array(_table_3_2('instructions')), 0)}"
