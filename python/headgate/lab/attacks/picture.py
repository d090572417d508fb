"""The figure of a break."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...base.palette import COLOURS, GREY, PALE
from ...plots.canvas import Picture, blank
from ...plots.content import DASHES
from .break_runs import Told
from .build import Setting
from .finding import FoundBreak
from .sentences import sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = npt.NDArray[np.float64]

#: Flows with lines of their own; those of an aggressor are drawn as their sum.
_LINES = 4


def draw(at: Setting, finding: FoundBreak, found: Told) -> Picture:
    """Draws goodput and mean waits of intervals; the moment of failure is shaded."""
    c = finding.candidate
    sheet = blank(7.6, 4.8)
    above, below = sheet.subplots(2, 1, sharex=True)
    groups = _groups(found.run.goodput)
    smooth = max(1, round(len(found.run.time) / 130))
    for number, (name, flows) in enumerate(groups.items()):
        total = np.sum([found.run.goodput[f] for f in flows], axis=0)
        _line(above, found.run.time, total / 1e6, smooth, name, number)
    if found.beside:
        name, other = found.beside
        mine = [f for f in other.goodput if f.startswith(("own", "honest"))]
        total = np.sum([other.goodput[f] for f in mine], axis=0) / 1e6
        who = "the well-behaved source" if at.objective.judges == "queue" else "all its flows"
        above.plot(other.time, _smooth(total, smooth), color=GREY, lw=1.6, ls=":", label=f"{name} there: {who}")
    above.axhline(c["rate"] / 1e6, color=PALE, lw=1.0)
    above.set_ylabel("goodput\n(Mbit/s)")
    above.set_ylim(bottom=0)
    watched = [n for n, f in groups.items() if f[0].startswith(("own", "call", "honest"))]
    for number, name in enumerate(groups):
        if name in watched:
            flow = groups[name][0]
            _line(below, found.run.time, found.run.wait[flow] * 1e3, smooth, name, number)
    if found.beside:
        name, other = found.beside
        watch = next((f for f in other.wait if f.startswith(("call", "own"))), None)
        if watch:
            below.plot(other.time, _smooth(other.wait[watch] * 1e3, smooth), color=GREY, lw=1.6, ls=":")
    below.set_ylabel("mean wait in\nqueues (ms)")
    below.set_ylim(bottom=0)
    below.set_xlabel("time (s); shaded: the moment of failure; pale line: rate of the line")
    for axes in (above, below):
        axes.axvspan(*found.when, color=PALE, alpha=0.5, lw=0)
        axes.set_xlim(0, found.place.duration)
    above.legend(fontsize=7.5, ncols=3, loc="lower left", bbox_to_anchor=(0, 1.0), frameon=False)
    sheet.suptitle("\n".join(textwrap.wrap(sentence(at, finding), 105)), fontsize=8.5, x=0.02, ha="left")
    return Picture(sheet)


def _groups(flows: dict[str, Array]) -> dict[str, list[str]]:
    """Lines of the figure, each with its flows."""
    own = [f for f in flows if f.startswith("own")]
    aggressor = [f for f in flows if f.startswith("aggressor")]
    out: dict[str, list[str]] = {f.replace("own", "flow "): [f] for f in own[:_LINES]}
    if len(own) > _LINES:
        out[f"{len(own) - _LINES} more flows"] = own[_LINES:]
    if aggressor:
        out["aggressor"] = aggressor
    for name in ("honest", "call", "bursts"):
        if name in flows:
            out[{"honest": "well-behaved", "call": "call", "bursts": "bursts"}[name]] = [name]
    return out


def _line(axes: Axes, at: Array, values: Array, smooth: int, name: str, number: int) -> None:
    style = DASHES[number % len(DASHES)][0]
    axes.plot(at, _smooth(values, smooth), color=COLOURS[number % len(COLOURS)], lw=1.3, ls=style, label=name)


def _smooth(values: Array, width: int) -> Array:
    """Means over some intervals, of what is known."""
    known = np.isfinite(values)
    kernel = np.ones(width)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = np.convolve(np.where(known, values, 0.0), kernel, "same")
        return np.asarray(total / np.convolve(known.astype(float), kernel, "same"), dtype=np.float64)
