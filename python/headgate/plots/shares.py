"""Goodput and queueing delay of each flow over time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import HeadgateError
from ..base.palette import COLOURS, GRID, INK, PALE
from ..base.units import scale_of
from ..results.groups import members_of
from ..results.metrics import GOODPUT
from ..stats.means import pooled
from .canvas import blank, require, save
from .content import DASHES, MARKERS

if TYPE_CHECKING:
    from ..results.results import Results

#: With more flows than this, each group of similar flows has one line.
MOST = len(COLOURS)


def shares(results: Results, path: str | os.PathLike[str]) -> Path:
    """Draws the goodput and the mean queueing delay of each flow in each interval of the first run into a file.

    Of many flows, each group of similar ones has one line: the goodput of all of them together, and the mean delay of their packets.

    Args:
        results: of a scenario; the lines have one point per interval.
        path: a file, written in the form that its name ends in: svg, png or pdf.

    Raises:
        HeadgateError: there are more groups of flows than colours, or the file cannot be written.
        MissingExtraError: matplotlib is not installed.
    """
    require(path)
    own = results.intervals["run"] == results.runs[0].run
    t: dict[str, Any] = {k: v[own].reshape(-1, results.flow_count) for k, v in results.intervals.columns.items()}
    names = t["flow"][0].tolist()
    lines = [(name, [i]) for i, name in enumerate(names)] if len(names) <= MOST else members_of(results)
    if len(lines) > MOST:
        raise HeadgateError(
            f"{path}: {len(lines)} kinds of flows; expected at most {MOST}: more lines could not be distinguished"
        )
    start, end = t["start_s"][:, 0], t["end_s"][:, 0]
    middle, warm = (start + end) / 2, float(end[t["warm_up"][:, 0] > 0].max(initial=0.0))
    ends = {"start_s": start, "end_s": end}
    rates = [GOODPUT({**ends, "unique_bytes": t["unique_bytes"][:, of].sum(axis=1)}) for _, of in lines]
    waits = [pooled(t["queueing_mean_s"][:, of], t["received"][:, of]) for _, of in lines]
    sheet = blank(8.4, 5.4)
    upper, lower = sheet.subplots(2, 1, sharex=True)
    for axes, series, unit, what in ((upper, rates, "bit/s", "goodput"), (lower, waits, "s", "queueing delay,\nmean")):
        factor, shown = scale_of(unit, np.concatenate(series))
        for i, ((name, of), values) in enumerate(zip(lines, series, strict=True)):
            label = name if len(of) == 1 else f"{name}\n({len(of)} flows{', total' if unit == 'bit/s' else ''})"
            axes.plot(
                middle, values * factor, color=COLOURS[i], ls=DASHES[i % len(DASHES)][0], lw=1.4,
                marker=MARKERS[i % len(MARKERS)][0], ms=3.5, markevery=(i, max(len(middle) // 12, 1)), label=label,
            )  # fmt: skip
        axes.set_ylabel(f"{what} ({shown})")
        axes.set_ylim(bottom=0)
        axes.margins(y=0.1)
        axes.grid(color=GRID, lw=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        if warm:
            axes.axvspan(0, warm, color=PALE, alpha=0.25, lw=0)
        axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=3.2)
    if warm:
        upper.text(
            warm / 2,
            1.0,
            "warm-up",
            transform=upper.get_xaxis_transform(),
            ha="center",
            va="bottom",
            fontsize=8,
            color=INK,
        )
    lower.set_xlabel("time (s)")
    lower.set_xlim(0, float(end[-1]))
    return save(sheet, path)
