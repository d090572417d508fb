"""Figures of BLT beyond its paper; bars are 95 % intervals over the runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...base.palette import BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILION
from ...stats import Mean
from ..formulas import aggregated_variances
from ..measure import Floats
from ..sheets import Sheets

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__, "tradeoff-sheets.toml")

#: Colour, mark and dash of each gateway; TCP's are dotted.
LOOKS = {
    "BLT": (BLUE, "o", "-"),
    "BLT, corrected": (SKY, "v", "-"),
    "strict priority": (GREEN, "P", "-"),
    "FQ": (PURPLE, "D", "--"),
    "DRR": (ORANGE, "s", "--"),
    "CSFQ": (GREY, "x", "--"),
    "FIFO": (VERMILION, "X", "-."),
    "TCP over FIFO": (VERMILION, "<", ":"),
    "TCP over FQ": (PURPLE, ">", ":"),
}


def gateways(loads: Sequence[float], times: Mapping[str, Sequence[Mean]]) -> Drawing:
    """Completion times of BLT's files at other gateways, as far as nearly all files end."""
    sheet = SHEETS.open("gateways")
    (axes,) = sheet.axes
    for name, means in times.items():
        colour, mark, dash = LOOKS[name]
        shown = [(x, 1e3 * m.mean, 1e3 * m.half) for x, m in zip(loads, means, strict=True) if math.isfinite(m.mean)]
        label = name if name.startswith("TCP") else f"BLT over {name}" if not name.startswith("BLT") else name
        x, y, half = zip(*shown, strict=True) if shown else ((), (), ())
        axes.errorbar(
            x, y, yerr=half, color=colour, marker=mark, ls=dash, ms=5.5, lw=1.3, elinewidth=0.9, capsize=2,
            label=label if len(shown) == len(loads) else f"{label} (then collapses)" if shown else f"{label} (collapses)",
        )  # fmt: skip
    return sheet.done()


def row(rows: Mapping[str, Sequence[Mean]], wasted: Sequence[Mean], independent: Sequence[float]) -> Drawing:
    """Completion times by gateways in a row, and the part that the first one carries needlessly."""
    sheet = SHEETS.open("row")
    left, right = sheet.axes
    for name, (colour, mark, dash) in {"BLT": (BLUE, "o", "-"), "TCP over FIFO": (VERMILION, "s", "--")}.items():
        means = rows[name]
        y, half = [1e3 * m.mean for m in means], np.nan_to_num([1e3 * m.half for m in means])
        left.errorbar(
            range(1, 5), y, yerr=half, color=colour, marker=mark, ls=dash, ms=5.5, lw=1.3, elinewidth=0.9, capsize=2,
            label=name,
        )  # fmt: skip
    right.errorbar(
        (2, 3, 4), [m.mean for m in wasted], yerr=np.nan_to_num([m.half for m in wasted]), color=BLUE, marker="o", ms=5.5,
        lw=1.3, elinewidth=0.9, capsize=2, label="BLT, measured",
    )  # fmt: skip
    right.plot((2, 3, 4), independent, color=GREY, ls=":", marker="D", ms=4.5, label="if losses were independent")
    left.set_xticks((1, 2, 3, 4))
    right.set_xticks((2, 3, 4))
    return sheet.done()


def self_similar(counts: Mapping[str, Floats], theory: Mapping[str, float]) -> Drawing:
    """Variance against time of the ON-OFF sources' traffic, with the slopes of the theory."""
    sheet = SHEETS.open("self-similar")
    (axes,) = sheet.axes
    looks = ((GREY, "x"), (ORANGE, "s"), (BLUE, "o"), (VERMILION, "^"))
    for (times, values), (colour, mark) in zip(counts.items(), looks, strict=True):
        lengths, variances = aggregated_variances(values / values.mean(), least=1)
        axes.plot(lengths, variances, ls="", color=colour, marker=mark, ms=5, label=f"{times}: H = {theory[times]:.2f}")
        # The theory's slope, through the point in the middle.
        middle = len(lengths) // 2
        due = variances[middle] * (lengths / lengths[middle]) ** (2 * theory[times] - 2)
        axes.plot(lengths, due, color=colour, lw=1, ls="--")
    axes.plot([], [], color=GREY, lw=1, ls="--", label="slope 2H − 2 of the theory")
    return sheet.done()


def rivals(found: Mapping[tuple[str, str], tuple[float, float, float]]) -> Drawing:
    """Completion times of BLT's files and a rival's, and those of the rival beside flows of the same kind."""
    sheet = SHEETS.open("rivals")
    names = list(dict.fromkeys(rival for rival, _ in found))
    looks = (
        ("BLT's files", BLUE, "o", "full"),
        ("rival's files", VERMILION, "s", "full"),
        ("rival beside its own kind", VERMILION, "s", "none"),
    )
    for axes, gateway in zip(sheet.axes, dict.fromkeys(g for _, g in found), strict=True):
        for which, (label, colour, mark, fill) in enumerate(looks):
            values = [found[rival, gateway][which] * 1e3 for rival in names]
            places = len(names) - 1 - np.arange(len(names)) + (0.2, 0.0, -0.2)[which]
            axes.plot(values, places, ls="", marker=mark, ms=7, color=colour, fillstyle=fill, label=label)
    return sheet.done()
