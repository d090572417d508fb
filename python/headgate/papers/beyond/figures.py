"""Figures of what lies beyond the thesis; means over the runs, bars as each figure says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...plots.canvas import blank
from ...stats import Mean
from .first_round import FAIR, ONE_QUEUE, PLACES, PP, ROUND_ROBIN, mean_completion
from .measures import LINE, SHORT_ROUND_TRIP, SIZES, Measured, outstanding
from .second_round import NEWCOMERS_R

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_RED, _BLUE, _GREEN, _VIOLET, _GREY = "#b3401f", "#1f5fa8", "#2f7d3b", "#7a4fa3", "#666666"


def sharing(m: Measured) -> Drawing:
    """What pairs read under each discipline, and what packet-pair gets beside others."""
    queues = (*ROUND_ROBIN, "drr 8", *ONE_QUEUE)
    y = np.arange(len(queues))[::-1]
    drawing = blank(9.6, 5.4)
    left, right = drawing.subplots(1, 2, sharey=True)
    for place, queue in zip(y, queues, strict=True):
        found = m.readings(f"share pp {queue}", FAIR, *PP)
        colour = _BLUE if queue in ROUND_ROBIN else _RED
        left.plot([found.quantile(0.05).mean, found.quantile(0.95).mean], [place, place], color=colour, lw=1.2)
        left.plot(found.median.mean, place, marker="o", ms=6, color=colour)
        for mix, flows, marker, shift, look in (
            ("jk", PP[:2], "s", 0.14, _GREEN),
            ("cbr", PP[:3], "D", -0.14, _VIOLET),
        ):
            rate = m.rate(f"share {mix} {queue}", *flows)
            _bar(right, rate.mean / FAIR, place + shift, rate, 1 / FAIR, look, marker)
    _upright(left, 1, "fair")
    _upright(left, 4, "the line")
    _upright(right, 1, "fair")
    left.set_yticks(y, queues)
    left.set_xlim(0, 4.6)
    right.set_xlim(left=-0.05)
    left.set_xlabel("what a pair reads / fair rate\n(4 pp_cth: median, nine of ten)")
    right.set_xlabel("throughput of a pp_cth source / fair rate\n(mean, 95 %)")
    for marker, look, label in (
        ("s", _GREEN, "2 pp_cth beside 2 jk_reno"),
        ("D", _VIOLET, "3 pp_cth beside a source at the line's rate"),
    ):
        right.plot([], [], ls="", marker=marker, ms=5, color=look, label=label)
    right.legend(frameon=False, fontsize=8.5, loc="upper center", bbox_to_anchor=(0.5, 1.14))
    return drawing


def quantum(m: Measured) -> Drawing:
    """DRR: part of the pairs that read the line, and the delay, against the quantum."""
    quanta = range(1, 9)
    drawing = blank(9.6, 3.8)
    left, right = drawing.subplots(1, 2)
    for q in quanta:
        part = m.readings(f"quantum {q}", FAIR, *PP).closer_than(1.05 / LINE)
        delay = m.queueing(f"quantum {q}", *PP)
        look, marker = (_BLUE, "o") if q % 2 else (_RED, "s")
        for axes, value in ((left, part), (right, delay)):
            axes.errorbar(q, value.mean, yerr=_half(value), marker=marker, ms=5, ls="", color=look, elinewidth=1)
    x = np.linspace(1, 8, 100)
    left.plot(x, 1 - 1 / x, color=_GREY, lw=1, ls="--", label="1 − 1/q")
    for look, marker, label in ((_BLUE, "o", "odd quantum"), (_RED, "s", "even: pairs stay aligned with turns")):
        left.plot([], [], ls="", marker=marker, ms=5, color=look, label=label)
    fcfs = m.queueing("quantum fcfs", *PP).mean
    right.axhline(fcfs, color=_GREY, lw=1, ls="--")
    right.annotate("FCFS", (1, fcfs), xytext=(0, 3), textcoords="offset points", fontsize=9, color=_GREY)
    left.set_ylabel("part of the pairs that read the line's rate")
    right.set_ylabel("queueing delay (s)")
    left.set_ylim(-0.03, 1.03)
    right.set_ylim(0, 1.15 * fcfs)
    left.legend(frameon=False, fontsize=9, loc="lower right")
    for axes in (left, right):
        axes.set_xlabel("quantum of DRR (packets)")
        axes.grid(color="#dddddd", lw=0.5)
    return drawing


def path(m: Measured) -> Drawing:
    """What pairs read where one gateway of the path is FCFS."""
    drawing = blank(7.2, 3.6)
    axes = drawing.add_subplot()
    y = np.arange(len(PLACES))[::-1]
    for cross, shift, look, marker in (("poisson", 0.12, _BLUE, "o"), ("bursts", -0.12, _RED, "s")):
        for place, at in zip(PLACES, y, strict=True):
            found = m.readings(f"path {cross} {place}", LINE / 2, "source1", "source2")
            axes.plot([found.quantile(0.05).mean, found.quantile(0.95).mean], [at + shift] * 2, color=look, lw=1.2)
            axes.plot(found.median.mean, at + shift, marker=marker, ms=6, color=look)
        label = {"poisson": "Poisson cross traffic", "bursts": "bursts at twice the hop's rate"}[cross]
        axes.plot([], [], color=look, marker=marker, ms=5, lw=1.2, label=label)
    axes.set_xscale("log")
    axes.set_xticks([0.5, 1, 2, 4, 8], ["0.5", "1", "2", "4", "8"])
    axes.minorticks_off()
    axes.set_xlim(0.4, 10)
    _upright(axes, 1, "fair")
    _upright(axes, 2, "the line")
    axes.set_ylim(-0.55, 3.4)
    axes.set_yticks(
        y, ["all are FQ", "FCFS before the bottleneck", "FCFS at the bottleneck", "FCFS after the bottleneck"]
    )
    axes.set_xlabel("what a pair reads / fair rate (median, nine of ten)")
    axes.legend(frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.4, 1.22), ncols=2)
    return drawing


def two_way(m: Measured) -> Drawing:
    """Distribution of what pairs read, data going one way or both."""
    drawing = blank(7.2, 4.2)
    axes = drawing.add_subplot()
    for variant, label, look, line in (
        ("one-way none fq", "FQ, data one way", _BLUE, ":"),
        ("both 40 fq", "FQ, data both ways", _BLUE, "-"),
        ("one-way none fcfs", "FCFS, data one way", _RED, ":"),
        ("both 40 fcfs", "FCFS, data both ways", _RED, "-"),
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
    axes.set_xscale("log")
    axes.set_xlim(0.4, 900)
    axes.set_xticks([0.5, 1, 2, 5, 10, 50, 100, 500], ["0.5", "1", "2", "5", "10", "50", "100", "500"])
    axes.minorticks_off()
    axes.axvspan(2.1, 900, color="#f4ece9", zorder=0)
    axes.text(2.4, 0.45, "more than the line can carry:\nacknowledgements were bunched", fontsize=9, color=_GREY)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("what a pair reads / fair rate (the line is 2)")
    axes.set_ylabel("part of the pairs that read less")
    axes.grid(color="#dddddd", lw=0.5)
    axes.legend(frameon=False, fontsize=9, loc="center right")
    return drawing


def short(m: Measured) -> Drawing:
    """Completion time of short transfers against their size."""
    drawing = blank(9.6, 4.2)
    for axes, queue in zip(drawing.subplots(1, 2, sharey=True), ("fq", "fcfs"), strict=True):
        for control, look, marker in (("pp_cth", _RED, "o"), ("jk_reno", _BLUE, "s"), ("generic", _GREEN, "^")):
            found = [mean_completion(m, control, queue, size) for size in SIZES]
            y = [f.mean for f in found]
            axes.errorbar(
                SIZES, y, yerr=[_half(f) for f in found], color=look, marker=marker, ms=5, lw=1.2, label=control
            )
        if queue == "fq":
            # A third of 100 packets/s.
            ideal = [SHORT_ROUND_TRIP + (size - 1) * 0.03 for size in SIZES]
            axes.plot(SIZES, ideal, color=_GREY, ls=":", lw=1.2, label="a round trip at the fair rate")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(SIZES, [str(s) for s in SIZES])
        axes.set_yticks([0.2, 0.5, 1, 2, 5, 10, 20, 50], ["0.2", "0.5", "1", "2", "5", "10", "20", "50"])
        axes.minorticks_off()
        axes.set_xlabel("size of the transfer (packets)")
        axes.set_title(queue.upper(), fontsize=10)
        axes.grid(color="#dddddd", lw=0.5)
        axes.legend(frameon=False, fontsize=9, loc="upper left")
        if queue == "fq":
            axes.set_ylabel("completion time (s; mean, 95 %)")
    return drawing


def starts(m: Measured) -> Drawing:
    """Throughput of sources that start 100 s apart, in the base run, and what the corrected theory says of FCFS."""
    drawing = blank(9.6, 3.8)
    flows, names = PP[:3], ("first to start", "second", "third")
    due = outstanding(NEWCOMERS_R, 3)
    for axes, queue in zip(drawing.subplots(1, 2, sharey=True), ("fq", "fcfs"), strict=True):
        for k, (name, look, line) in enumerate(zip(names, (_RED, _BLUE, _GREEN), ("-", "--", "-."), strict=True)):
            got = m.runs.intervals(f"newcomers short {queue}", "unique", flows[k])
            time = 10 * np.arange(got.size) + 5
            begun = time > 100 * k
            axes.plot(time[begun], got[begun], color=look, ls=line, lw=1.2, label=name)
            if queue == "fcfs":
                axes.plot(605, LINE * due[k] / due.sum(), marker="<", ms=7, color=look, clip_on=False)
        axes.set_title(queue.upper() + (" (triangles: predicted)" if queue == "fcfs" else ""), fontsize=10)
        axes.set_xlabel("time (s)")
        axes.set_xlim(0, 600)
        axes.set_ylim(0, 10.5)
        axes.grid(color="#dddddd", lw=0.5)
        if queue == "fq":
            axes.set_ylabel("throughput (packets/s)")
            axes.legend(frameon=False, fontsize=9, loc="upper right")
    return drawing


def _half(value: Mean) -> float:
    return 0.0 if np.isnan(value.half) else value.half


def _bar(axes: Axes, x: float, y: float, value: Mean, scale: float, colour: str, marker: str) -> None:
    axes.errorbar(x, y, xerr=_half(value) * scale, color=colour, marker=marker, ms=4.5, elinewidth=1)


def _upright(axes: Axes, x: float, text: str) -> None:
    """A line at a value, with its name at the foot."""
    axes.axvline(x, color=_GREY, lw=0.9, ls="--", zorder=0)
    axes.annotate(
        text,
        (x, 0),
        xycoords=("data", "axes fraction"),
        xytext=(3, 3),
        textcoords="offset points",
        fontsize=8.5,
        color=_GREY,
    )
