"""Figures of what lies beyond the thesis; means over the runs, bars as each figure says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import BLUE, GREEN, GREY, PURPLE, VERMILION
from ...stats import Mean
from ..sheets import Sheets
from .measures import LINE, SHORT_ROUND_TRIP, SIZES, Measured, outstanding
from .predictions import FAIR, ONE_QUEUE, PLACES, PP, ROUND_ROBIN, mean_completion
from .retests import NEWCOMERS_R

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)


def sharing(m: Measured) -> Drawing:
    """What pairs read under each discipline, and what packet-pair gets beside others."""
    queues = (*ROUND_ROBIN, "drr 8", *ONE_QUEUE)
    y = np.arange(len(queues))[::-1]
    sheet = SHEETS.open("sharing")
    left, right = sheet.axes
    for place, queue in zip(y, queues, strict=True):
        found = m.readings(f"share pp {queue}", FAIR, *PP)
        colour, mark = (BLUE, "o") if queue in ROUND_ROBIN else (VERMILION, "X")
        left.plot([found.quantile(0.05).mean, found.quantile(0.95).mean], [place, place], color=colour, lw=1.2)
        left.plot(found.median.mean, place, marker=mark, ms=6, color=colour)
        for mix, flows, marker, shift, look in (
            ("jk", PP[:2], "s", 0.14, GREEN),
            ("cbr", PP[:3], "D", -0.14, PURPLE),
        ):
            rate = m.rate(f"share {mix} {queue}", *flows)
            _bar(right, rate.mean / FAIR, place + shift, rate, 1 / FAIR, look, marker)
    for marker, look, label in (
        ("s", GREEN, "2 pp_cth beside 2 jk_reno"),
        ("D", PURPLE, "3 pp_cth beside a source at the line's rate"),
    ):
        right.plot([], [], ls="", marker=marker, ms=5, color=look, label=label)
    return sheet.done()


def quantum(m: Measured) -> Drawing:
    """DRR: part of the pairs that read the line, and the delay, against the quantum."""
    quanta = range(1, 9)
    sheet = SHEETS.open("quantum")
    left, right = sheet.axes
    for q in quanta:
        part = m.readings(f"quantum {q}", FAIR, *PP).closer_than(1.05 / LINE)
        delay = m.queueing(f"quantum {q}", *PP)
        look, marker = (BLUE, "o") if q % 2 else (VERMILION, "s")
        for axes, value in ((left, part), (right, delay)):
            axes.errorbar(q, value.mean, yerr=_half(value), marker=marker, ms=5, ls="", color=look, elinewidth=1)
    x = np.linspace(1, 8, 100)
    left.plot(x, 1 - 1 / x, color=GREY, lw=1, ls="--", label="1 − 1/q")
    for look, marker, label in ((BLUE, "o", "odd quantum"), (VERMILION, "s", "even: pairs stay aligned with turns")):
        left.plot([], [], ls="", marker=marker, ms=5, color=look, label=label)
    fcfs = m.queueing("quantum fcfs", *PP).mean
    right.axhline(fcfs, color=GREY, lw=1, ls="--")
    right.annotate("FCFS", (1, fcfs), xytext=(0, 3), textcoords="offset points", fontsize=9, color=GREY)
    right.set_ylim(0, 1.15 * fcfs)
    return sheet.done()


def path(m: Measured) -> Drawing:
    """What pairs read where one gateway of the path is FCFS."""
    sheet = SHEETS.open("path")
    (axes,) = sheet.axes
    y = np.arange(len(PLACES))[::-1]
    for cross, shift, look, marker in (("poisson", 0.12, BLUE, "o"), ("bursts", -0.12, VERMILION, "s")):
        for place, at in zip(PLACES, y, strict=True):
            found = m.readings(f"path {cross} {place}", LINE / 2, "source1", "source2")
            axes.plot([found.quantile(0.05).mean, found.quantile(0.95).mean], [at + shift] * 2, color=look, lw=1.2)
            axes.plot(found.median.mean, at + shift, marker=marker, ms=6, color=look)
        label = {"poisson": "Poisson cross traffic", "bursts": "bursts at twice the hop's rate"}[cross]
        axes.plot([], [], color=look, marker=marker, ms=5, lw=1.2, label=label)
    return sheet.done()


def two_way(m: Measured) -> Drawing:
    """Distribution of what pairs read, data going one way or both."""
    sheet = SHEETS.open("two-way")
    (axes,) = sheet.axes
    for variant, label, look, line in (
        ("one-way none fq", "FQ, data one way", BLUE, ":"),
        ("both 40 fq", "FQ, data both ways", BLUE, "-"),
        ("one-way none fcfs", "FCFS, data one way", VERMILION, ":"),
        ("both 40 fcfs", "FCFS, data both ways", VERMILION, "-"),
    ):
        found = m.readings(f"two-way {variant}", LINE / 2, "east1", "east2")
        x = np.sort(1 / np.concatenate(found.spacings)) / found.fair
        axes.step(
            np.concatenate([[0.2], x, [900]]),
            np.linspace(0, 1, x.size + 2),
            where="post",
            color=look,
            ls=line,
            label=label,
        )
    axes.axvspan(2.1, 900, color="#f4ece9", zorder=0)
    axes.text(2.4, 0.45, "more than the line can carry:\nacknowledgements were bunched", fontsize=9, color=GREY)
    return sheet.done()


def short(m: Measured) -> Drawing:
    """Completion time of short transfers against their size."""
    sheet = SHEETS.open("short")
    for axes, queue in zip(sheet.axes, ("fq", "fcfs"), strict=True):
        for control, look, marker in (("pp_cth", VERMILION, "o"), ("jk_reno", BLUE, "s"), ("generic", GREEN, "^")):
            found = [mean_completion(m, control, queue, size) for size in SIZES]
            y = [f.mean for f in found]
            axes.errorbar(
                SIZES, y, yerr=[_half(f) for f in found], color=look, marker=marker, ms=5, lw=1.2, label=control
            )
        if queue == "fq":
            # A third of 100 packets/s.
            ideal = [SHORT_ROUND_TRIP + (size - 1) * 0.03 for size in SIZES]
            axes.plot(SIZES, ideal, color=GREY, ls=":", lw=1.2, label="a round trip at the fair rate")
    return sheet.done()


def starts(m: Measured) -> Drawing:
    """Throughput of sources that start 100 s apart, in the base run, and what the corrected theory says of FCFS."""
    sheet = SHEETS.open("starts")
    flows, names = PP[:3], ("first to start", "second", "third")
    due = outstanding(NEWCOMERS_R, 3)
    for axes, queue in zip(sheet.axes, ("fq", "fcfs"), strict=True):
        for k, (name, look, line) in enumerate(zip(names, (VERMILION, BLUE, GREEN), ("-", "--", "-."), strict=True)):
            got = m.runs.intervals(f"newcomers short {queue}", "unique", flows[k])
            time = 10 * np.arange(got.size) + 5
            begun = time > 100 * k
            axes.plot(time[begun], got[begun], color=look, ls=line, lw=1.2, label=name)
            if queue == "fcfs":
                axes.plot(605, LINE * due[k] / due.sum(), marker="<", ms=7, color=look, clip_on=False)
    return sheet.done()


def _half(value: Mean) -> float:
    return 0.0 if np.isnan(value.half) else value.half


def _bar(axes: Axes, x: float, y: float, value: Mean, scale: float, colour: str, marker: str) -> None:
    # A throughput is not below 0, whatever the interval says.
    half = _half(value) * scale
    axes.errorbar(x, y, xerr=[[min(half, x)], [half]], color=colour, marker=marker, ms=4.5, elinewidth=1)


DRAWINGS = {
    "sharing": sharing,
    "quantum": quantum,
    "path": path,
    "two-way": two_way,
    "short": short,
    "starts": starts,
}
