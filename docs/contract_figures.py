"""Figures of many contracts: waits by rate, rates by loss, and predictions beside what was seen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from headgate.analysis.tcp import cubic_window, mathis_window
from headgate.base.palette import BLUE, COLOURS, GREY, GRID, INK, PALE, VERMILION
from headgate.lab.contracts.laws import exponent
from headgate.lab.contracts.places import DEEP, FROM
from headgate.lab.contracts.result import Contract
from headgate.lab.contracts.run import DELAYS, LOSS_RTT, RTT
from headgate.lab.frame.places import PACKET
from headgate.plots.canvas import Picture, blank
from headgate.plots.content import DASHES, MARKERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: An exponent halfway between that of a number of packets, -1, and that of a time, 0; and of losses, between -0.5 and 0.
_MIDDLE, _FALLS = -0.5, -0.25

#: Distance of two labels, as a share of the height of a panel.
_GAP = 0.042

Line = tuple[str, list[float], list[float]]


def draw_delays(contracts: Sequence[Contract]) -> Picture:
    """Waits in equilibrium by the rate of each of two flows; a bar is from the wait reached from lower rates to that from higher ones.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    kinds = {
        "the wait falls with the rate": [c for c in contracts if not c.fills and c.delay_slope < _MIDDLE],
        "it depends less on the rate": [c for c in contracts if not c.fills and not c.delay_slope < _MIDDLE],
        "any buffer is filled": [c for c in contracts if c.fills],
    }
    sheet = blank(10.4, 4.6)
    for axes, (title, own) in zip(sheet.subplots(1, 3, sharey=True), kinds.items(), strict=True):
        axes.set(xscale="log", yscale="log", xlim=(0.8, 60), ylim=(0.2, 700))
        _frame(axes, title, "goodput of each flow (Mbit/s)")
        _packets(axes, axes is sheet.axes[0])
        if title == "any buffer is filled":
            axes.axhline(1e3 * DEEP * RTT, color=GREY, lw=0.9, ls="--")
            axes.text(0.9, 1.12e3 * DEEP * RTT, "the whole buffer", fontsize=7, color=GREY)
        _lines(axes, [_waits(axes, i, c) for i, c in enumerate(own)])
    sheet.axes[0].set_ylabel("wait in the queue (ms)", fontsize=9)
    return Picture(sheet)


def _waits(axes: Axes, number: int, found: Contract) -> Line:
    """Draws the bars and the hollow markers of a contract; gives its line."""
    colour, marker, _ = _look(number)
    x, y = [], []
    for p, q in zip(*(found.pairs(before) for before in FROM), strict=True):
        if not (p.goodput > 0 and q.goodput > 0 and p.mean > 0 and q.mean > 0):
            continue
        at = math.sqrt(p.goodput * q.goodput) / 1e6
        least, greatest = sorted((1e3 * p.mean, 1e3 * q.mean))
        x.append(at)
        y.append(math.sqrt(least * greatest))
        axes.plot([at, at], [least, greatest], color=colour, lw=3.5, alpha=0.35, solid_capstyle="butt")
        if not (p.settled and q.settled):
            axes.plot([at], [y[-1]], ls="", marker=marker, ms=4.5, mfc="white", mec=colour, zorder=4)
    return found.control, x, y


def _packets(axes: Axes, named: bool) -> None:
    """Where each flow has the same number of packets in the queue."""
    low, high = axes.get_xlim()
    for packets in (1, 10, 100):
        at = [packets * 8e3 * PACKET / (rate * 1e6) for rate in (low, high)]
        axes.plot([low, high], at, color=PALE, lw=0.7, ls=(0, (1, 3)), zorder=0)
        # At the right, where there is room below the lines.
        x = high / 1.15
        y = packets * 8e3 * PACKET / (x * 1e6)
        if named and y > axes.get_ylim()[0]:
            axes.text(
                x, y, f"{packets} packet{'s' if packets > 1 else ''} ", fontsize=6.5, color=GREY, ha="right", va="bottom",
                rotation=math.degrees(math.atan2(-y, x)), rotation_mode="anchor", transform_rotates_text=True,
            )  # fmt: skip


def draw_losses(contracts: Sequence[Contract]) -> Picture:
    """Goodput by loss rate; where theory has a law, the law itself, not fitted. Hollow: does not count for the exponent.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    lawless = [c for c in contracts if c.law is None]
    kinds = {
        "theory has a law": [c for c in contracts if c.law is not None],
        "losses cost much": [c for c in lawless if _fall(c) < _FALLS],
        "losses cost little": [c for c in lawless if not _fall(c) < _FALLS],
    }
    sheet = blank(10.4, 4.6)
    for axes, (title, own) in zip(sheet.subplots(1, 3, sharey=True), kinds.items(), strict=True):
        axes.set(xscale="log", yscale="log", xlim=(1.4e-5, 4.5e-2), ylim=(5e-2, 3e2))
        _frame(axes, title, "loss rate")
        _theory(axes, title == "theory has a law")
        _lines(axes, [_rates(axes, i, c) for i, c in enumerate(own)])
    sheet.axes[0].set_ylabel("goodput (Mbit/s)", fontsize=9)
    return Picture(sheet)


def _fall(found: Contract) -> float:
    """The exponent over all loss rates, whether the law is to hold there or not."""
    means = [max(sum(p.goodput) / len(p.goodput), 1.0) for p in found.losses]
    return exponent([p.loss for p in found.losses], means)


def _rates(axes: Axes, number: int, found: Contract) -> Line:
    colour, marker, _ = _look(number)
    y = [max(sum(p.goodput) / len(p.goodput), 1.0) / 1e6 for p in found.losses]
    if found.law is not None:
        hollow = [(p.loss, rate) for p, rate in zip(found.losses, y, strict=True) if not p.counts]
        x = [loss for loss, _ in hollow]
        axes.plot(x, [rate for _, rate in hollow], ls="", marker=marker, ms=4.5, mfc="white", mec=colour, zorder=4)
    return found.control, [p.loss for p in found.losses], y


def _theory(axes: Axes, labelled: bool) -> None:
    """Reno's law and, below the loss rate at which Reno's window is the greater one, CUBIC's."""
    bits = 8e-6 * PACKET / LOSS_RTT
    x = [10 ** (-4.8 + 0.02 * k) for k in range(170)]
    laws = [("slope -1/2: Mathis et al. 1997", [(p, bits * mathis_window(p)) for p in x], "--")]
    if labelled:
        laws += [("slope -3/4: RFC 9438", [(p, bits * cubic_window(p, LOSS_RTT)) for p in x if p < 6e-4], ":")]
    for name, points, dash in laws:
        axes.plot(*zip(*points, strict=True), color=INK, lw=1.2, ls=dash, zorder=1, label=name)
    axes.legend(fontsize=7, frameon=False, loc="lower left")


