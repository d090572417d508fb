"""Figures on paper, by matplotlib."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.palette import COLOURS, GREY, GRID, INK
from .canvas import blank
from .content import DASHES, MARKERS, Content, Scale, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

#: Characters of a caption to a line, and points of its height.
_CAPTION = 105

#: Maximum number of cells of a heat map into which numbers are written.
_CELLS = 80


def draw(figure: Content) -> Drawing:
    """Draws a figure.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    sheet = blank(8.0, 4.8)
    axes = sheet.add_subplot()
    sheet.set_layout_engine("constrained", h_pad=0.08, w_pad=0.08)
    if figure.grid is None:
        for i, series in enumerate(figure.series):
            _series(axes, figure, series, i)
        axes.grid(color=GRID, lw=0.5)
        axes.set_axisbelow(True)
        _limits(axes, figure)
        if figure.legend:
            sheet.legend(
                loc="outside right upper", frameon=False, title=figure.legend, alignment="left", handlelength=3.2
            )
    else:
        _heatmap(sheet, axes, figure)
    axes.set_title(textwrap.fill(figure.title, 72), loc="left", fontsize=10)
    _scale(axes.xaxis, figure.x)
    _scale(axes.yaxis, figure.y)
    sheet.supxlabel(textwrap.fill(figure.caption, _CAPTION), x=0.01, ha="left", fontsize=8, color=INK)
    if figure.kind == "utility":
        _labels(sheet, axes, figure)
    return sheet


def _look(i: int) -> dict[str, Any]:
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)][0]}


def _series(axes: Axes, figure: Content, s: Series, i: int) -> None:
    look, line = _look(i), DASHES[i % len(DASHES)][0]
    colour = look["color"]
    if figure.kind == "cdf":
        axes.step(s.x, s.y, where="post", color=colour, ls=line, label=s.name)
        return
    if figure.kind == "utility":
        for u, v in s.outlines:
            axes.fill(u, v, fc=colour, ec=colour, alpha=0.15, lw=0.6)
        axes.errorbar(
            s.x, s.y, _arms(s.y, s.low, s.high), _arms(s.x, s.x_low, s.x_high),
            **look, ls=":" if figure.path else "", ms=4, lw=0.8, elinewidth=0.8, label=s.name,
        )  # fmt: skip
        return
    if figure.x.names is not None:
        axes.errorbar(s.x, s.y, _arms(s.y, s.low, s.high), **look, ls="", ms=5, capsize=3, lw=1.1, label=s.name)
        return
    axes.plot(s.x, s.y, **look, ls=line, ms=5, lw=1.3, label=s.name)
    if s.low is not None and s.high is not None:
        axes.fill_between(s.x, s.low, s.high, color=colour, alpha=0.18, lw=0)


def _arms(middle: Any, low: Any, high: Any) -> Any:
    """Lengths of error bars; 0 where there is no interval."""
    return None if low is None else np.nan_to_num([middle - low, high - middle])


def _labels(sheet: Drawing, axes: Axes, figure: Content) -> None:
    """Names beside points, where they cover neither each other nor a point.

    Of a path only the ends are named; of points of a series that lie together one has the names of all, as in the thesis.
    """
    sheet.draw_without_rendering()  # so that places on the sheet are known
    to_points = 72 / sheet.dpi
    wanted: list[tuple[float, float, str, str]] = []
    occupied: list[tuple[float, float, float, float]] = []
    for i, s in enumerate(figure.series):
        places = axes.transData.transform(np.column_stack([s.x, s.y])) * to_points
        names = s.texts or []
        ends = {0, len(names) - 1} if figure.path else set(range(len(names)))
        together: dict[tuple[int, int], list[int]] = {}
        for k, (x, y) in enumerate(places.tolist()):
            occupied.append((x - 3, y - 3, x + 3, y + 3))
            if k in ends:
                near = next(
                    (key for key in together if abs(key[0] - x) < 14 and abs(key[1] - y) < 14), (round(x), round(y))
                )
                together.setdefault(near, []).append(k)
        for group in together.values():
            x, y = places[group[-1]].tolist()
            wanted.append((x, y, ",".join(names[k] for k in group), COLOURS[i % len(COLOURS)]))
    area = [float(v) * to_points for v in axes.get_window_extent().extents]
    for x, y, text, colour in wanted:
        width, height = 4.9 * len(text), 9.0
        # The ends of one path show those of the others; the name of a flow must be somewhere.
        steps = (4, -12) if figure.path else (4, -12, 14, -22, 24, -32)
        choices = [(x + dx if dx > 0 else x - width + dx, y + dy) for dy in steps for dx in (5, -5)]
        boxes = [(u, v, u + width, v + height) for u, v in choices]
        inside = [b for b in boxes if b[0] > area[0] and b[1] > area[1] and b[2] < area[2] and b[3] < area[3]] or boxes
        box = next((b for b in inside if not any(_overlap(b, other) for other in occupied)), None)
        if box is None:
            if figure.path:
                continue
            box = inside[0]
        occupied.append(box)
        at = (box[0] - x, box[1] - y)
        point = axes.transData.inverted().transform((x / to_points, y / to_points))
        axes.annotate(text, tuple(point), xytext=at, textcoords="offset points", color=colour, fontsize=8)


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _limits(axes: Axes, figure: Content) -> None:
    """From 0 where that leaves the differences visible."""
    axes.margins(x=0.04, y=0.08)
    if figure.kind == "cdf":
        axes.set_ylim(0, 1.02)
        return
    if figure.y.log:
        axes.set_yscale("log")
    elif figure.from_zero:
        axes.set_ylim(bottom=0)
    if figure.kind == "utility":
        axes.margins(x=0.12, y=0.12)
    if figure.x.log:
        axes.set_xscale("log")
    if figure.x.names is not None:
        axes.set_xlim(-0.5, len(figure.x.names) - 0.5)


def _scale(axis: Any, scale: Scale) -> None:
    axis.set_label_text(textwrap.fill(scale.label, 48) if axis.axis_name == "y" else scale.label)
    if scale.names is not None:
        long = axis.axis_name == "x" and sum(len(name) + 2 for name in scale.names) > 80
        look = {"rotation": 30, "ha": "right"} if long else {}
        axis.set_ticks(range(len(scale.names)), scale.names, **look)
    elif scale.log:
        from matplotlib.ticker import FuncFormatter, LogLocator

        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter("")


def _heatmap(sheet: Drawing, axes: Axes, figure: Content) -> None:
    grid = figure.grid
    assert grid is not None
    rows, columns = grid.values.shape
    axes.set_facecolor(GRID)
    mesh = axes.pcolormesh(np.arange(columns), np.arange(rows), grid.values, cmap="viridis", shading="nearest")
    sheet.colorbar(mesh, label=textwrap.fill(grid.label, 48))
    if rows * columns > _CELLS:
        return
    from ..results.results import digits

    for (j, i), cell in np.ndenumerate(grid.values):
        value, half = float(cell), float(grid.half[j, i])
        if np.isnan(value):
            axes.text(i, j, "none", ha="center", va="center", fontsize=7, color=GREY)
            continue
        text = digits(value, 3) + (f"\n± {digits(half, 2)}" if half == half else "")
        red, green, blue, _ = mesh.to_rgba(np.array([value]))[0]
        dark = 0.3 * red + 0.59 * green + 0.11 * blue < 0.5
        axes.text(i, j, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
