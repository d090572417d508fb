"""The paper's curves against the arrival rate, and figures of many networks at once.

Bars are 95 % intervals over the repetitions unless a figure says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import BLUE, GREEN, GREY, INK, ORANGE, PURPLE, SKY, VERMILION
from ...stats import mean_of
from ..claims import Runs
from ..measure import Floats
from ..sheets import Sheet, Sheets
from .claims import queue
from .curves import LENGTHS, Set, without_ack
from .grid import LOADS, Measured
from .measures import half_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: Colours by scheme and by place of the bottleneck; marks show the bottleneck, dashes the scheme.
COLOURS = {"TCP": (ORANGE, VERMILION, PURPLE), "BLT": (SKY, BLUE, GREEN), "BT": (GREY,)}
DASHES = {"TCP": "--", "BLT": "-", "BT": ":"}
MARKS = ("o", "s", "^")

#: What a measure is divided by where it is shown.
UNITS = {"throughput": 1e6, "response": 1e-3}


def _values(m: Measured, name: str, loads: tuple[float, ...] = LOADS) -> tuple[Floats, Floats]:
    """Means and halves of their intervals over the repetitions."""
    found = [mean_of(m.at(load, name) / UNITS.get(name, 1.0)) for load in loads]
    return np.array([x.mean for x in found]), np.nan_to_num([x.half for x in found])


def done(sheet: Sheet) -> Drawing:
    """A finished figure; a logarithmic axis of rates has 1, 2 and 5 of each decade, written out."""
    from matplotlib.ticker import FixedLocator, NullLocator

    drawing = sheet.done()
    for axes in sheet.axes:
        if axes.get_xscale() == "log":
            axes.xaxis.set_major_locator(FixedLocator([x * 10.0**k for k in range(-2, 5) for x in (1, 2, 5)]))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.xaxis.set_major_formatter("{x:g}")
    return drawing


def curve(axes: Axes, m: Measured, name: str, place: int = 0, label: str = "") -> None:
    """One curve of a measure."""
    scheme = m.curve.scheme
    means, halves = _values(m, name)
    rates = [m.curve.rate(load) for load in LOADS]
    axes.errorbar(
        rates, means, yerr=halves, color=COLOURS[scheme][place], ls=DASHES[scheme], lw=1.4, marker=MARKS[place], ms=4.5,
        elinewidth=0.9, capsize=2, label=label or f"{scheme} {m.curve.network.bottleneck}",
    )  # fmt: skip


def _all(axes: Axes, s: Set, name: str) -> None:
    for curves in s.schemes.values():
        for place, m in enumerate(curves.values()):
            curve(axes, m, name, place)


def load(s: Set) -> Drawing:
    """Figure 5: throughput, response time and power against the load, with the maximum of power."""
    sheet = SHEETS.open("load")
    for m in (s.tcp[30], s.blt[30]):
        best = LOADS[int(m.values("power").argmax())]
        for axes, name in zip(sheet.axes, ("throughput", "response", "power"), strict=True):
            curve(axes, m, name, 1, m.curve.scheme)
            axes.axvline(m.curve.rate(best), color=COLOURS[m.curve.scheme][1], ls=DASHES[m.curve.scheme], lw=0.8)
    return done(sheet)


def response(s: Set) -> Drawing:
    """Figure 6, with the paper's intervals: 90 %, of three runs."""
    sheet = SHEETS.open("response")
    for place, m in enumerate((s.tcp[30], s.blt[30])):
        first = [m.points[load].of("response")[0] * 1e3 for load in LOADS]
        look: dict[str, Any] = {
            "color": COLOURS[m.curve.scheme][1],
            "ls": DASHES[m.curve.scheme],
            "marker": MARKS[place],
        }
        sheet.axes[0].errorbar(
            [m.curve.rate(x) for x in LOADS], [x.mean() for x in first], yerr=[half_width(x) for x in first],
            lw=1.4, ms=5, elinewidth=0.9, capsize=3, label=m.curve.scheme, **look,
        )  # fmt: skip
    return done(sheet)


