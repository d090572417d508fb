"""Figures 8, 9 and 14: cycles of a window by the equations and in the simulation, and bursts that arrive at once."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, VERMILION
from ..formulas import red_vegas
from ..measure import Floats
from .cycles import cycles
from .measures import DELAY, FLOWS, INPUTS, LOSS, PACKET, Measured, red

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

    from ..sheets import Sheets

#: The connection that figures 8 and 14 show, by its place, and their output links.
SHOWN = 3
RENO_LINE, VEGAS_LINE = 640, 800

#: How long they show, in s.
RENO_SPAN, VEGAS_SPAN = 24.0, 24.0

#: Hatches of the bursts, from the slowest connection to the fastest, so that colours are not needed.
HATCHES = ("", "///", "...", "xx")


def figure_8(m: Measured, sheets: Sheets) -> Drawing:
    """Reno behind RED."""
    found = red(RENO_LINE)
    peak, mean = float(found.peak[SHOWN]), float(found.window[SHOWN])
    trip = float(found.rtt[SHOWN])
    times, windows = m.windows("RED Reno", RENO_LINE, FLOWS[SHOWN])
    start, ends = _typical(times, windows, RENO_SPAN)
    sheet = sheets.open("figure-8", line=RENO_LINE, input=f"{INPUTS[SHOWN]:.0f}")
    theory, real = sheet.axes
    # A cycle takes as many round trips as the window grows by packets.
    cycle = peak / 2 * trip
    grow = np.array([0.0, cycle])
    _sawtooth(theory, RENO_SPAN, grow, np.array([peak / 2, peak]))
    _between(theory, cycle, 2 * cycle, 0.7 * peak / 2, f"T = {cycle:.1f} s, {1 / LOSS:.0f} packets")
    _trace(real, times, windows, start, RENO_SPAN)
    _losses(real, ends, start)
    real.set_ylim(0, 22)
    for axes in (theory, real):
        _levels(axes, ((peak, "$W_{max}$"), (mean, "$W_a$"), (peak / 2, "$W_{max}/2$")))
    return sheet.done()


def figure_14(m: Measured, sheets: Sheets) -> Drawing:
    """Vegas behind RED: three phases."""
    found = red_vegas(INPUTS / PACKET, VEGAS_LINE / PACKET, DELAY, LOSS)
    whole, path = float(found.window[SHOWN]), float(2 * DELAY * found.rate[SHOWN])
    lengths = found.duration[:, SHOWN]
    times, windows = m.windows("RED Vegas", VEGAS_LINE, FLOWS[SHOWN])
    start, ends = _typical(times, windows, VEGAS_SPAN)
    sheet = sheets.open("figure-14", line=VEGAS_LINE, input=f"{INPUTS[SHOWN]:.0f}")
    theory, real = sheet.axes
    at = np.concatenate(([0.0], np.cumsum(lengths)))
    _sawtooth(theory, VEGAS_SPAN / 4, at, np.array([whole / 2, path, whole, whole]))
    for k, (a, b) in enumerate(pairwise(at), 1):
        theory.axvline(b, color=GREY, lw=0.8, ls=(0, (2, 2)))
        theory.text((a + b) / 2, 0.6, f"{k}", ha="center", va="center", fontsize=9)
    _trace(real, times, windows, start, VEGAS_SPAN)
    _losses(real, ends, start)
    real.set_ylim(0, 12)
    for axes in (theory, real):
        _levels(axes, ((whole, "$W_i$"), (path, "$2\\tau\\rho_i$"), (whole / 2, "$W_i/2$")))
    return sheet.done()


def figure_9(m: Measured, sheets: Sheets) -> Drawing:
    """Bursts of a window that begin to arrive at once, and the rate at which the router serves them."""
    sheet = sheets.open("figure-9")
    arriving, serving = sheet.axes
    lengths = red(400).window / (INPUTS / PACKET)
    colours = (BLUE, VERMILION, GREEN, PURPLE)
    for i, (length, colour, hatch) in enumerate(zip(lengths, colours, HATCHES, strict=True)):
        look: dict[str, Any] = {"height": 0.55, "facecolor": "white", "edgecolor": colour, "hatch": hatch, "lw": 1.3}
        arriving.barh(len(lengths) - 1 - i, length, **look)
    # Phase j has connections 1 to j: the fastest burst ends first.
    ends = np.concatenate(([0.0], np.sort(lengths)))
    for k, (a, b) in enumerate(pairwise(ends)):
        arriving.axvline(b, color=GREY, lw=0.8, ls=(0, (2, 2)))
        arriving.text((a + b) / 2, 3.62, f"{len(lengths) - k}", ha="center", va="center", fontsize=9)
    arriving.text(ends[-1] + 0.05, 3.62, "phase", ha="left", va="center", fontsize=9)
    for line, colour, dash in ((400, BLACK, "-"), (640, BLUE, "--"), (880, ORANGE, ":")):
        phases = m.phases(line)
        x = np.concatenate(([0.0], np.cumsum(phases.duration)))
        y = phases.service * PACKET
        serving.step(
            x, np.append(y, 0.0), where="post", color=colour, ls=dash, lw=1.5, label=f"output link {line} kbit/s"
        )
    return sheet.done()


def _typical(times: Floats, windows: Floats, span: float) -> tuple[float, list[float]]:
    """When to begin to show a trace, at the longest cycle within half of what is shown, and its losses from there on."""
    every = [at for at, _ in cycles(times, windows)]
    whole = [at for at in every if at[0] > 100 and at[-1] - at[0] <= span / 2] or every or [times]
    longest = max(whole, key=lambda at: float(at[-1] - at[0]))
    start = max(float(longest[0]) - span / 8, 0.0)
    return start, [float(at[-1]) for at, _ in cycles(times, windows) if start < at[-1] <= start + span]


def _sawtooth(axes: Axes, span: float, at: Floats, windows: Floats) -> None:
    """A cycle of the equations, again and again."""
    count = int(np.ceil(span / at[-1])) + 1
    x = np.concatenate([at + k * at[-1] for k in range(count)])
    axes.plot(x, np.tile(windows, count), color=BLACK, lw=1.4)
    axes.set_xlim(0, span)


def _trace(axes: Axes, times: Floats, windows: Floats, start: float, span: float) -> None:
    axes.step(times - start, windows, where="post", color=BLUE, lw=1.3, label="window")
    axes.set_xlim(0, span)


def _losses(axes: Axes, ends: list[float], start: float) -> None:
    """Marks at the foot where a loss ends a cycle."""
    look: dict[str, Any] = {"color": VERMILION, "marker": "v", "ms": 5, "ls": "", "clip_on": False}
    axes.plot([t - start for t in ends], [0.35] * len(ends), label="loss found", **look)


def _levels(axes: Axes, levels: tuple[tuple[float, str], ...]) -> None:
    """Values of the equations, with their names at the right."""
    low, high = axes.get_ylim()
    room, below = 0.05 * (high - low), -np.inf
    for value, name in sorted(levels):
        axes.axhline(value, color=GREY, lw=0.9, ls="--", zorder=0)
        # Names of values that are close to one another stand one above the other.
        below = max(value, below + room)
        up = (below - value) / (high - low) * 160
        place: dict[str, Any] = {
            "xycoords": ("axes fraction", "data"),
            "xytext": (3, up),
            "textcoords": "offset points",
        }
        axes.annotate(name, (1, value), va="center", fontsize=9, color=GREY, annotation_clip=False, **place)


def _between(axes: Axes, a: float, b: float, y: float, text: str) -> None:
    """A length with arrows at both ends."""
    axes.annotate(
        "", (b, y), (a, y), arrowprops={"arrowstyle": "<->", "color": BLACK, "lw": 0.9, "shrinkA": 0, "shrinkB": 0}
    )
    axes.text((a + b) / 2, y - 0.3, text, ha="center", va="top", fontsize=9)
