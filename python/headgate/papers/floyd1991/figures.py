"""Shares against the round trip, beside what the rule of the phase says. Bars go from the least start to the greatest one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import BLUE, GREEN, GREY, PALE, PURPLE, VERMILION
from ..claims import Runs
from ..formulas.phase import phase, phase_winner
from ..sheets import Sheets
from .claims import DELAYS, FIRST, NOISY, SERVICE, decided, round_trip, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: Delays, colour, mark and dashes of each kind of gateway.
SERIES: dict[str, tuple[Iterable[float], str, str, str]] = {
    "Drop Tail": (DELAYS, BLUE, "o", "-"),
    "Random Drop": (DELAYS, VERMILION, "x", "--"),
    "Drop Tail with noise of 10 ms": (NOISY, GREEN, "^", ":"),
    "Drop Tail with noise of 100 ms": (NOISY, PURPLE, "D", "-."),
}

#: Where the rule is drawn: the connection that loses has about a tenth.
SAID = {0: 0.1, None: 0.5, 1: 0.9}


def ratio(delay_ms: float) -> float:
    """The second connection's round trip over the first one's, both without waiting."""
    return round_trip(delay_ms) / round_trip(FIRST)


def rule(axes: Axes) -> None:
    """What the rule says of each round trip about which it says something, and where the number of whole service times changes."""
    first = round_trip(FIRST)
    fine = np.arange(DELAYS[0] - 0.25, DELAYS[-1] + 0.25, 0.01)
    said = [SAID[phase_winner(first, round_trip(d), SERVICE)] if decided(d) else np.nan for d in fine]
    axes.plot(
        [ratio(d) for d in fine],
        said,
        color=PALE,
        alpha=0.6,
        lw=7,
        solid_capstyle="butt",
        zorder=0,
        label="rule of the phase",
    )
    whole = [phase(round_trip(d), SERVICE)[0] for d in fine]
    starts = [0, *(k for k in range(1, len(fine)) if whole[k] != whole[k - 1])]
    for k in starts:
        if k:
            axes.axvline(ratio(fine[k]), color=GREY, lw=0.9, ls="--", zorder=0)
        axes.annotate(
            f"{whole[k]}", (ratio(fine[k]), 1.0), (4, -4), xycoords=("data", "axes fraction"),
            textcoords="offset points", va="top", fontsize=9, color=GREY,
        )  # fmt: skip


def round_trips(runs: Runs) -> Drawing:
    """The second connection's share with each gateway."""
    sheet = SHEETS.open("round-trips")
    (axes,) = sheet.axes
    rule(axes)
    for kind, (delays, colour, mark, dashes) in SERIES.items():
        got = np.array([shares(runs, f"{kind} {d:g}") for d in delays]).T
        mean = got.mean(axis=0)
        # A mean may be one rounding beyond its only value.
        bars = np.maximum(0, [mean - got.min(axis=0), got.max(axis=0) - mean])
        axes.errorbar(
            [ratio(d) for d in delays], mean, yerr=bars, color=colour, marker=mark, mfc="white", ls=dashes, ms=5,
            lw=1.0, elinewidth=0.9, label=kind,
        )  # fmt: skip
    return sheet.done()


DRAWINGS: dict[str, dict[str, Callable[[Runs], Drawing]]] = {"round-trips": {"round-trips": round_trips}}
