"""Figures of a paper's report, drawn with matplotlib: utility diagrams, traces against time, networks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.palette import BLUE, GREEN, GREY, GRID, GROUND, PURPLE, VERMILION
from ..plots.canvas import blank
from ..stats import mean_of
from .build import build_scenario
from .claims import Runs
from .folder import code_of
from .formulas import fcfs_poisson_delay, fq_poisson_delay
from .model import FigureEntry, PaperError, unknown
from .numbering import Box, Point, number
from .study import Shown
from .topology import draw_topology

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

#: One look per series: colour and line style. Numbers in a utility diagram are upright for FCFS, italic for FQ, as in the thesis.
_LOOK = ((VERMILION, "-"), (BLUE, "--"), (GREEN, ":"), (PURPLE, "-."))

#: Marks of points in a utility diagram: one shows through the other where two series have the same point.
_MARKS = (("o", 7.0), ("x", 6.0), ("^", 9.0), ("+", 10.0))

_TRACES = ((BLUE, "-"), (VERMILION, (0, (4, 1.2))), (GREY, ":"))


def _drawing(height: float = 4.6) -> tuple[Drawing, Axes]:
    """An empty figure with one pair of axes."""
    drawing = blank(height=height)
    return drawing, drawing.add_subplot()


def draw(figure: FigureEntry, runs: Runs, study: Shown | None = None) -> Drawing:
    """Draws a figure from the runs of its item; a figure of kind "study" is drawn by the item's own study.

    Raises:
        PaperError: the figure's kind does not exist.
        MissingExtraError: matplotlib is not installed.
    """
    if figure.kind == "study" and study is not None:
        with code_of(runs.paper, runs.item.study, f"figure {figure.name}"):
            return study.draw(figure)
    if figure.kind not in _KINDS:
        raise unknown("kind of figure", figure.kind, _KINDS)
    return _KINDS[figure.kind](figure, runs)


def _utility(figure: FigureEntry, runs: Runs) -> Drawing:
    """Throughput against delay: each source is its number at (mean, mean), in a box of both intervals.

    The dashed box is REAL's "95 %" (three standard deviations to each side), the filled one Student's, over interval means.
    Where the run has one interval only there are no boxes, but a pale dot per seed. A box too small to see is left out.
    """
    drawing, axes = _drawing(4.2)
    delay = "delay" if "delay" in runs.paper.metrics else "round_trip_time"
    unit = {n.metric: n.unit for n in runs.item.numbers}
    points: dict[str, list[Point]] = {series: [] for series in figure.series}
    boxes = starts = False
    for series, (colour, _), (mark, size) in zip(figure.series, _LOOK, _MARKS, strict=False):
        for source in dict.fromkeys(
            n.where["source"] for n in runs.item.numbers if n.row == series and "source" in n.where
        ):
            x, y = (_spread(runs, series, m, source) for m in ("throughput", delay))
            if math.isnan(x[0]) or math.isnan(y[0]):
                continue
            if math.isnan(x[2]):
                over = [runs.over(series, m, source)[1:, 0] for m in ("throughput", delay)]
                starts |= over[0].size > 0
                axes.plot(*over, marker=".", ls="", ms=4, alpha=0.35, color=colour)
            around = _boxes(axes, x, y, colour)
            boxes |= around is not None
            points[series].append(Point([source], x[0], y[0], around or (x[0], y[0], x[0], y[0])))
            axes.plot(x[0], y[0], marker=mark, ms=size, mfc="none", mew=1.3, color=colour)
    delays = [p.y for found in points.values() for p in found]
    logarithmic = bool(delays) and max(delays) > 20 * min(delays)
    for series, (colour, _), (mark, size) in zip(figure.series, _LOOK, _MARKS, strict=False):
        label = f"{series} ({'italic' if 'FQ' in series else 'upright'})"
        axes.plot([], [], marker=mark, ms=size, mfc="none", mew=1.3, ls="", color=colour, label=label)
    axes.set_xlabel(
        f"throughput ({unit.get('throughput', '')}{' excluding retransmissions' if _excludes(runs) else ''})"
    )
    axes.set_ylabel(f"round-trip delay ({unit.get(delay, 's')})")
    # The numbers stand beside their points.
    axes.margins(0.12, 0.2)
    axes.set_xlim(left=0, right=axes.get_xlim()[1] * 1.08)
    if logarithmic:
        axes.set_yscale("log")
        axes.set_ylim(min(delays) / 2, max(delays) * 3)
        axes.yaxis.set_major_formatter("{x:g}")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(color=GRID, lw=0.5)
    _legend(axes, boxes, starts)
    groups = [
        (colour, "FQ" in s, _together(found, logarithmic))
        for (s, found), (colour, _) in zip(points.items(), _LOOK, strict=False)
    ]
    number(drawing, axes, groups)
    return drawing


def _together(points: list[Point], logarithmic: bool) -> list[Point]:
    """The points, those too close for a number each under one; which delays are close hangs on their axis."""
    widest, highest = max((p.x for p in points), default=0.0), max((p.y for p in points), default=0.0)
    groups: list[Point] = []
    for p in points:
        for k, g in enumerate(groups):
            if abs(p.x - g.x) <= 0.03 * widest and abs(p.y - g.y) <= (0.15 * g.y if logarithmic else 0.03 * highest):
                (a, b, c, d), (e, f, h, i) = g.around, p.around
                around = (min(a, e), min(b, f), max(c, h), max(d, i))
                groups[k] = Point([*g.sources, *p.sources], g.x, g.y, around)
                break
        else:
            groups.append(p)
    return groups


def _excludes(runs: Runs) -> bool:
    return "-retransmissions" in runs.paper.metrics["throughput"].counts


def _spread(runs: Runs, series: str, metric: str, source: str) -> tuple[float, float, float]:
    """Mean, REAL half width and Student half width of one source."""
    value = mean_of(runs.intervals(series, metric, source))
    return value.mean, value.real, value.half


def _boxes(axes: Axes, x: tuple[float, float, float], y: tuple[float, float, float], colour: str) -> Box | None:
    """Draws both boxes, and gives the corners of the larger one, if there is one."""
    from matplotlib.patches import Rectangle

    outer: Box | None = None
    for half_x, half_y, look in (
        (x[1], y[1], {"fill": False, "ls": "--"}),
        (x[2], y[2], {"fill": True, "alpha": 0.18}),
    ):
        if math.isnan(half_x) or math.isnan(half_y) or (half_x == 0 and half_y == 0):
            continue
        kind: dict[str, Any] = dict(look)
        # Neither quantity can be below zero, whatever the interval says.
        left, bottom = max(0.0, x[0] - half_x), max(1e-9, y[0] - half_y)
        size = (x[0] + half_x - left, y[0] + half_y - bottom)
        axes.add_patch(Rectangle((left, bottom), *size, color=colour, lw=0.8, **kind))
        outer = outer or (left, bottom, left + size[0], bottom + size[1])
    return outer


def _legend(axes: Axes, boxes: bool, starts: bool) -> None:
    """The legend above the plot, with entries that say what boxes and pale dots are, if there are any."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles, labels = axes.get_legend_handles_labels()
    if boxes:
        handles += [Patch(fill=False, ls="--", ec=GREY), Patch(fc=f"{GREY}40")]
        labels += ["± 3 standard deviations over intervals", "95 % interval of the mean"]
    if starts:
        handles.append(Line2D([], [], ls="", marker=".", ms=4, alpha=0.5, color=GREY))
        labels.append("other starts or seeds")
    axes.legend(
        handles,
        labels,
        frameon=False,
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        fontsize=9,
        columnspacing=1.6,
    )


