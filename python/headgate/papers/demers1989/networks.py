"""Section 2.3 on networks of gateways: Hahne's two results on windows and fair shares, for round robin and for Fair Queueing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import BLUE, GREEN, VERMILION
from ..claims import Result, Runs
from ..layout import Layouts
from ..measure import Floats
from ..model import Table
from ..sheets import Sheets
from ..study import Shown
from .statements import claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ...base.parallel import Progress

FQ, ROBIN, FCFS = PAIRS = ("window/FQ", "window/round robin", "window/FCFS")
WINDOWS = (1, 2, 4, 8, 16, 32, 64)
BUNCH_WINDOWS = (1, 2, 4, 8, 12, 16, 24, 32, 64)

#: Max-min shares in packets/s: of the six conversations over three lines, and of the two that the bunches hold up.
SHARES = {"long1": 10 / 3, "first2": 10 / 3, "first3": 10 / 3, "middle4": 25 / 3, "middle5": 25 / 3, "last6": 115 / 3}
HELD_UP = {"source1": 50.0, "source2": 50.0}
#: Those that make the bunches, and the others of the first line.
CROWD = {**{f"bunch{i}": 5 / 6 for i in range(1, 41)}, **{f"rest{i}": 5 / 6 for i in range(1, 81)}}

#: Packets that source 1's path holds if its lines carry nothing else: two lines of 100 packets/s, there a packet on each, and
#: acknowledgements of 40 bytes on the way back.
HOLDS = 2 * (1 + 0.04)


def relative(runs: Runs, variant: str, shares: dict[str, float]) -> Floats:
    """What conversations got over their max-min shares."""
    return np.divide(runs.of(variant, "rate", *shares), list(shares.values()))


def worst(runs: Runs, variant: str, shares: dict[str, float]) -> float:
    """How far the farthest conversation is from its max-min share, relative to that."""
    return float(abs(relative(runs, variant, shares) - 1).max())


@claim("D30")
def _d30(runs: Runs) -> Result:
    away = {
        pair: max(
            max(worst(runs, f"{pair}, W={w}", SHARES), worst(runs, f"bunches, {pair}, W={w}", HELD_UP | CROWD))
            for w in (32, 64)
        )
        for pair in (ROBIN, FQ)
    }
    short = [1 - float(relative(runs, f"{FCFS}, W={w}", SHARES).min()) for w in WINDOWS]
    text = f"round robin {100 * away[ROBIN]:.2f} %, FQ {100 * away[FQ]:.2f} % away at most"
    return max(away.values()) < 0.01 and min(short) > 0.2, f"{text}; FCFS {100 * min(short):.0f} % short at least"


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """A table for each network, and the figure."""

    def chain(pair: str, window: int) -> Table:
        shares = relative(runs, f"{pair}, W={window}", SHARES)
        return {"shares": shares, "name": pair.split("/")[1]}

    def bunches(pair: str, window: int) -> Table:
        shares = relative(runs, f"bunches, {pair}, W={window}", HELD_UP)
        return {"shares": shares, "name": pair.split("/")[1]}

    layouts = Layouts(__file__)
    tables = (layouts.section("networks", chain), layouts.section("bunches", bunches, holds=HOLDS))
    return Shown(tables, {"networks": lambda: draw(runs)})


def draw(runs: Runs) -> Drawing:
    """The least share of the first network and source 1's share of the second against the window."""
    sheet = Sheets(__file__).open("networks")
    first, second = sheet.axes
    for pair, colour, marker in ((FQ, BLUE, "o"), (ROBIN, GREEN, "^"), (FCFS, VERMILION, "s")):
        look: dict[str, Any] = {
            "color": colour,
            "marker": marker,
            "ms": 5,
            "lw": 1.2,
            "mfc": "none",
            "label": pair.split("/")[1],
        }
        least = [relative(runs, f"{pair}, W={w}", SHARES).min() for w in WINDOWS]
        held_up = [relative(runs, f"bunches, {pair}, W={w}", HELD_UP)[0] for w in BUNCH_WINDOWS]
        first.plot(WINDOWS, least, **look)
        second.plot(BUNCH_WINDOWS, held_up, **look)
    second.axvline(HOLDS, color="0.4", lw=0.9, ls="--", zorder=0)
    second.annotate("path holds", (HOLDS, 0.62), xytext=(4, 0), textcoords="offset points", fontsize=8.5, color="0.4")
    return sheet.done()
