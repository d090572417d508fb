"""Our runs against the period and the length of bursts, beside the paper's equations. Bars go from the least start to the greatest one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import BLUE, GREEN, GREY, INK, PURPLE, VERMILION
from ..claims import Runs
from ..formulas.shrew import shrew_nulls, shrew_randomized, shrew_throughput
from ..measure import Floats
from ..sheets import Sheets
from .claims import FIGURE_4, FIGURE_12, FIGURE_17, HIGH, KINDS, LINE, LOW, ROUND_TRIPS, TIMEOUTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: Colour, mark and dashes of series, in their order.
LOOKS = ((BLUE, "o", "-"), (VERMILION, "s", "--"), (GREEN, "^", ":"), (PURPLE, "D", "-."))

#: Periods in s of figure 6, lengths of bursts in ms of figures 7 and 10, and of figure 12.
FIGURE_6 = (0.5, 0.6, 0.75, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0, 3.0)
FIGURE_10 = (0, 50, 100, 150, 200)
LENGTHS = (30, 50, 70, 90)


def parts(runs: Runs, variants: Iterable[str], flows: int = 1, line: float = LINE) -> Floats:
    """What all connections get together, as a part of the line: a row for each start, a column for each variant."""
    names = [f"tcp{i}" for i in range(1, flows + 1)]
    return np.array([runs.over(v, "throughput", *names).sum(axis=1) / line for v in variants]).T


def equation_2(low: float, high: float, min_rto_s: float = 1.0) -> tuple[Floats, Floats]:
    """Periods from `low` to `high` and equation (2), with a gap at each null, where it jumps to nothing."""
    nulls = [t for t in shrew_nulls(min_rto_s, 20)[::-1] if low < t < high]
    x = np.array([])
    for start, end in zip((low, *nulls), (*nulls, high), strict=True):
        x = np.concatenate((x, np.linspace(start, end - 1e-6, 80), [np.nan]))
    return x, np.array([np.nan if np.isnan(t) else shrew_throughput(t, min_rto_s) for t in x])


def model(axes: Axes, periods: tuple[float, ...], min_rto_s: float = 1.0, **look: Any) -> None:
    """Equation (2) over these periods."""
    style: dict[str, Any] = {"color": INK, "lw": 1.2, "ls": "-", "label": "equation (2)", "zorder": 2.5, **look}
    axes.plot(*equation_2(periods[0], periods[-1], min_rto_s), **style)


def uprights(axes: Axes, *places: tuple[float, str]) -> None:
    """Dashed lines at these values, with their names on top, where no curve is."""
    at: dict[str, Any] = {"xycoords": ("data", "axes fraction"), "xytext": (3, -4), "textcoords": "offset points"}
    for x, name in places:
        axes.axvline(x, color=GREY, lw=0.9, ls="--", zorder=0)
        axes.annotate(name, (x, 1), va="top", fontsize=8.5, color=GREY, **at)


def dots(axes: Axes, x: Iterable[float], got: Floats, look: tuple[str, str, str], label: str) -> None:
    """Means over the starts, with bars from the least to the greatest one."""
    colour, mark, dashes = look
    mean = got.mean(axis=0)
    # A mean may be one rounding beyond its only value.
    bars = np.maximum(0, [mean - got.min(axis=0), got.max(axis=0) - mean])
    axes.errorbar(
        list(x),
        mean,
        yerr=bars,
        color=colour,
        marker=mark,
        mfc="white",
        ls=dashes,
        ms=5,
        lw=0.9,
        elinewidth=0.9,
        label=label,
    )


def figure_4(runs: Runs) -> Drawing:
    """One connection against the period, and both nulls."""
    sheet = SHEETS.open("figure-4")
    (axes,) = sheet.axes
    model(axes, FIGURE_4)
    dots(axes, FIGURE_4, parts(runs, [f"{t:g}" for t in FIGURE_4]), (BLUE, "o", ""), "runs")
    uprights(axes, *zip(shrew_nulls(count=3), ("minRTO", "minRTO/2", "minRTO/3"), strict=True))
    return sheet.done()


def figure_6(runs: Runs) -> Drawing:
    """Five connections, and one."""
    sheet = SHEETS.open("figure-6")
    (axes,) = sheet.axes
    model(axes, FIGURE_6)
    for flows, look, label in ((1, LOOKS[0], "one connection"), (5, LOOKS[1], "five connections together")):
        dots(axes, FIGURE_6, parts(runs, [f"{flows}, {t:g}" for t in FIGURE_6], flows), look, label)
    return sheet.done()


def figure_7(runs: Runs) -> Drawing:
    """Each of 20 connections against its round trip, without bursts and with bursts of 100 ms."""
    sheet = SHEETS.open("figure-7")
    (axes,) = sheet.axes
    for ms, look, label in ((0, LOOKS[1], "no bursts"), (100, LOOKS[0], "bursts of 100 ms")):
        got = runs.over(f"{ms} ms", "throughput", *(f"tcp{i}" for i in range(1, 21)))
        dots(axes, ROUND_TRIPS, got, look, label)
    uprights(axes, (180, "180 ms (section 5.2.1)"))
    return sheet.done()


def figure_10(runs: Runs) -> Drawing:
    """All 20 connections together against the length of the bursts."""
    sheet = SHEETS.open("figure-10")
    (axes,) = sheet.axes
    dots(axes, FIGURE_10, parts(runs, [f"{ms} ms" for ms in FIGURE_10], 20, 1.0), LOOKS[0], "runs")
    return sheet.done()


def figure_12(runs: Runs) -> Drawing:
    """Kinds of TCP, a panel for each length of bursts."""
    sheet = SHEETS.open("figure-12")
    for axes, ms in zip(sheet.axes, LENGTHS, strict=True):
        model(axes, FIGURE_12)
        for kind, look in zip(KINDS, LOOKS, strict=True):
            dots(axes, FIGURE_12, parts(runs, [f"{kind}, {ms} ms, {t:g}" for t in FIGURE_12]), look, kind)
    return sheet.done()


def figure_15(runs: Runs) -> Drawing:
    """A RED gateway, and Drop Tail."""
    sheet = SHEETS.open("figure-15")
    (axes,) = sheet.axes
    model(axes, FIGURE_12)
    for gateway, look in zip(("Drop Tail", "RED"), LOOKS, strict=False):
        dots(axes, FIGURE_12, parts(runs, [f"{gateway} {t:g}" for t in FIGURE_12]), look, gateway)
    return sheet.done()


def figure_17(runs: Runs) -> Drawing:
    """Minimum timeouts from 1 to 1.2 s: each of them, their mean, and the equations with and without the range."""
    sheet = SHEETS.open("figure-17")
    (axes,) = sheet.axes
    model(axes, FIGURE_17, color=GREY, ls=":", label="equation (2), 1 s")
    smooth = np.geomspace(FIGURE_17[0], FIGURE_17[-1], 400)
    label = "equations (4) to (7)"
    axes.plot(smooth, [shrew_randomized(t, LOW, HIGH) for t in smooth], color=INK, lw=1.2, label=label)
    each = np.array([parts(runs, [f"{m:g}, {t:g}" for t in FIGURE_17]) for m in TIMEOUTS])
    for k, of in enumerate(each.mean(axis=1)):
        axes.plot(FIGURE_17, of, color=GREY, marker="_", ls="", ms=9, label="" if k else "runs, each minimum timeout")
    dots(axes, FIGURE_17, each.mean(axis=0), (BLUE, "o", ""), "runs, their mean")
    uprights(axes, (LOW, "a"), (HIGH, "b"))
    return sheet.done()


DRAWINGS: dict[str, dict[str, Callable[[Runs], Drawing]]] = {
    "figure-4": {"figure-4": figure_4},
    "figure-6": {"figure-6": figure_6},
    "figure-7": {"figure-7": figure_7, "figure-10": figure_10},
    "figure-12": {"figure-12": figure_12},
    "figure-17": {"figure-17": figure_17},
    "figure-15": {"figure-15": figure_15},
}
