"""The figures of the paper, drawn from our runs: points are means, and bars reach from the minimum to the maximum of the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...analysis import jain_index
from ...base.palette import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from ..measure import Floats
from ..sheets import Sheets
from . import cycle_figures, networks, queues
from .measures import BELOW, INPUTS, LINES, PACKET, Measured, reno, vegas

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: One look per connection, from the slowest: colours, markers and dashes.
LOOKS = ((BLUE, "o", "-"), (VERMILION, "s", "--"), (GREEN, "^", "-."), (PURPLE, "D", ":"))
#: Sizes of their markers: where several have the same value, the slower ones' show around the faster ones'.
SIZES = (8.5, 6.5, 4.8, 3.2)


@dataclass(frozen=True)
class Panel:
    """What a panel shows: a measure of a case, by connection."""

    measure: str
    case: str


def _values(m: Measured, panel: Panel, line: int) -> Floats:
    """A measure in every run, shape (runs, 4)."""
    every = m.every(panel.case, line)
    if panel.measure == "throughput":
        return every["throughput"]
    if panel.measure == "relative":
        return np.asarray(every["throughput"] / INPUTS)
    if panel.measure == "loss":
        return np.asarray(100 * every["losses"] / every["sent"])
    if panel.measure == "losses":
        return every["losses"]
    return np.asarray(every["throughput"] / PACKET * every["rtt"])


def _curves(axes: Axes, m: Measured, panel: Panel, *, joined: bool = True) -> None:
    # At 960 kbit/s nothing is lost, so that windows grow without end: they are left out.
    lines = BELOW if panel.measure == "window" else LINES
    found = np.array([_range(_values(m, panel, line)) for line in lines])
    for i, (bw, (colour, marker, dash)) in enumerate(zip(INPUTS, LOOKS, strict=True)):
        mean, below, above = found[:, 0, i], found[:, 1, i], found[:, 2, i]
        axes.errorbar(
            lines,
            mean,
            yerr=[below, above],
            color=colour,
            marker=marker,
            ms=SIZES[i],
            lw=1.2,
            ls=dash if joined else "",
            elinewidth=0.8,
            label=f"input {bw:.0f} kbit/s",
        )
    if panel.measure == "relative":
        axes.plot(LINES, np.array(LINES) / INPUTS.sum(), color=GREY, lw=1, ls=(0, (1, 1)), label="fair share")
    if panel.measure == "throughput" and joined:
        for bw in INPUTS:
            share = np.array(LINES) * bw / INPUTS.sum()
            axes.plot(LINES, share, color=GREY, lw=0.9, ls=(0, (1, 1)), label="fair shares" if bw == 64 else "")


def _range(values: Floats) -> Floats:
    """Mean over the runs, and how far the least and the greatest are from it; the mean of equal values may be off by a rounding."""
    mean = values.mean(axis=0)
    return np.array([mean, np.maximum(mean - values.min(axis=0), 0), np.maximum(values.max(axis=0) - mean, 0)])


def _draw(m: Measured, name: str, panels: Iterable[Panel]) -> Drawing:
    sheet = SHEETS.open(name)
    for axes, panel in zip(sheet.axes, panels, strict=True):
        _curves(axes, m, panel)
    return sheet.done()


def _against_analysis(
    m: Measured, name: str, case: str, theories: dict[str, tuple[str, Callable[[float], Floats]]]
) -> Drawing:
    """Points of a simulation, and lines of the analysis."""
    sheet = SHEETS.open(name)
    (axes,) = sheet.axes
    _curves(axes, m, Panel("throughput", case), joined=False)
    x = np.linspace(400, 960, 113)
    for label, (dash, theory) in theories.items():
        y = np.array([theory(line) for line in x])
        for i, (colour, _, _) in enumerate(LOOKS):
            axes.plot(x, y[:, i], color=colour, ls=dash, lw=1.2)
        axes.plot([], [], color=GREY, ls=dash, lw=1.2, label=label)
    return sheet.done()


def figure_10(m: Measured) -> Drawing:
    """RED with Reno."""
    theories: dict[str, tuple[str, Callable[[float], Floats]]] = {
        "analysis": ("-", reno),
        "analysis, equation 11 as rates": (":", partial(reno, reading="rates")),
    }
    return _against_analysis(m, "figure-10", "RED Reno", theories)


def figure_15(m: Measured) -> Drawing:
    """RED with Vegas."""
    return _against_analysis(m, "figure-15", "RED Vegas", {"analysis": ("-", vegas)})


def fairness(m: Measured) -> Drawing:
    """Jain's index of all disciplines."""
    sheet = SHEETS.open("fairness")
    forward = ("FIFO", "RED", "enhanced RED", "DRR", "DRR two", "DRR+", "DRR+ two")
    looks = (*LOOKS, (ORANGE, "v", "--"), (SKY, "P", "-."), (BLACK, "X", ":"))
    called = {"DRR two": "DRR, two queues", "DRR+ two": "DRR+, two queues"}
    for axes, tcp, disciplines in zip(sheet.axes, ("Reno", "Vegas"), (forward, ("FIFO", "RED", "DRR")), strict=True):
        for discipline in disciplines:
            colour, marker, dash = looks[forward.index(discipline)]
            y = [m.jain(f"{discipline} {tcp}", line) for line in LINES]
            name = called.get(discipline, discipline)
            axes.plot(LINES, y, color=colour, marker=marker, ls=dash, ms=4.5, lw=1.2, label=name)
        if tcp == "Reno":
            y = [jain_index(reno(line) / INPUTS) for line in LINES]
            axes.plot(LINES, y, color=GREY, lw=1, label="RED, analysis")
        else:
            y = [jain_index(vegas(line) / INPUTS) for line in LINES]
            axes.plot(LINES, y, color=GREY, lw=1, label="RED, analysis")
    return sheet.done()


