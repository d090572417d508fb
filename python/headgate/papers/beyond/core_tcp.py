"""One flow of today's TCP among UDP flows at twice their share: predictions, a table and a figure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from ...base.parallel import Progress
from ...stats import Mean
from ..claims import Runs
from ..layout import Layouts
from ..model import Measure, Table
from ..sheets import Sheets
from ..study import Shown
from .measures import Measured
from .statements import CLAIMS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

TABLES, SHEETS = Layouts(__file__), Sheets(__file__)

CONTROLS = ("sack", "cubic", "cubic_linux", "bbr1")
NUMBERS = (2, 4, 8, 12, 16, 20, 22, 24, 26, 28, 32)

#: Colour, marker and line of each discipline.
LOOKS = {
    "FQ": (BLACK, "P", "-"),
    "DRR": (BLUE, "o", "-"),
    "CSFQ": (VERMILION, "s", "-"),
    "FRED": (PURPLE, "v", "--"),
    "RED": (ORANGE, "D", ":"),
    "FIFO": (GREEN, "x", ":"),
}

_TCP = Measure("tcp", counts=("received",), per_second=True, scale=0.008)


def normalised(runs: Runs, control: str, queue: str, number: int) -> Mean:
    """Throughput of the TCP flow over its fair share of 10 Mbit/s, among `number` flows."""
    return Measured(runs).mean(f"{control} {queue} {number}", lambda run: run.value(_TCP, "tcp").mean * number / 10)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """A row for each TCP and number of flows; `progress` has nothing more to show."""
    del progress

    def row(control: str, number: int) -> Table:
        return {"of": [normalised(runs, control, queue, number).mean for queue in LOOKS]}

    section = TABLES.section("one-flow", row)
    return Shown((section,), {"core-stateless-figure-4": partial(draw, runs)})


def draw(runs: Runs) -> Drawing:
    """A panel for each TCP."""
    sheet = SHEETS.open("core-stateless-figure-4")
    for axes, control in zip(sheet.axes, CONTROLS, strict=True):
        for queue, (colour, marker, line) in LOOKS.items():
            found = [normalised(runs, control, queue, n) for n in NUMBERS]
            half = [0.0 if np.isnan(f.half) else f.half for f in found]
            look: dict[str, Any] = {
                "color": colour,
                "marker": marker,
                "ls": line,
                "ms": 4.5,
                "lw": 1.1,
                "elinewidth": 0.8,
            }
            axes.errorbar(NUMBERS, [f.mean for f in found], yerr=half, label=queue, **look)
        axes.axhline(1, color=GREY, lw=0.8, ls=(0, (6, 3)), zorder=0)
    return sheet.done()


@CLAIMS.measure("share of one flow")
def _share(runs: Runs, variant: str) -> float:
    control, queue, number = variant.rsplit(" ", 2)
    return normalised(runs, control, queue, int(number)).mean
