"""The tables and figures of chapter 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....parallel import Progress
from ...claims import Runs
from ...model import Figure, Table, unknown
from ...study import Section
from . import figures
from .costs import STRUCTURES, WINDOW, Costs, is_underloaded
from .growth import TABLES, growth
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
        """Draws figure 3.3 to 3.7, or the map of what is fastest today."""
        drawings = {
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
        for p in points:
            each = {s: f"{_digits(costs.average(s, p))} ({costs.maximum(s, p):.0f})" for s in STRUCTURES}
            about = {"axis": axis, "n": p[0], "b": p[1], "load": WINDOW * p[0] / p[1], "lost": _lost(costs, p)}
            rows.append({**about, **each})
    return TABLES.section("costs", rows)


def _gets(costs: Costs) -> Section:
    points = ((axis, p) for axis, points in costs.axes.items() if axis in "AB" for p in points)
    rows = ({"axis": a, "n": p[0], "b": p[1], **{s: _digits(costs.get(s, p)) for s in STRUCTURES}} for a, p in points)
    return TABLES.section("gets", rows)


def _lengths(costs: Costs) -> Section:
    def row(structure: str) -> Table:
        times, metric = costs.by_length(structure, LENGTH_POINT)
        end, final = costs.asymptote(structure, LENGTH_POINT), float(metric[-1])
        away = f"{100 * abs(final / end - 1):.1f} %" if end > 0 else None
        at = [_digits(float(metric[abs(times - t).argmin()])) for t in (500.0, 1000.0, 1500.0)]
        return {"at": at, "final": _digits(final), "end": _digits(end), "away": away}

    return TABLES.section("lengths", row, n=LENGTH_POINT[0], b=LENGTH_POINT[1])


def _lost(costs: Costs, point: tuple[int, ...]) -> str:
    return "no loss" if is_underloaded(point) else f"{100 * costs.lost(point):.1f} %"


def _digits(value: float) -> str:
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"
