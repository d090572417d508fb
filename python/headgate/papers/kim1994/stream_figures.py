"""Figures 1 to 3: windows of a BLT stream, and when they are sent, beside TCP's in slow start."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import GREY, INK, VERMILION
from ..sheets import Sheets

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from .packets import Stream

SHEETS = Sheets(__file__)

#: Priority numbers that are told apart.
LEVELS = 8


def shade(k: int) -> tuple[float, float, float]:
    """The colour of a priority number: the lower the priority is, the lighter."""
    dark, light = np.array([0.03, 0.12, 0.35]), np.array([0.62, 0.82, 0.96])
    red, green, blue = dark + (light - dark) * min(k, LEVELS - 1) / (LEVELS - 1)
    return float(red), float(green), float(blue)


def structure(s: Stream) -> Drawing:
    """Figure 1, by its rule, and figure 2, from the packets of a run."""
    sheet = SHEETS.open("structure")
    concept, actual = sheet.axes
    q, last = int(s.seq.max()), int(s.priority.max())
    for k in range(last + 2):
        size = min(2**k, q + 1)
        concept.barh(k, size, left=-0.5, height=0.7, color=shade(k), edgecolor=INK, lw=0.5)
        _say(concept, size, k, f"{size} packet{'s' * (size > 1)}")
    for k in range(last + 1):
        mine = np.sort(s.seq[s.priority == k])
        actual.barh(
            np.full(len(mine), k),
            np.ones(len(mine)),
            left=mine - 0.5,
            height=0.7,
            color=shade(k),
            edgecolor=INK,
            lw=0.5,
        )
        _say(actual, mine.max() + 1, k, f"{len(mine)} packet{'s' * (len(mine) > 1)}")
    for axes, name, rows in ((concept, "W", last + 2), (actual, "W'", last + 1)):
        axes.set_yticks(range(rows), [f"{name}{k}" for k in range(rows)])
        axes.set_ylim(rows - 0.4, -0.6)
    return sheet.done()


def _say(axes: Axes, x: float, y: float, text: str) -> None:
    axes.annotate(text, (x - 0.5, y), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5, color=INK)


def over_time(tcp: Stream, blt: Stream, lost: Stream) -> Drawing:
    """Figure 3: TCP in slow start and BLT with all of the rate, and BLT where S1 discards a part."""
    sheet = SHEETS.open("over-time")
    for axes, s, levels in zip(sheet.axes, (tcp, blt, lost), (tcp.rounds, blt.priority, lost.priority), strict=True):
        for k in range(LEVELS):
            mine = (levels == k) & (s.taken == 1)
            axes.plot(1e3 * s.time[mine], s.seq[mine], ls="", marker="s", ms=3.6, mew=0, color=shade(k))
        gone = s.taken == 0
        axes.plot(1e3 * s.time[gone], s.seq[gone], ls="", marker="x", ms=2.6, mew=0.7, color=VERMILION)
    for k in range(LEVELS):
        sheet.axes[0].plot([], [], ls="", marker="s", ms=6, mew=0, color=shade(k), label=f"{k}")
    sheet.axes[0].plot([], [], ls="", marker="x", ms=5, color=VERMILION, label="discarded at S1")
    for axes in sheet.axes[:2]:
        axes.axvline(30, color=GREY, lw=0.8, ls=":")
    return sheet.done()
