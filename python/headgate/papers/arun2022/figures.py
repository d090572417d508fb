"""Both flows of each experiment beside what the paper has: its numbers, and for Copa the formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import BLACK, BLUE, GREY, VERMILION
from ..claims import Runs
from ..formulas.starvation import shared_with_error
from ..sheets import Sheets
from .claims import COPA_QUEUE, ERRORS, LINE, copa_pair, ratio

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: Name, colour, mark and dashes of each flow.
FLOWS = {"f1": ("first flow", BLUE, "o", "-"), "f2": ("second flow", VERMILION, "s", "--")}

#: Mbit/s of the line of figure 7.
SLOW = 6.0

#: The paper's numbers: a filled mark, for the first flow and the second one.
PAPER = {"f1": "*", "f2": "P"}


def printed(runs: Runs) -> dict[tuple[str, str], float]:
    """The paper's numbers by variant and flow; no flow where a number is of both."""
    return {(n.row, n.source): n.value for n in runs.item.numbers if n.value is not None}


def copa(runs: Runs) -> Drawing:
    """Two flows of Copa against the error of the first one, with the formula."""
    sheet = SHEETS.open("copa")
    (axes,) = sheet.axes
    smooth = np.geomspace(0.2, 5, 200)
    said = np.array([shared_with_error(COPA_QUEUE, LINE, e / 1000) for e in smooth]) / 1e6
    got = np.array([copa_pair(runs, e) for e in ERRORS])
    paper = printed(runs)
    for k, (flow, (name, colour, mark, dashes)) in enumerate(FLOWS.items()):
        axes.plot(smooth, said[:, k], color=colour, ls=dashes, lw=1.2, label=f"{name}, formula")
        axes.plot(ERRORS, got[:, k], color=colour, marker=mark, mfc="white", ms=7, ls="", label=f"{name}, run")
        if ("two", flow) in paper:
            axes.plot(
                1, paper["two", flow], color=BLACK, marker=PAPER[flow], ms=10, mew=0.5, ls="", label=f"{name}, paper"
            )
    return sheet.done()


def _over_time(axes: Axes, runs: Runs, variant: str) -> None:
    """Rates of both flows in each interval."""
    for flow, (name, colour, _, dashes) in FLOWS.items():
        got = runs.intervals(variant, "rate", flow)
        at = (np.arange(got.size) + 0.5) * runs.end / got.size
        label = name + (", acknowledgements of four packets" if flow == "f1" else "")
        axes.plot(at, got, color=colour, ls=dashes, lw=1.2, label=label)


def figure_7(runs: Runs) -> Drawing:
    """Rates against time: Reno and Cubic, where all start at once and at the first random start."""
    sheet = SHEETS.open("figure-7")
    paper = printed(runs)
    for k, of in enumerate((runs.all_at_once(), runs)):
        for axes, control in zip(sheet.axes[2 * k :], ("Reno", "Cubic"), strict=False):
            _over_time(axes, of, control)
            shares = SLOW / (1 + paper[control, ""]) * np.array([1, paper[control, ""]])
            for y, label in zip(shares, ("the paper's ratio, on a full line", ""), strict=True):
                axes.axhline(y, color=GREY, lw=1.1, ls=":", label=label)
    return sheet.done()


def ratios(runs: Runs) -> Drawing:
    """The ratio of the flows at each start beside the paper's."""
    sheet = SHEETS.open("ratios")
    (axes,) = sheet.axes
    paper, together = printed(runs), runs.all_at_once()
    for k, control in enumerate(("Reno", "Cubic")):
        got, even = ratio(runs, control), ratio(runs, f"{control}, both at once")
        for at, values, colour, mark, size, label in (
            (-0.15, [paper[control, ""]], BLACK, "*", 11, "paper"),
            (-0.05, ratio(together, control), VERMILION, "s", 7, "ours, all start at once"),
            (0.05, got, BLUE, "o", 6, "ours, random starts"),
            (0.15, even, GREY, "x", 6, "ours, both acknowledged at once"),
        ):
            mfc = BLACK if label == "paper" else "none"
            x = np.full(len(values), k + at)
            axes.plot(x, values, color=colour, marker=mark, mfc=mfc, ms=size, ls="", label="" if k else label)
    axes.axhline(1, color=GREY, lw=0.9, ls="--", zorder=0)
    axes.set_xticks(range(2), ["Reno", "Cubic"])
    axes.set_xlim(-0.5, 1.5)
    return sheet.done()


def pairs(runs: Runs) -> Drawing:
    """Both flows of every variant, the mean over the starts with bars from the least to the greatest one, beside the paper's numbers."""
    sheet = SHEETS.open(runs.item.name)
    (axes,) = sheet.axes
    names, paper = [v.name for v in runs.item.variants if not v.name.endswith("alone")], printed(runs)
    rows = np.arange(len(names))[::-1]
    for shift, (flow, (name, colour, mark, _)) in zip((0.12, -0.12), FLOWS.items(), strict=True):
        got = np.array([runs.over(v, "throughput", flow)[:, 0] for v in names])
        mean = got.mean(axis=1)
        # A mean may be one rounding beyond its only value.
        bars = np.maximum(0, [mean - got.min(axis=1), got.max(axis=1) - mean])
        axes.errorbar(
            mean, rows + shift, xerr=bars, color=colour, marker=mark, mfc="white", ls="", ms=7, label=f"{name}, ours"
        )
        known = [(paper[v, flow], y) for v, y in zip(names, rows + shift, strict=True) if (v, flow) in paper]
        if known:
            axes.plot(*zip(*known, strict=True), color=BLACK, marker=PAPER[flow], ms=9, ls="", label=f"{name}, paper")
    axes.set_yticks(rows, names)
    axes.set_ylim(-0.5, len(names) - 0.5)
    return sheet.done()


DRAWINGS: dict[str, dict[str, Callable[[Runs], Drawing]]] = {
    "copa": {"copa": copa},
    "bbr": {"bbr": pairs},
    "vivace": {"vivace": pairs},
    "delayed-acks": {"figure-7": figure_7, "ratios": ratios},
    "allegro": {"allegro": pairs},
}
