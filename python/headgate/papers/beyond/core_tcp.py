"""One flow of today's TCP among UDP flows at twice their share: predictions, a table and a figure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from ...base.parallel import Progress
from ...stats import Mean
from ..claims import Result, Runs, listed
from ..layout import Layouts
from ..measure import Floats
from ..model import Measure, Table
from ..sheets import Sheets
from ..study import Shown
from .measures import Measured
from .statements import claim

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


def curve(runs: Runs, control: str, queue: str, first: int = 2) -> Floats:
    """The same for all numbers of flows from `first` up."""
    return np.array([normalised(runs, control, queue, n).mean for n in NUMBERS if n >= first])


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


@claim("B31")
def _b31(runs: Runs) -> Result:
    few, many = curve(runs, "sack", "DRR")[:6], curve(runs, "sack", "DRR", 26)
    return bool(few.min() >= 0.9 and many.max() <= 0.75), f"{listed(few)} up to 20 flows, {listed(many)} from 26 on"


@claim("B32")
def _b32(runs: Runs) -> Result:
    many = curve(runs, "cubic_linux", "DRR", 26)
    return bool(many.min() >= 0.75), f"{listed(many)} from 26 flows on"


@claim("B33")
def _b33(runs: Runs) -> Result:
    got = {c: curve(runs, c, "CSFQ", 16) for c in ("sack", "cubic", "cubic_linux")}
    good = max(got["sack"].max(), got["cubic"].max()) < 0.6 and got["cubic_linux"].min() >= 0.7
    return bool(good), "; ".join(f"{c} {listed(f)}" for c, f in got.items())


@claim("B34")
def _b34(runs: Runs) -> Result:
    got = curve(runs, "bbr1", "CSFQ")
    return bool(got.min() >= 0.9), f"{listed(got)} with 2 to 32 flows"


@claim("B40")
def _b40(runs: Runs) -> Result:
    few, *many = (normalised(runs, "sack without limited transmit", "DRR", n).mean for n in (2, 26, 28, 32))
    return few >= 0.9 and max(many) <= 0.75, f"2 flows {few:.2f}; 26, 28 and 32 flows {listed(np.array(many))}"
