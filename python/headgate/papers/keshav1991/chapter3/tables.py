"""The tables and figures of chapter 3."""

from __future__ import annotations

from ....base.parallel import Progress
from ...claims import Runs
from ...model import Table
from ...study import Section, Shown
from . import figures, rounds
from .costs import STRUCTURES, WINDOW, Costs, is_underloaded
from .growth import TABLES, growth, sizing
from .times import measure

#: Where figure 3.3 is taken.
LENGTH_POINT = (10, 200)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """Counts from the runs, then times: the calls of each point's run are recorded and played through every structure."""
    costs = Costs(runs)
    times = measure(costs, progress)
    grown = growth()
    sections = (_costs(costs), _gets(costs), _lengths(costs), grown.section(), *times.sections())
    drawings = {
        "3.1": rounds.drawing,
        "3.3": lambda: figures.by_length(costs, LENGTH_POINT),
        "3.4": lambda: figures.plane(costs),
        "3.5": lambda: figures.averages(costs),
        "3.6": lambda: figures.maxima(costs),
        "3.7": lambda: figures.zones(costs),
        "today": lambda: figures.fastest(costs, times),
    }
    return Shown(sections, drawings, {**grown.orders(), **sizing(), **times.table_3_2()})


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
