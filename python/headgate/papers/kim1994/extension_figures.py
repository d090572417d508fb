"""What abusive sources, new data and rates change: response times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import BLUE, GREY, ORANGE, VERMILION
from ..sheets import Sheets

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from .groups import Abuse, Files, Interactive

SHEETS = Sheets(__file__)


def three(abused: Abuse, users: Interactive, by: Files) -> Drawing:
    """Honest and abusive files by their mixture; users' objects without and with the reset; files of windows and of rates by load."""
    sheet = SHEETS.open("extensions")
    first, second, third = sheet.axes
    for load, mark in ((0.4, "o"), (0.8, "s")):
        mixed = [(part, both) for (at, part), both in abused.items() if at == load]
        for kind, colour, dash, name in ((0, BLUE, "-", "honest"), (1, VERMILION, "--", "abusive")):
            # Where all are abusive, those that end are a few lucky ones.
            shown = [(part, group.mean) for part, both in mixed if (group := both[kind]) is not None and part < 1]
            first.plot(
                *zip(*shown, strict=True), color=colour, ls=dash, marker=mark, ms=5, lw=1.3, label=f"{name}, {load:g}"
            )
    names = [f"{packets} packets,\n{load:g}" for load, packets in users[0]]
    for on, (shift, colour, hatch, name) in enumerate(
        ((-0.2, ORANGE, "///", "without reset"), (0.2, BLUE, "", "with reset"))
    ):
        times = [g.mean for g in users[on].values()]
        second.bar(
            np.arange(len(names)) + shift, times, 0.38, color="white" if hatch else colour, edgecolor=colour, hatch=hatch,
            label=name, zorder=2,
        )  # fmt: skip
    second.set_xticks(np.arange(len(names)), names, fontsize=8.5)
    looks = {
        "windows": (BLUE, "-", "o"),
        "rates": (VERMILION, "--", "s"),
        "rates, what came is named": (GREY, ":", "^"),
    }
    for name, (colour, dash, mark) in looks.items():
        m = by[name, 30]
        third.plot(
            m.curve.loads,
            1e3 * m.values("response", m.curve.loads),
            color=colour,
            ls=dash,
            marker=mark,
            ms=5,
            lw=1.3,
            label=name,
        )
    return sheet.done()
