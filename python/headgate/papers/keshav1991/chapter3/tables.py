"""The tables and figures of chapter 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....parallel import Progress
from ...claims import Runs
from ...model import Figure, unknown
from ...study import Section
from . import figures, rounds
from .costs import STRUCTURES, WINDOW, Costs, is_underloaded
from .growth import growth
from .times import Times, measure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

#: Where figure 3.3 is taken.
LENGTH_POINT = (10, 200)


@dataclass(frozen=True)
class CostStudy:
    """Operation counts, which are the same every time, and times, which are not."""

    costs: Costs
    times: Times
    sections: tuple[Section, ...]

    def draw(self, figure: Figure) -> Drawing:
        """Draws figures 3.1 and 3.3 to 3.7, or the map of what is fastest today."""
        drawings = {
            "3.1": lambda: rounds.drawing(),
            "3.3": lambda: figures.by_length(self.costs, LENGTH_POINT),
            "3.4": lambda: figures.plane(self.costs),
            "3.5": lambda: figures.averages(self.costs),
            "3.6": lambda: figures.maxima(self.costs),
            "3.7": lambda: figures.zones(self.costs),
            "today": lambda: figures.fastest(self.costs, self.times),
        }
        if figure.name not in drawings:
            raise unknown("figure of chapter 3", figure.name, drawings)
        return drawings[figure.name]()


def study(runs: Runs, progress: Progress | None) -> CostStudy:
    """Counts from the runs, then times: the calls of each point's run are recorded and played through every structure."""
    costs = Costs(runs)
    times = measure(costs, progress)
    sections = (_costs(costs), _gets(costs), _lengths(costs), growth(), *times.sections())
    return CostStudy(costs, times, sections)


def _costs(costs: Costs) -> Section:
    rows = []
    for axis, points in costs.axes.items():
        for point in points:
            each = (f"{_digits(costs.average(s, point))} ({costs.maximum(s, point):.0f})" for s in STRUCTURES)
            rows.append(
                (axis, str(point[0]), str(point[1]), f"{WINDOW * point[0] / point[1]:.2f}", _lost(costs, point), *each)
            )
    return Section(
        "figures 3.5 and 3.6: operations per insertion, average (maximum)",
        ("axis", "N", "B", "W N / B", "lost", *STRUCTURES),
        tuple(rows),
        "Links traversed (LINK: packets passed; TREE: from the root) or swaps of two elements (HEAP, PERC: in both heaps), discards "
        "included. The axes' coordinates are ours.",
    )


def _gets(costs: Costs) -> Section:
    rows = [
        (axis, str(p[0]), str(p[1]), *(_digits(costs.get(s, p)) for s in STRUCTURES))
        for axis, points in costs.axes.items()
        for p in points
        if axis in "AB"
    ]
    return Section(
        "operations per get_min, average (not part of the thesis's metric)",
        ("axis", "N", "B", *STRUCTURES),
        tuple(rows),
        "The thesis counts LINK and TREE as constant. TREE here: links from the packet taken to the next smallest.",
    )


def _lengths(costs: Costs) -> Section:
    rows = []
    for s in STRUCTURES:
        times, metric = costs.by_length(s, LENGTH_POINT)
        end, final = costs.asymptote(s, LENGTH_POINT), float(metric[-1])
        away = f"{100 * abs(final / end - 1):.1f} %" if end > 0 else "-"
        at = [float(metric[abs(times - t).argmin()]) for t in (500.0, 1000.0, 1500.0)]
        rows.append((s, *(_digits(x) for x in (*at, final, end)), away))
    return Section(
        f"figure 3.3: the metric against trace length, N = {LENGTH_POINT[0]}, B = {LENGTH_POINT[1]}",
        ("structure", "500 s", "1000 s", "1500 s", "2500 s", "asymptote", "away from it"),
        tuple(rows),
        "Asymptote: operations per insertion in the last fifth of the trace.",
    )


def _lost(costs: Costs, point: tuple[int, ...]) -> str:
    return "no loss" if is_underloaded(point) else f"{100 * costs.lost(point):.1f} %"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"
