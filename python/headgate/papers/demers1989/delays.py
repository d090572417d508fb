"""Section 2.3: A(P) and D_N, formulas beside what was simulated. All in packet times of the FTPs; N = 3."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import BLUE, VERMILION
from ..claims import Runs
from ..formulas import telnet_delay_bounds
from ..layout import Layouts
from ..measure import Floats
from ..model import Table
from ..sheets import Sheets
from ..study import Section, Shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ...base.parallel import Progress

N = 3
#: Packet times in a second.
SPEED = 100.0
KINDS = ("poisson", "bursts")
SIZES = (1000, 1500)
#: What the names of the runs begin with in which the stream's packets interrupt those of the FTPs.
PREEMPTIVE = "preemptive "


@dataclass(frozen=True)
class Point:
    """A stream's packet and promptness, in FTP packets, what the formulas say and what came out."""

    size: float
    delta: float
    bounds: tuple[float, float]
    staggered: float
    coincident: float


def points(runs: Runs, algorithm: str = "") -> list[Point]:
    """Every packet size and promptness that was simulated, with the nonpreemptive algorithm or the preemptive one."""
    names = [m for v in runs.base if (m := re.fullmatch(rf"{algorithm}P=(\d+) delta=(\d+) staggered", v))]
    found = []
    for m in names:
        size, delta = int(m[1]) / 1000, int(m[2]) / 1000
        got = [delay(runs, f"{algorithm}P={m[1]} delta={m[2]} {how}") for how in ("staggered", "coincident")]
        bounds = telnet_delay_bounds(N, 1, size - delta, preemptive=algorithm == PREEMPTIVE)
        found.append(Point(size, delta, bounds, *got))
    return found


def delay(runs: Runs, variant: str) -> float:
    """Mean queueing delay of the stream."""
    return SPEED * float(runs.of(variant, "queueing", "4")[0])


def extra(runs: Runs, kind: str, size: int) -> tuple[float, Floats]:
    """D_0((N+1) P) and, interval by interval, D_N(P) less it: the relation says A(P)."""
    both, alone = (SPEED * runs.intervals(f"{kind} P={size}{how}", "queueing", "4") for how in ("", " alone"))
    return float(alone.mean()), both - alone


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The tables and the figure of section 2.3."""
    found = points(runs)

    def general(kind: str, size: float) -> Table:
        alone, rest = extra(runs, kind, round(1000 * size))
        due = alone + telnet_delay_bounds(N, 1, size)[0]
        return {"alone": alone, "due": due, "found": alone + rest.mean(), "deviation": rest.std(ddof=1)}

    layouts = Layouts(__file__)

    def lone(section: str, found: Sequence[Point]) -> Section:
        return layouts.section(section, ({"p": p, "away": p.size - p.delta} for p in found))

    tables = (lone("lone", found), lone("preemptive", points(runs, PREEMPTIVE)), layouts.section("general", general))
    return Shown(tables, {"section-2.3": lambda: draw(found)})


def draw(found: Sequence[Point]) -> Drawing:
    """The bounds of A(P) as lines, the simulations as points."""
    sheet = Sheets(__file__).open("delays")
    (axes,) = sheet.axes
    xs = np.linspace(0, 1.6, 641)
    low, high = np.array([telnet_delay_bounds(N, 1, x) for x in xs]).T
    axes.plot(xs, high, color=VERMILION, ls="--", lw=1.2, label="upper bound")
    axes.plot(xs, low, color=BLUE, ls="-", lw=1.2, label="lower bound")
    for prompt, size, word in ((False, 7, "δ = 0"), (True, 3, "δ > 0")):
        some = [p for p in found if (p.delta > 0) == prompt]
        for how, colour, marker in (("coincident", VERMILION, "s"), ("staggered", BLUE, "o")):
            x, y = [p.size - p.delta for p in some], [getattr(p, how) for p in some]
            fill = colour if prompt else "none"
            axes.plot(x, y, ls="", marker=marker, ms=size, mfc=fill, color=colour, label=f"{how}, {word}")
    return sheet.done()