def _trace(figure: FigureEntry, runs: Runs) -> Drawing:
    """A trace of each source against time: its window, unless the figure names another one."""
    drawing, axes = _drawing(height=3.6)
    kind, label = figure.options.get("trace", "window"), figure.options.get("label", "window (packets)")
    sources = figure.options.get("sources") or [
        n.where["source"] for n in runs.item.numbers if n.row == figure.series[0] and "source" in n.where
    ]
    for source, (colour, line) in zip(dict.fromkeys(sources), _LOOK, strict=False):
        times, values = runs.trace(figure.series[0], kind, source)
        times, values = np.append(times, runs.end), np.append(values, values[-1:])
        axes.step(times, values, where="post", color=colour, ls=line, lw=1.1, label=f"source {source}")
    for start, end, text in figure.options.get("shade", []):
        axes.axvspan(start, end, color=GROUND, zorder=0)
        axes.text(
            (start + end) / 2, 0.97, text, transform=axes.get_xaxis_transform(), ha="center", va="top", fontsize=9
        )
    axes.set_xlabel("time (s)")
    axes.set_ylabel(label)
    axes.set_ylim(bottom=0)
    axes.margins(x=0.01)
    axes.set_ylim(top=figure.options.get("top", axes.get_ylim()[1] * 1.1))
    axes.grid(color=GRID, lw=0.5)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.15), ncols=4, fontsize=9)
    return drawing


