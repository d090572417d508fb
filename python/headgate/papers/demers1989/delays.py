"""Section 2.3: A(P) and D_N, formulas beside what was simulated. All in packet times of the FTPs; N = 3."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...analysis import telnet_delay_bounds
from ...plots.canvas import blank
from ..claims import Runs
from ..measure import Floats
from ..model import Figure, unknown
from ..study import Section

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ...parallel import Progress

N = 3
#: Packet times in a second.
SPEED = 100.0
KINDS = ("poisson", "bursts")
SIZES = (1000, 1500)


@dataclass(frozen=True)
class Point:
    """A stream's packet and promptness, in FTP packets, what the formulas say and what came out."""

    size: float
    delta: float
    bounds: tuple[float, float]
    staggered: float
    coincident: float


def points(runs: Runs) -> list[Point]:
    """Every packet size and promptness that was simulated."""
    names = [m for v in runs.base if (m := re.fullmatch(r"P=(\d+) delta=(\d+) staggered", v))]
    found = []
    for m in names:
        size, delta = int(m[1]) / 1000, int(m[2]) / 1000
        got = [delay(runs, f"P={m[1]} delta={m[2]} {how}") for how in ("staggered", "coincident")]
        found.append(Point(size, delta, telnet_delay_bounds(N, 1, size - delta), *got))
    return found


def delay(runs: Runs, variant: str) -> float:
    """Mean queueing delay of the stream."""
    return SPEED * float(runs.of(variant, "queueing", "4")[0])


def extra(runs: Runs, kind: str, size: int) -> tuple[float, Floats]:
    """D_0((N+1) P) and, interval by interval, D_N(P) less it: the relation says A(P)."""
    both, alone = (SPEED * runs.intervals(f"{kind} P={size}{how}", "queueing", "4") for how in ("", " alone"))
    return float(alone.mean()), both - alone


@dataclass(frozen=True)
class Delays:
    """The tables and the figure of section 2.3."""

    runs: Runs

    @property
    def sections(self) -> tuple[Section, ...]:
        """A(P), and D_N for two kinds of arrivals."""
        rows = tuple(
            tuple(
                [f"{x:g}" for x in (p.size, p.delta, p.size - p.delta)]
                + [f"{x:.3f}" for x in (p.bounds[0], p.staggered, p.bounds[1], p.coincident)]
            )
            for p in points(self.runs)
        )
        headings = ("P_T", "delta", "P_T - delta", "lower bound", "staggered", "upper bound", "coincident")
        note = "In FTP packets and their times. Staggered: l = 0, 1/3, 2/3; coincident: l = 0. A stream of a packet in about a second."
        general = []
        for kind in KINDS:
            for size in SIZES:
                alone, rest = extra(self.runs, kind, size)
                a = telnet_delay_bounds(N, 1, size / 1000)[0]
                general.append(
                    (
                        kind,
                        f"{size / 1000:g}",
                        f"{alone:.3f}",
                        f"{alone + a:.3f}",
                        f"{alone + float(rest.mean()):.3f} ± {float(rest.std(ddof=1)):.3f}",
                    )
                )
        return (
            Section("section 2.3: the average delay A(P_T - delta) of a lone packet", headings, rows, note),
            Section(
                "section 2.3: D_N(P_T) = D_0((N+1) P_T) + A(P_T)",
                ("arrivals", "P_T", "D_0((N+1) P_T)", "D_N by the relation", "D_N simulated"),
                tuple(general),
                "D_0 is simulated too: the same arrivals, packets four times as long, no FTPs. Bursts: on for 1 s and off for 3 s in "
                "the mean. ±: deviation of D_N - D_0 over intervals of 500 s.",
            ),
        )

    def draw(self, figure: Figure) -> Drawing:
        """The bounds of A(P) as lines, the simulations as points."""
        if figure.name != "section-2.3":
            raise unknown("figure of section 2.3", figure.name, ("section-2.3",))
        drawing = blank(height=4.2)
        axes = drawing.add_subplot()
        xs = np.linspace(0, 1.6, 641)
        low, high = np.array([telnet_delay_bounds(N, 1, x) for x in xs]).T
        axes.plot(xs, high, color="#b3401f", ls="--", lw=1.2, label="upper bound")
        axes.plot(xs, low, color="#1f5fa8", ls="-", lw=1.2, label="lower bound")
        found = points(self.runs)
        for prompt, fill, word in ((False, "none", "δ = 0"), (True, None, "δ > 0")):
            some = [p for p in found if (p.delta > 0) == prompt]
            x = [p.size - p.delta for p in some]
            for ys, colour, mark, how in (
                ([p.coincident for p in some], "#b3401f", "s", "coincident"),
                ([p.staggered for p in some], "#1f5fa8", "o", "staggered"),
            ):
                axes.plot(
                    x,
                    ys,
                    ls="",
                    marker=mark,
                    ms=3 if prompt else 7,
                    mfc=fill or colour,
                    color=colour,
                    label=f"{how}, {word}",
                )
        axes.set_xlabel("$P_T - \\delta$ (FTP packets)")
        axes.set_ylabel("mean queueing delay (packet times)")
        axes.set_xlim(-0.03, 1.6)
        axes.set_ylim(bottom=0)
        axes.grid(color="#dddddd", lw=0.5)
        axes.legend(frameon=False, loc="upper left", fontsize=9)
        return drawing


def study(runs: Runs, _progress: Progress | None) -> Delays:
    """The study of the item section-2.3."""
    return Delays(runs)