def busy(s: Set) -> Drawing:
    """Figure 7: how much of the time the bottleneck is busy, duplicates included."""
    sheet = SHEETS.open("busy")
    for place, m in enumerate((s.tcp[30], s.blt[30])):
        curve(sheet.axes[0], m, "busy", place, m.curve.scheme)
    rates = [s.blt[30].curve.rate(load) for load in LOADS]
    sheet.axes[0].plot(rates, LOADS, color=GREY, lw=1, ls=":", label="what the files ask for")
    return done(sheet)


def queues(runs: Runs) -> Drawing:
    """Figure 8: the queue at S1 at the start, and later."""
    sheet = SHEETS.open("queues")
    for axes, (variant, colour) in zip(sheet.axes, (("TCP", VERMILION), ("BLT", BLUE)), strict=True):
        at, values = queue(runs, variant)
        wanted = at <= 5
        axes.step(at[wanted], values[wanted], where="post", color=colour, lw=0.8)
    return done(sheet)


def one(sheet: str, s: Set, name: str) -> Drawing:
    """Both schemes at all bottlenecks: one measure."""
    opened = SHEETS.open(sheet)
    _all(opened.axes[0], s, name)
    return done(opened)


def two(s: Set) -> Drawing:
    """Power and fairness side by side."""
    sheet = SHEETS.open("power-fairness")
    for axes, name in zip(sheet.axes, ("power", "fair"), strict=True):
        _all(axes, s, name)
    return done(sheet)


def three(s: Set) -> Drawing:
    """Power, the maximum power without the delay of the acknowledgement, and fairness."""
    sheet = SHEETS.open("small-files")
    power, without, fair = sheet.axes
    _all(power, s, "power")
    _all(fair, s, "fair")
    for place, scheme in enumerate(s.schemes):
        for values, fill, label in (
            (s.greatest(scheme), "full", scheme), (without_ack(s, scheme), "none", f"{scheme}, R less 15 ms"),
        ):  # fmt: skip
            without.plot(
                s.bottlenecks, values, color=COLOURS[scheme][1], ls=DASHES[scheme], marker=MARKS[place], ms=6,
                fillstyle=fill, lw=1.2, label=label,
            )  # fmt: skip
    return done(sheet)


def bully(s: Set, bt: Measured) -> Drawing:
    """Power and fairness of all three schemes at 30 Mbit/s."""
    sheet = SHEETS.open("power-fairness")
    for axes, name in zip(sheet.axes, ("power", "fair"), strict=True):
        for place, m in enumerate((s.tcp[30], s.blt[30])):
            curve(axes, m, name, place + 1, m.curve.scheme)
        # Its repetitions differ by decades at its collapse: each is a point, and the line is their mean.
        rates = np.array([bt.curve.rate(load) for load in LOADS])
        axes.plot(rates, _values(bt, name)[0], color=GREY, ls=DASHES["BT"], lw=1.4)
        every = np.array([bt.at(load, name) for load in LOADS])
        axes.plot(rates, every, color=GREY, ls="", marker="x", ms=4)
        axes.plot([], [], color=GREY, ls=DASHES["BT"], marker="x", ms=4, label="BT (each repetition)")
    return done(sheet)


def plane(sets: Mapping[str, Set]) -> Drawing:
    """Figure 14, from measurements: at each point of the plane the ratio of BLT's maximum power to TCP's, with all of the rate."""
    sheet = SHEETS.open("plane")
    (axes,) = sheet.axes
    delays = np.array([0.8, 80.0])
    for product, text in ((33750, "34 KB"), (56250, "56 KB"), (562500, "0.56 MB"), (3750000, "3.75 MB")):
        axes.plot(delays, product * 8 / (delays * 1e3), color=GREY, lw=0.9, ls="--")
        # The name stands where the line enters the panel.
        at = max(0.85, product * 8 / 2.4e6)
        axes.annotate(
            text, (at, product * 8 / (at * 1e3)), color=GREY, fontsize=9, xytext=(5, 3), textcoords="offset points",
        )  # fmt: skip
    for s in sets.values():
        if s.packets == 200:
            gap = s.gaps()[-1]
            axes.scatter(s.delay, s.line, s=60 + 260 * gap, color=BLUE, marker="o", zorder=3)
            # Below the lowest line there is room; above it the name would cross the next line.
            shift = (-14, -24) if s.line * s.delay < 300 else (0, 14)
            axes.annotate(
                f"{10**gap:.1f} times", (s.delay, s.line), xytext=shift, textcoords="offset points", ha="center",
                fontsize=9.5, color=INK, bbox={"fc": "white", "ec": "none", "pad": 1.0},
            )  # fmt: skip
    return done(sheet)