def _traces(figure: FigureEntry, runs: Runs) -> Drawing:
    """Several traces of one source against time, a panel for each series."""
    from matplotlib.ticker import MultipleLocator

    o = figure.options
    drawing = blank(height=2.9 * len(figure.series))
    for place, variant in enumerate(figure.series):
        axes = drawing.add_subplot(len(figure.series), 1, place + 1)
        start = float(o["from"][place])
        end = start + o["seconds"]
        for (kind, label), (colour, line) in zip(o["traces"], _TRACES, strict=False):
            times, values = runs.trace(variant, kind, o["source"])
            shown = slice(max(0, int(np.searchsorted(times, start)) - 1), int(np.searchsorted(times, end)))
            x, y = np.append(times[shown], end), np.append(values[shown], values[shown][-1:])
            axes.step(x, y, where="post", label=label, color=colour, ls=line, lw=1.2)
        axes.set_xlim(start, end)
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_locator(MultipleLocator(o["step"]))
        axes.grid(axis="y", color=GRID, lw=0.5)
        axes.set_ylabel(o["label"])
        axes.set_title(variant, loc="left", fontsize=10)
    drawing.legend(*axes.get_legend_handles_labels(), frameon=False, loc="outside upper center", ncols=3, fontsize=9)
    drawing.supxlabel("time (s)", fontsize=10)
    return drawing


def _topology(figure: FigureEntry, runs: Runs) -> Drawing:
    """The network of the item's scenario, or of one variant."""
    scenario = runs.item.scenario
    if figure.series:
        scenario = build_scenario(runs.item, runs.item.variant(figure.series[0]))
    if scenario is None:
        raise PaperError(f"figure {figure.name}: {runs.item.name} has no scenario; name a variant in `series`")
    return draw_topology(scenario)


def _load(figure: FigureEntry, runs: Runs) -> Drawing:
    """Delay of a stream against its load: the formulas as lines, what the simulations gave as points."""
    drawing, axes = _drawing()
    n, window = int(figure.options["transfers"]), int(figure.options["window"])
    scale = float(figure.options["per_second"])
    # A formula of the load, up to which load it is drawn, the variants that simulate it, and their mark.
    curves: dict[str, tuple[Callable[[float], float], float, str, str]] = {
        "FQ, δ = 0": (lambda x: fq_poisson_delay(x, n), 0.97, "FQ W=", "o"),
        "FQ, δ = P": (lambda x: fq_poisson_delay(x, n, 1), 0.97, "FQ delta=P", "^"),
        "FCFS": (lambda x: fcfs_poisson_delay(x, n, window), 3.4, "FCFS W=", "s"),
    }
    for (queue, (formula, most, begins, mark)), (colour, line) in zip(curves.items(), _LOOK, strict=False):
        xs = np.linspace(0, most, 400)
        axes.plot(xs, [formula(x) for x in xs], color=colour, ls=line, lw=1.1, label=f"{queue}, formula")
        found = [(re.search(r"rho=([0-9.]+)", v), v) for v in figure.series if v.startswith(begins)]
        points = [(float(m[1]), scale * runs.of(v, "queueing", figure.options["source"])[0]) for m, v in found if m]
        if points:
            axes.plot(
                *zip(*points, strict=True),
                ls="",
                marker=mark,
                ms=5,
                mfc="none",
                color=colour,
                label=f"{queue}, simulated",
            )
    axes.set_xlabel("throughput of the stream (in units of its fair share)")
    axes.set_ylabel("mean queueing delay (packet times)")
    axes.set_xlim(left=-0.03)
    axes.set_yscale("log")
    axes.set_ylim(0.4, 100)
    axes.set_yticks([0.5, 1, 2, 5, 10, 20, 50, 100], ["0.5", "1", "2", "5", "10", "20", "50", "100"])
    axes.grid(color=GRID, lw=0.5)
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=3, fontsize=9)
    return drawing


_KINDS: dict[str, Callable[[FigureEntry, Runs], Drawing]] = {
    "utility": _utility,
    "trace": _trace,
    "load": _load,
    "topology": _topology,
    "traces": _traces,
}
