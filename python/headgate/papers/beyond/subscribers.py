"""Schedulers before connections of different speeds, in settings that Hasegawa et al. 2001 did not study.

Many connections, other starts, other TCPs, data both ways. Values are means over the base run and the runs with other starts, of which
each gives one of Jain's index.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...analysis import jain_index
from ...base.palette import BLUE, GREEN, ORANGE, PURPLE, VERMILION
from ...base.parallel import Progress
from ..claims import Runs
from ..layout import Layouts
from ..measure import Floats, Outcome
from ..model import Table
from ..sheets import Sheets
from ..study import Shown
from .statements import CLAIMS

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: Output links in kbit/s, for four connections; the others in proportion.
LINES = (400, 560, 720)
INPUTS = (64, 128, 256, 512)
QUEUES = ("FIFO", "RED", "enhanced RED", "DRR", "DRR+")
EXPERIMENTS = ("Reno", "20", "200", "starts", "SACK", "CUBIC", "both ways")

#: Colour and mark of each discipline.
LOOKS = ((VERMILION, "X"), (ORANGE, "^"), (PURPLE, "D"), (BLUE, "o"), (GREEN, "s"))


def study(runs: Runs, progress: Progress | None) -> Shown:
    """A row for each network and discipline."""
    del progress

    def row(what: str, queue: str) -> Table:
        return {
            "jain": [jain(runs, f"{what} {queue} {line}") for line in LINES],
            "got": relative(runs, f"{what} {queue} 400"),
        }

    return Shown((Layouts(__file__).section("subscribers", row),), {"subscribers": partial(draw, runs)})


def draw(runs: Runs) -> Drawing:
    """Jain's index of each discipline in each experiment, a panel for each output link."""
    sheet = SHEETS.open("subscribers")
    places = np.arange(len(EXPERIMENTS))[::-1]
    for axes, line in zip(sheet.axes, LINES, strict=True):
        for k, (queue, (colour, mark)) in enumerate(zip(QUEUES, LOOKS, strict=True)):
            found = [jain(runs, f"{what} {queue} {line}") for what in EXPERIMENTS]
            axes.plot(found, places + 0.12 * (2 - k), ls="", marker=mark, ms=6, color=colour, label=queue)
    return sheet.done()


def _over(runs: Runs, variant: str, measure: Callable[[Outcome], Floats]) -> Floats:
    """The mean of a measure over all runs of a variant."""
    every = [runs.base[variant], *runs.seeds.get(variant, [])]
    return np.asarray(np.mean([measure(run) for run in every], axis=0))


def jain(runs: Runs, variant: str, way: str = "") -> float:
    """Jain's index of throughput over weight."""

    def index(run: Outcome) -> Floats:
        flows = run.table("flows")
        mine = [name.startswith(way) for name in flows["flow"]]
        return np.array(jain_index(flows["goodput_of_weight_bps"][mine]))

    return float(_over(runs, variant, index))


def relative(runs: Runs, variant: str) -> Floats:
    """Mean throughput of each class over its input link. With data both ways, of both."""

    def of(run: Outcome) -> Floats:
        flows = run.table("flows")
        rate = flows["goodput_of_weight_bps"] / 64e3
        return np.array([rate[[f"{bw}" in name.split("-")[0] for name in flows["flow"]]].mean() for bw in INPUTS])

    return _over(runs, variant, of)


@CLAIMS.measure("jain of classes")
def _jain(runs: Runs, variant: str, *ways: str) -> float | list[float]:
    found = [jain(runs, variant, way) for way in ways or ("",)]
    return found if len(ways) > 1 else found[0]


@CLAIMS.measure("throughput of classes")
def _relative(runs: Runs, variant: str) -> Floats:
    return relative(runs, variant)
