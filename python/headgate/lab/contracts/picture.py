"""The figure of a contract: rate by delay, rate by loss, and what a delay of one flow does to two."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ...base.palette import BLUE, GREY, VERMILION
from ...plots.canvas import Picture, blank
from .places import DEEP, FROM
from .result import Contract

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw(found: Contract) -> Picture:
    """Draws three panels.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    sheet = blank(10.4, 3.6)
    first, second, third = sheet.subplots(1, 3)
    _delay(first, found)
    _loss(second, found)
    _starving(third, found)
    for axes in (first, second, third):
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(lambda *_: "")
    sheet.suptitle(f"The contract of {found.control}", fontsize=10, x=0.01, ha="left")
    return Picture(sheet)


def _delay(axes: Axes, found: Contract) -> None:
    kinds = ((1, 1.0, GREY, "s"), (2, FROM[0], BLUE, "o"), (2, FROM[1], VERMILION, "^"))
    for flows, before, colour, marker in kinds:
        chosen = [p for p in found.delays if (p.flows, p.before, p.buffer) == (flows, before, DEEP) and p.mean > 0]
        points = sorted(chosen, key=lambda p: p.line)
        x = [1e3 * p.mean for p in points]
        y = [p.goodput / 1e6 for p in points]
        spread = [[max(0.0, 1e3 * (p.mean - p.p5)) for p in points], [max(0.0, 1e3 * (p.p95 - p.mean)) for p in points]]
        name = "one flow" if flows == 1 else f"each of two, from {'lower' if before < 1 else 'higher'} rates"
        axes.errorbar(x, y, xerr=spread, color=colour, marker=marker, ms=4, lw=1.2, elinewidth=0.8, label=name)
        drifting = [i for i, p in enumerate(points) if not p.settled]
        axes.plot(
            [x[i] for i in drifting], [y[i] for i in drifting], ls="", color=colour, mfc="white", marker=marker, ms=4
        )
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="wait in the queue (ms)\nmean and 5 to 95 %; hollow: drifts",
        ylabel="goodput (Mbit/s)",
    )
    axes.legend(fontsize=7.5, frameon=False)


def _loss(axes: Axes, found: Contract) -> None:
    for p in found.losses:
        x, y = [p.loss] * len(p.goodput), [g / 1e6 for g in p.goodput]
        axes.plot(x, y, "o", mfc=BLUE if p.counts else "white", mec=BLUE, ms=4.5)
    counted = [p for p in found.losses if p.counts]
    if found.law is not None and counted:
        middle = counted[len(counted) // 2]
        mean = sum(middle.goodput) / len(middle.goodput) / 1e6
        ends = [counted[0].loss, counted[-1].loss]
        law = [mean * (x / middle.loss) ** found.law.exponent for x in ends]
        axes.plot(
            ends, law, color=VERMILION, lw=1.4, ls="--", label=f"theory: p to the power of {found.law.exponent:g}"
        )
        axes.legend(fontsize=7.5, frameon=False)
    axes.set(xscale="log", yscale="log", xlabel="loss rate\nfilled: counted for the slope", ylabel="goodput (Mbit/s)")


def _starving(axes: Axes, found: Contract) -> None:
    axes.plot(
        [1e3 * d for d, _ in found.ratios],
        [r for _, r in found.ratios],
        color=BLUE,
        marker="o",
        ms=4,
        lw=1.2,
        label="runs",
    )
    axes.axhline(found.ratio, color=GREY, lw=0.9, ls=":")
    if found.predicted is not None and math.isfinite(found.predicted):
        axes.axvline(1e3 * found.predicted, color=VERMILION, lw=1.4, ls="--", label="predicted")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="delay of one flow alone (ms)",
        ylabel="goodput of the other flow over its own",
    )
    axes.legend(fontsize=7.5, frameon=False)
