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
from ..claims import Result, Runs, listed
from ..layout import Layouts
from ..measure import Floats, Outcome
from ..model import Table
from ..sheets import Sheets
from ..study import Shown
from .statements import claim

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


def jains(runs: Runs, name: str, lines: tuple[int, ...] = LINES) -> Floats:
    """The same for several output links."""
    return np.array([jain(runs, f"{name} {line}") for line in lines])


def relative(runs: Runs, variant: str) -> Floats:
    """Mean throughput of each class over its input link. With data both ways, of both."""

    def of(run: Outcome) -> Floats:
        flows = run.table("flows")
        rate = flows["goodput_of_weight_bps"] / 64e3
        return np.array([rate[[f"{bw}" in name.split("-")[0] for name in flows["flow"]]].mean() for bw in INPUTS])

    return _over(runs, variant, of)


@claim("S1")
def _s1(runs: Runs) -> Result:
    four, twenty, many = (relative(runs, f"{n} RED 400") for n in ("Reno", "20", "200"))
    apart = max(abs(twenty - four).max(), abs(many - four).max())
    return bool(apart <= 0.1), f"4: {listed(four)}; 20: {listed(twenty)}; 200: {listed(many)}"


@claim("S2")
def _s2(runs: Runs) -> Result:
    fifo, red = jains(runs, "200 FIFO"), jains(runs, "200 RED")
    return bool((abs(fifo - red) <= 0.05).all()), f"Jain FIFO {listed(fifo, 3)}, RED {listed(red, 3)}"


@claim("S3")
def _s3(runs: Runs) -> Result:
    found = {f"{n} {q}": jains(runs, f"{n} {q}") for n in (20, 200) for q in ("DRR", "DRR+")}
    return min(f.min() for f in found.values()) >= 0.98, "; ".join(f"{n}: {listed(f, 3)}" for n, f in found.items())


@claim("S4")
def _s4(runs: Runs) -> Result:
    apart = {q: jains(runs, f"starts {q}") - jains(runs, f"Reno {q}") for q in ("RED", "DRR")}
    holds = all(bool((abs(a) <= 0.02).all()) for a in apart.values())
    return holds, "Jain higher by " + "; ".join(f"{q} {listed(a, 3)}" for q, a in apart.items())


@claim("S5")
def _s5(runs: Runs) -> Result:
    reno, sack = (1 - jains(runs, f"{tcp} DRR", (560, 720)) for tcp in ("Reno", "SACK"))
    return bool((sack <= reno / 2).all()), f"distance with Reno {listed(reno, 3)}, with SACK {listed(sack, 3)}"


@claim("S6")
def _s6(runs: Runs) -> Result:
    reno, cubic = (jains(runs, f"{tcp} RED") for tcp in ("Reno", "CUBIC"))
    return bool((abs(cubic - reno) <= 0.05).all()), f"Jain CUBIC {listed(cubic, 3)}, Reno {listed(reno, 3)}"


@claim("S7")
def _s7(runs: Runs) -> Result:
    red, steered = (jains(runs, f"CUBIC {q}") for q in ("RED", "enhanced RED"))
    return bool((steered > red).all()), f"Jain enhanced RED {listed(steered, 3)}, RED {listed(red, 3)}"


@claim("S8")
def _s8(runs: Runs) -> Result:
    found = {way: np.array([jain(runs, f"both ways {q} 400", way) for q in QUEUES]) for way in ("up", "down")}
    holds = all(f[:2].max() < f[3:].min() for f in found.values())
    return holds, "; ".join(
        f"{way}: {listed(f, 3)}" for way, f in found.items()
    ) + " (FIFO, RED, enhanced RED, DRR, DRR+)"
