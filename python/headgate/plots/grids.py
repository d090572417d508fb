"""Tables drawn as shades of grey, one panel beside another, with the number in each cell."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base.palette import GRID
from .canvas import Picture, blank

#: Inches of a cell, and of the names beside and below a panel.
_CELL = (0.82, 0.5)
_MARGIN = (1.3, 1.1)

#: Panels beside one another.
_COLUMNS = 3


@dataclass(frozen=True)
class Panel:
    """A table of numbers: its title, and a text for every cell; nan is left empty."""

    title: str
    values: Sequence[Sequence[float]]
    texts: Sequence[Sequence[str]]


def grids(
    panels: Sequence[Panel],
    rows: Sequence[str],
    columns: Sequence[str],
    title: str,
    labels: tuple[str, str] = ("A", "B"),
    limits: tuple[float, float] | None = None,
    path: str | os.PathLike[str] | None = None,
) -> Picture:
    """Draws tables with the same rows and columns in the same shades: the darker, the more.

    The shades are greys, so that print without colour and eyes that see none lose nothing; the numbers stand in the cells.

    Args:
        panels: a table each.
        rows: names of the rows.
        columns: names of the columns.
        title: of the whole.
        labels: what rows and columns are.
        limits: values of white and black; those of all tables unless given.
        path: a file to write it into.

    Raises:
        MissingExtraError: matplotlib is not installed.
        HeadgateError: the file cannot be written.
    """
    everything = np.array([panel.values for panel in panels], dtype=np.float64)
    known = everything[np.isfinite(everything)]
    low, high = limits or ((float(known.min()), float(known.max())) if known.size else (0.0, 1.0))
    wide = min(_COLUMNS, len(panels))
    tall = math.ceil(len(panels) / wide)
    width = wide * (_CELL[0] * len(columns) + _MARGIN[0])
    sheet = blank(max(width, 4.0), tall * (_CELL[1] * len(rows) + _MARGIN[1]) + 0.4)
    for number, panel in enumerate(panels):
        axes = sheet.add_subplot(tall, wide, number + 1)
        axes.set_facecolor(GRID)
        values = np.array(panel.values, dtype=np.float64)
        span = high - low if high > low else 1.0
        mesh = axes.pcolormesh(
            values, cmap="Greys", vmin=low - 0.05 * span, vmax=low + 1.25 * span, edgecolors="white", lw=1
        )
        axes.set_title(textwrap.fill(panel.title, 40), loc="left", fontsize=9)
        axes.set_xticks(np.arange(len(columns)) + 0.5, columns, fontsize=8)
        axes.set_yticks(np.arange(len(rows)) + 0.5, rows, fontsize=8)
        axes.tick_params(length=0)
        axes.invert_yaxis()
        axes.set_ylabel(labels[0], fontsize=8)
        axes.set_xlabel(labels[1], fontsize=8)
        if sum(len(name) for name in columns) > 12 * len(columns):
            axes.tick_params(axis="x", rotation=30)
        for (j, i), value in np.ndenumerate(values):
            grey = float(mesh.to_rgba(np.array([value]))[0][0]) if np.isfinite(value) else 1.0
            # Of black and white that which has the greater contrast (WCAG 2, relative luminance 0.179).
            dark = ((grey + 0.055) / 1.055) ** 2.4 < 0.179
            text = panel.texts[j][i]
            axes.text(i + 0.5, j + 0.5, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    sheet.suptitle(textwrap.fill(title, 110), x=0.01, ha="left", fontsize=10)
    return Picture(sheet, path)
