"""Figures of a study as data: sizes, panels, labels, limits and legends stand in a TOML file beside the code that draws the curves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..base.palette import GREY, GRID
from ..plots.canvas import blank
from .checks import one_of
from .layout import beside, write
from .model import Form

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class LegendLayout(Form):
    """A legend: above the panel at the height `at` if that is given, else at `place`."""

    columns: int = 1
    at: float | None = None
    middle: float = 0.5
    place: str = "best"
    size: float | None = 9.0


@dataclass(frozen=True)
class PanelLayout(Form):
    """A panel: labels, ends of the axes (one is the lower end), scales, ticks as they are written, a grid of this colour, and a legend.

    `names` stand along the vertical axis instead of ticks, the first one on top; `uprights` are values along the other with their names.
    """

    title: str = ""
    x: str = ""
    y: str = ""
    xlim: tuple[float, ...] = ()
    ylim: tuple[float, ...] = ()
    xscale: Literal["", "log", "log2"] = ""
    yscale: Literal["", "log"] = ""
    xticks: tuple[str, ...] = ()
    yticks: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    uprights: tuple[tuple[float, str], ...] = ()
    grid: str = GRID
    legend: LegendLayout | None = None


@dataclass(frozen=True)
class SheetLayout(Form):
    """A figure: width and height in inches, rows and columns of panels, which axes they share, and a legend of all of them."""

    panels: tuple[PanelLayout, ...]
    size: tuple[float, float] = (7.2, 4.6)
    rows: int = 1
    share: Literal["", "x", "y", "xy"] = ""
    legend: LegendLayout | None = None


class Sheets:
    """The figures of a file."""

    def __init__(self, module: str, file: str = "sheets.toml") -> None:
        """Reads the file beside a module."""
        self._file, self._sheets = beside(module, file, SheetLayout)

    def open(self, name: str, **values: Any) -> Sheet:
        """An empty figure; `values` may stand in its texts."""
        one_of(self._file, "", name, self._sheets, "figure")
        return Sheet(self._sheets[name], values)


class Sheet:
    """A figure that is being drawn: `axes` are its panels, row by row."""

    def __init__(self, layout: SheetLayout, values: Mapping[str, Any]) -> None:
        """Makes the panels."""
        self._layout, self._values = layout, values
        self.drawing: Drawing = blank(*layout.size)
        columns = -(-len(layout.panels) // layout.rows)
        grid = self.drawing.subplots(
            layout.rows, columns, sharex="x" in layout.share, sharey="y" in layout.share, squeeze=False
        )
        self.axes: list[Axes] = list(grid.ravel())

    def done(self) -> Drawing:
        """Labels, limits, grids and legends, when all curves are there."""
        for axes, panel in zip(self.axes, self._layout.panels, strict=True):
            self._finish(axes, panel)
        if self._layout.legend is not None:
            legend = self._layout.legend
            look: dict[str, Any] = {"loc": legend.place, "ncols": legend.columns, "fontsize": legend.size}
            self.drawing.legend(*self.axes[0].get_legend_handles_labels(), frameon=False, **look)
        return self.drawing

    def _finish(self, axes: Axes, panel: PanelLayout) -> None:
        if panel.xscale:
            axes.set_xscale("log", base=2 if panel.xscale == "log2" else 10)
        if panel.yscale:
            axes.set_yscale(panel.yscale)
            axes.yaxis.set_major_formatter("{x:g}")
        for ticks, put in ((panel.xticks, axes.set_xticks), (panel.yticks, axes.set_yticks)):
            if ticks:
                put([float(t) for t in ticks], list(ticks))
                axes.minorticks_off()
        if panel.names:
            axes.set_yticks(range(len(panel.names))[::-1], list(panel.names))
        for at, name in panel.uprights:
            _upright(axes, at, name)
        for text, say in ((panel.x, axes.set_xlabel), (panel.y, axes.set_ylabel)):
            if text:
                say(write(text, **self._values))
        if panel.title:
            axes.set_title(write(panel.title, **self._values), fontsize=10)
        for ends, limit in ((panel.xlim, axes.set_xlim), (panel.ylim, axes.set_ylim)):
            if ends:
                limit(*ends)
        if panel.grid:
            axes.grid(color=panel.grid, lw=0.5)
        legend = panel.legend
        if legend is not None and legend.at is not None:
            where: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (legend.middle, legend.at)}
        elif legend is not None:
            where = {"loc": legend.place}
        else:
            return
        axes.legend(frameon=False, ncols=legend.columns, fontsize=legend.size, **where)


def _upright(axes: Axes, x: float, text: str) -> None:
    """A line at a value, with its name at the foot."""
    grey = GREY
    axes.axvline(x, color=grey, lw=0.9, ls="--", zorder=0)
    foot: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (3, 3), "textcoords": "offset points"}
    axes.annotate(text, (x, 0), fontsize=8.5, color=grey, **foot)
