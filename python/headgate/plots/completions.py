"""Completion times of the transfers of a run: their distribution by class, and their slowdown by size."""

from __future__ import annotations

import os
from itertools import cycle
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..base.errors import HeadgateError
from ..base.palette import COLOURS, GRID
from .canvas import Picture, blank, require

if TYPE_CHECKING:
    from ..results.results import Results

#: Maximum number of classes that are drawn; more could not be distinguished.
MOST = len(COLOURS)

#: Lines differ by these too, not by colour alone.
STYLES = ("-", "--", "-.", ":")


def completions(results: Results, path: str | os.PathLike[str] | None = None) -> Picture:
    """Draws completion times: on the left their cumulative distribution in each class, on the right the slowdown by size.

    Transfers that began after the warm-up, of all runs together. The slowdown is the completion time over the least possible one. Points
    are means over the sizes from a power of two to the next, and the upper end of a bar is their 99 % quantile.

    Args:
        results: of a scenario with the trace `completions`.
        path: a file, if one is to be written, in the form that its name ends in: svg, png or pdf.

    Raises:
        HeadgateError: no transfer is complete, or the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    require(path)
    rows, sizes = results.completions, results.sizes
    measured = rows["start_s"] >= _core.quantity(results.scenario["warm_up"])[2]
    classes = list(dict.fromkeys(rows["class"][measured].tolist()))[:MOST]
    if not classes:
        expected = 'expected traces = ["completions"] and flows whose workload is `transfer` or `requests`'
        raise HeadgateError(f"no complete transfer was recorded; {expected}")
    sheet = blank(9.6, 4.2)
    left, right = sheet.subplots(1, 2)
    for i, (name, colour, style) in enumerate(zip(classes, COLOURS, cycle(STYLES), strict=False)):
        times = np.sort(rows["fct_s"][measured & (rows["class"] == name)])
        left.step(
            times, np.arange(1, times.size + 1) / times.size, where="post", color=colour, ls=style, lw=1.3, label=name
        )
        own = sizes["class"] == name
        # Classes are drawn beside each other, not on top of each other.
        middle = np.sqrt(sizes["size_min"][own] * sizes["size_max"][own].astype(float)) * 1.06**i
        mean, high = sizes["slowdown_mean"][own], sizes["slowdown_p99"][own]
        # The quantile is exact to 3 %, so with a few transfers it may be below their mean.
        bars = [np.zeros_like(mean), np.maximum(high - mean, 0)]
        marker = "osD^v<>p*hX"[i % 11]
        right.errorbar(
            middle, mean, yerr=bars, color=colour, marker=marker, ms=4, ls=style, lw=1.0, capsize=2, label=name
        )
    for axes in (left, right):
        axes.set_xscale("log")
        axes.grid(color=GRID, lw=0.5)
        axes.legend(fontsize=8, frameon=False)
    left.set_xlabel("completion time (s)")
    left.set_ylabel("share of the transfers")
    left.set_ylim(0, 1)
    right.set_xlabel("size (packets)")
    right.set_ylabel("slowdown: mean, and bar up to the 99 % quantile")
    right.set_ylim(bottom=0)
    return Picture(sheet, path)