def draw_predictions(contracts: Sequence[Contract]) -> Picture:
    """Of each control with a prediction, or with what it did not predict: the delay that starves, predicted and seen.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    own = [c for c in contracts if c.verdict != "none predicted, none seen"]
    own.sort(key=lambda c: (c.predicted is None, c.predicted or 0.0, c.control))
    sheet = blank(7.6, 1.3 + 0.27 * len(own))
    axes = sheet.subplots()
    axes.set(xscale="log", xlim=(0.4, 420), ylim=(len(own) - 0.4, -0.6))
    _frame(axes, "", "delay of one of two flows alone (ms)")
    axes.axvspan(1e3 * DELAYS[-1], 420, color=GRID, alpha=0.6, lw=0)
    axes.text(1.04e3 * DELAYS[-1], -0.75, "not tried", fontsize=7, color=GREY)
    for row, found in enumerate(own):
        _prediction(axes, row, found)
    axes.set_yticks(range(len(own)), [c.control for c in own], fontsize=8)
    axes.grid(axis="y", visible=False)
    axes.plot([], [], ls="", marker="D", ms=5, mfc="white", mec=VERMILION, label="predicted, and a factor of two")
    axes.plot([], [], color=BLUE, lw=5, solid_capstyle="butt", label="seen")
    axes.plot([], [], color=BLUE, ls="", marker=">", ms=6, label="none seen")
    sheet.legend(loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    return Picture(sheet)


def _prediction(axes: Axes, row: int, found: Contract) -> None:
    if found.seen is not None:
        axes.plot([1e3 * d for d in found.seen], [row, row], color=BLUE, lw=5, solid_capstyle="butt", zorder=2)
    else:
        axes.plot([1e3 * found.ratios[-1][0]], [row], color=BLUE, ls="", marker=">", ms=6, zorder=2)
    if found.predicted is not None:
        x = 1e3 * found.predicted
        axes.plot([x / 2, 2 * x], [row, row], color=VERMILION, lw=1.1, zorder=3)
        axes.plot([x], [row], ls="", marker="D", ms=5, mfc="white", mec=VERMILION, zorder=4)
    else:
        axes.text(0.43, row, "none predicted", fontsize=7, va="center", color=GREY)
    axes.text(1.02, row, found.verdict, transform=axes.get_yaxis_transform(), fontsize=7.5, va="center", color=INK)


def _frame(axes: Axes, title: str, x: str) -> None:
    axes.set_title(title, loc="left", fontsize=9)
    axes.set_xlabel(x, fontsize=9)
    axes.grid(color=GRID, lw=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(lambda value, _: f"{value:g}")


def _look(number: int) -> tuple[str, str, str]:
    """Colour, marker and dashes: no two are alike, and none relies on its colour."""
    return (
        COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)][0], DASHES[number % len(DASHES)][0]
    )  # fmt: skip


def _lines(axes: Axes, lines: Sequence[Line]) -> None:
    """Draws lines with their names at their right ends, spread where these are close."""
    drawn = [(i, line) for i, line in enumerate(lines) if line[1]]
    for i, (_, x, y) in drawn:
        colour, marker, dash = _look(i)
        axes.plot(x, y, color=colour, marker=marker, ls=dash, ms=4.5, lw=1.2, zorder=3)
    low, high = (math.log10(v) for v in axes.get_ylim())
    drawn.sort(key=lambda line: line[1][2][-1])
    heights = spread([(math.log10(y[-1]) - low) / (high - low) for _, (_, _, y) in drawn], _GAP)
    for (i, (name, x, y)), height in zip(drawn, heights, strict=True):
        axes.annotate(
            name, (x[-1], y[-1]), (1.03, height), textcoords="axes fraction", fontsize=7, color=_look(i)[0], va="center",
            arrowprops={"arrowstyle": "-", "color": _look(i)[0], "lw": 0.5, "shrinkA": 0, "shrinkB": 3}, annotation_clip=False,
        )  # fmt: skip


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Rising heights moved as little as possible, in squares, so that each is at least `gap` above the one before.

    >>> [round(h, 3) for h in spread([0.1, 0.1, 0.5], 0.1)]
    [0.05, 0.15, 0.5]
    """
    groups: list[list[float]] = []
    for i, height in enumerate(heights):
        groups.append([height - i * gap])
        while len(groups) > 1 and _mean(groups[-2]) > _mean(groups[-1]):
            groups[-2:] = [groups[-2] + groups[-1]]
    flat = [mean for group in groups for mean in [_mean(group)] * len(group)]
    return [mean + i * gap for i, mean in enumerate(flat)]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