#: What each panel of the simple figures shows.
PANELS = {
    "figure-2": tuple(Panel(p, "FIFO Reno") for p in ("throughput", "relative", "loss")),
    "figure-3": tuple(Panel(p, "RED Reno") for p in ("throughput", "relative", "loss")),
    "figure-5": (Panel("relative", "DRR Reno"), Panel("relative", "DRR two Reno")),
    "figure-7": (Panel("relative", "DRR+ Reno"), Panel("relative", "DRR+ two Reno")),
    "figure-11": tuple(Panel(p, "enhanced RED Reno") for p in ("throughput", "relative")),
    "figure-12": tuple(Panel(p, "FIFO Vegas") for p in ("throughput", "relative", "window")),
    "figure-13": tuple(Panel(p, "RED Vegas") for p in ("throughput", "relative", "losses")),
    "figure-16": tuple(Panel(p, "DRR Vegas") for p in ("throughput", "relative")),
    "figure-18": tuple(Panel(p, "reverse FIFO Reno") for p in ("throughput", "relative", "losses")),
    "figure-19": tuple(Panel(p, "reverse RED Reno") for p in ("throughput", "relative", "losses")),
    "figure-20": tuple(Panel(p, "reverse enhanced RED Reno") for p in ("throughput", "relative")),
    "figure-21": tuple(Panel(p, "reverse DRR Reno") for p in ("throughput", "relative")),
}

DRAWINGS: dict[str, Callable[[Measured], Drawing]] = {
    **{name: partial(_draw, name=name, panels=panels) for name, panels in PANELS.items()},
    "figure-1": networks.forward,
    "figure-17": networks.reverse,
    "figure-4": queues.sufficient,
    "figure-6": queues.insufficient,
    "figure-8": partial(cycle_figures.figure_8, sheets=SHEETS),
    "figure-9": partial(cycle_figures.figure_9, sheets=SHEETS),
    "figure-14": partial(cycle_figures.figure_14, sheets=SHEETS),
    "figure-10": figure_10,
    "figure-15": figure_15,
    "fairness": fairness,
}