def _bars(axes: Axes, groups: Sequence[tuple[str, float, float, float, float]]) -> None:
    """Pairs of bars: name, TCP and BLT, and halves of their intervals."""
    x = np.arange(len(groups))
    for shift, at, colour, hatch, scheme in ((-0.2, 1, VERMILION, "///", "TCP"), (0.2, 2, BLUE, "", "BLT")):
        heights, errors = [g[at] for g in groups], [g[at + 2] for g in groups]
        axes.bar(
            x + shift, heights, 0.38, yerr=errors, color="white" if hatch else colour, edgecolor=colour, hatch=hatch,
            error_kw={"elinewidth": 0.9, "ecolor": INK}, capsize=2, label=scheme, zorder=2,
        )  # fmt: skip
    axes.set_xticks(x, [g[0] for g in groups])


def bars(s: Set) -> Drawing:
    """Figure 31: maximum powers, linear."""
    sheet = SHEETS.open("bars")
    groups = []
    for b in s.bottlenecks:
        tcp, blt = (mean_of(10**m.greatest / 1e9) for m in (s.tcp[b], s.blt[b]))
        groups.append((f"{b}", tcp.mean, blt.mean, tcp.half, blt.half))
    _bars(sheet.axes[0], groups)
    return done(sheet)


def all_powers(sets: Mapping[str, Set]) -> Drawing:
    """Figure 30: maximum powers of all configurations, logarithmic."""
    sheet = SHEETS.open("all-powers")
    (axes,) = sheet.axes
    names, place = [], 0.0
    for name, s in sets.items():
        for shift, b in zip((-0.26, 0.0, 0.26), s.bottlenecks, strict=True):
            tcp, blt = float(s.tcp[b].greatest.mean()), float(s.blt[b].greatest.mean())
            axes.plot([tcp, blt], [place - shift] * 2, color=GREY, lw=0.9, zorder=1)
            axes.plot(
                tcp,
                place - shift,
                marker="o",
                ms=5.5,
                color=VERMILION,
                ls="",
                label="TCP" if place == shift == 0 else None,
            )
            axes.plot(
                blt, place - shift, marker="s", ms=5.5, color=BLUE, ls="", label="BLT" if place == shift == 0 else None
            )
        names.append(name)
        place -= 1
    axes.set_yticks(-np.arange(len(names)), names)
    return done(sheet)


def connections(found: Mapping[str, Sequence[Measured]]) -> Drawing:
    """Maximum power, and the throughput of the longest run, against the connections of a run."""
    sheet = SHEETS.open("connections")
    for scheme, colour, mark, dash in (("TCP", VERMILION, "o", "--"), ("BLT", BLUE, "s", "-")):
        for axes, values in zip(
            sheet.axes,
            ([m.greatest for m in found[scheme]], [m.at_best("longest") / 1e6 for m in found[scheme]]),
            strict=True,
        ):
            means = [mean_of(v) for v in values]
            axes.errorbar(
                LENGTHS, [m.mean for m in means], yerr=[m.half for m in means], color=colour, marker=mark, ms=5,
                ls=dash, lw=1.3, elinewidth=0.9, capsize=2, label=scheme,
            )  # fmt: skip
    for axes, printed in zip(sheet.axes, ((8.1, 9.4), (318, 605)), strict=True):
        for value in printed:
            axes.axhline(value, color=GREY, lw=0.9, ls=":")
            axes.annotate(
                f"paper {value:g}",
                (LENGTHS[0], value),
                xytext=(0, 3),
                textcoords="offset points",
                fontsize=8.5,
                color=GREY,
            )
    return done(sheet)
