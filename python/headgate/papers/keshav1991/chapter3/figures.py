"""Figures 3.3 to 3.7 redrawn, and the map of what is fastest today."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING

from ....base.palette import BLUE, GREEN, GREY, INK, PALE, PURPLE, VERMILION
from ...model import Point
from ...sheets import Sheets
from .costs import STRUCTURES, WINDOW, Costs, is_underloaded
from .times import Times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: One look per structure: colour, marker, line style.
_LOOK = {
    "LINK": (VERMILION, "o", "-"),
    "TREE": (GREEN, "^", "-."),
    "HEAP": (PURPLE, "s", ":"),
    "PERC": (BLUE, "D", "--"),
}

#: Where costs of less than a hundredth of an operation are drawn.
_FLOOR = 0.01


def by_length(costs: Costs, point: Point) -> Drawing:
    """Figure 3.3: the metric against the length of the trace."""
    sheet = SHEETS.open("by_length")
    (axes,) = sheet.axes
    for s in STRUCTURES:
        times, metric = costs.by_length(s, point)
        colour, marker, line = _LOOK[s]
        axes.plot(times, metric, color=colour, ls=line, marker=marker, ms=4, markevery=5, lw=1.2, label=s)
    return sheet.done()


def plane(costs: Costs) -> Drawing:
    """Figure 3.4: the points of axes A to E in the (N, B) plane, and F, where W N = B."""
    sheet = SHEETS.open("plane")
    (axes,) = sheet.axes
    ends = {"A": (-14, 6), "B": (8, -4), "C": (-4, 10), "D": (8, 4), "E": (8, 0)}
    for (axis, points), (colour, _, line) in zip(costs.axes.items(), [*_LOOK.values(), (GREY, "", "--")], strict=True):
        axes.plot(
            [p[0] for p in points], [p[1] for p in points], color=colour, ls=line, lw=1.1, marker="+", ms=9, mew=1.6
        )
        axes.annotate(
            axis,
            (points[-1][0], points[-1][1]),
            xytext=ends[axis],
            textcoords="offset points",
            color=colour,
            fontweight="bold",
        )
    _locus(axes, costs)
    return sheet.done()


def averages(costs: Costs) -> Drawing:
    """Figure 3.5: average cost along the axes."""
    return _panels(costs, lambda axes, axis, s: _curve(axes, costs, axis, s, costs.average))


def maxima(costs: Costs) -> Drawing:
    """Figure 3.6: average (thin) and maximum cost along the axes."""

    def draw(axes: Axes, axis: str, s: str) -> None:
        _curve(axes, costs, axis, s, costs.average, thin=True)
        _curve(axes, costs, axis, s, costs.maximum)

    return _panels(costs, draw)


def zones(costs: Costs) -> Drawing:
    """Figure 3.7: where LINK is the cheapest (I), neither (II), and the dearest (III), by operations."""

    def zone(point: Point) -> str:
        cost = {s: costs.average(s, point) for s in STRUCTURES}
        if cost["LINK"] == min(cost.values()):
            return "I: LINK has the least cost"
        return "III: LINK has the greatest cost" if cost["LINK"] == max(cost.values()) else "II: neither"

    looks = {
        "I: LINK has the least cost": (GREEN, "o"),
        "II: neither": (PALE, "s"),
        "III: LINK has the greatest cost": (VERMILION, "X"),
    }
    return _map(costs, zone, looks)


def fastest(costs: Costs, times: Times) -> Drawing:
    """The structure with the least time per packet at each point, measured here."""
    return _map(costs, times.fastest, {s: _LOOK[s][:2] for s in STRUCTURES})


def _map(costs: Costs, kind: Callable[[Point], str], looks: dict[str, tuple[str, str]]) -> Drawing:
    sheet = SHEETS.open("map")
    (axes,) = sheet.axes
    of = {p: kind(p) for p in costs.points}
    for name, (colour, marker) in looks.items():
        chosen = [p for p, k in of.items() if k == name]
        axes.plot(
            [p[0] for p in chosen],
            [p[1] for p in chosen],
            ls="",
            marker=marker,
            ms=9,
            color=colour,
            label=f"{name} ({len(chosen)})",
        )
    _locus(axes, costs)
    return sheet.done()


def _panels(costs: Costs, curve: Callable[[Axes, str, str], None]) -> Drawing:
    """A panel per axis; the sixth holds the legend."""
    sheet = SHEETS.open("axes")
    for axes, axis in zip(sheet.axes, costs.axes, strict=False):
        points = costs.axes[axis]
        _shade(axes, _along(axis, points), [not is_underloaded(p) for p in points])
        for s in STRUCTURES:
            curve(axes, axis, s)
    drawing, last = sheet.done(), sheet.axes[-1]
    last.axis("off")
    last.legend(*sheet.axes[0].get_legend_handles_labels(), frameon=False, loc="center", fontsize=11)
    return drawing


def _curve(
    axes: Axes, costs: Costs, axis: str, s: str, of: Callable[[str, Point], float], *, thin: bool = False
) -> None:
    points = costs.axes[axis]
    colour, marker, line = _LOOK[s]
    y = [max(of(s, p), _FLOOR) for p in points]
    look = {"lw": 0.8, "alpha": 0.6} if thin else {"lw": 1.3, "marker": marker, "ms": 5, "label": s}
    axes.plot(_along(axis, points), y, color=colour, ls=line, **look)


def _shade(axes: Axes, x: list[int], lossy: list[bool]) -> None:
    """Greys the side of the axis where packets are lost, half way to the next point without loss."""
    edges = [x[0], *((a + b) / 2 for a, b in itertools.pairwise(x)), x[-1]]
    for i, loses in enumerate(lossy):
        if loses:
            axes.axvspan(edges[i], edges[i + 1], color="#f1f1f1", lw=0, zorder=0)


def _along(axis: str, points: tuple[Point, ...]) -> list[int]:
    """What stands along an axis: B on axis C, else N."""
    return [p[1] if axis == "C" else p[0] for p in points]


def _locus(axes: Axes, costs: Costs) -> None:
    """Axis F: W N = B."""
    top = max(p[0] for p in costs.points) + 1
    axes.plot([0, top], [0, WINDOW * top], color=INK, ls=(0, (1, 2)), lw=1.2)
    axes.annotate("F: W N = B", (top, WINDOW * top), xytext=(-6, 6), textcoords="offset points", ha="right", fontsize=9)
