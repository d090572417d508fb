"""Figures like the paper's, with 95 % intervals of the mean over the runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.palette import COLOURS
from ...stats import Mean, mean_of
from ..claims import Runs
from ..sheets import Sheets
from . import idle, theory
from . import measures as m

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

SHEETS = Sheets(__file__)

#: Colour, marker and line of each scheme.
LOOKS = {
    "DRR": (COLOURS[0], "o", "-"),
    "CSFQ": (COLOURS[1], "s", "-"),
    "FRED-1": (COLOURS[2], "^", "--"),
    "FRED-2": (COLOURS[3], "v", "--"),
    "RED": (COLOURS[4], "D", ":"),
    "FIFO": (COLOURS[6], "x", ":"),
}

_GREY = "#666666"


def curve(axes: Axes, x: Iterable[float], found: list[Mean], look: tuple[str, str, str], label: str) -> None:
    """Means with their intervals."""
    colour, marker, line = look
    y, half = [f.mean for f in found], [0.0 if np.isnan(f.half) else f.half for f in found]
    axes.errorbar(
        list(x), y, yerr=half, color=colour, marker=marker, ls=line, ms=4, lw=1.1, elinewidth=0.8, label=label
    )


def share(axes: Axes, y: float, text: str, place: float = 1.0, below: bool = False) -> None:
    """A line at the fair share, with its name above or below."""
    axes.axhline(y, color=_GREY, lw=0.8, ls=(0, (6, 3)), zorder=0)
    foot: dict[str, Any] = {
        "xycoords": ("axes fraction", "data"),
        "xytext": (-3, -13 if below else 3),
        "textcoords": "offset points",
    }
    axes.annotate(text, (place, y), ha="right", fontsize=8.5, color=_GREY, **foot)


def figure_3a(runs: Runs) -> Drawing:
    """Throughput of each flow."""
    sheet = SHEETS.open("figure-3a")
    (axes,) = sheet.axes
    for scheme in m.SCHEMES:
        curve(axes, range(32), m.flows(runs, scheme, *m.UDP_FLOWS), LOOKS[scheme], scheme)
    share(axes, m.FAIR, "fair share", below=True)
    return sheet.done()


def figure_3b(runs: Runs) -> Drawing:
    """Throughput of each flow, the UDP flow first."""
    sheet = SHEETS.open("figure-3b")
    (axes,) = sheet.axes
    for scheme in m.SCHEMES:
        curve(axes, range(32), m.flows(runs, scheme, "udp", *m.TCP_FLOWS), LOOKS[scheme], scheme)
    share(axes, m.FAIR, "fair share")
    return sheet.done()


def figure_4(runs: Runs) -> Drawing:
    """The TCP flow's throughput over its fair share, against the number of flows."""
    sheet = SHEETS.open("figure-4")
    (axes,) = sheet.axes
    for scheme in m.SCHEMES:
        curve(axes, m.NUMBERS, [m.normalised(runs, scheme, n) for n in m.NUMBERS], LOOKS[scheme], scheme)
    share(axes, 1, "fair share")
    return sheet.done()


def figure_6(runs: Runs) -> Drawing:
    """What the flow across gets, against the number of links."""
    sheet = SHEETS.open(runs.item.name)
    (axes,) = sheet.axes
    for scheme in m.SCHEMES:
        curve(axes, m.LINKS, [m.across(runs, scheme, k) for k in m.LINKS], LOOKS[scheme], scheme)
    return sheet.done()


def _over_time(runs: Runs, when: str, name: str) -> Drawing:
    """Throughput of TCP and of the sessions against time, in the base run, a panel for each scheme; means over 5 s."""
    sheet = SHEETS.open(name)
    looks = ((COLOURS[6], "-", 1.3), (COLOURS[1], "-", 0.9), (COLOURS[0], "--", 0.9), (COLOURS[2], ":", 1.2))
    for axes, scheme in zip(sheet.axes, m.SCHEMES, strict=True):
        for flow, label, (colour, line, width) in zip(
            ("tcp", *m.RLM_FLOWS), ("TCP", "RLM 1", "RLM 2", "RLM 3"), looks, strict=True
        ):
            got = runs.intervals(m.figure_7(scheme, when), "throughput", flow)
            means = got[: got.size // 5 * 5].reshape(-1, 5).mean(axis=1)
            axes.plot(5 * np.arange(means.size) + 2.5, means, color=colour, ls=line, lw=width, label=label)
        axes.axhline(1, color=_GREY, lw=0.8, ls=(0, (6, 3)), zorder=0)
    return sheet.done()


def figure_7(runs: Runs) -> Drawing:
    """TCP starts first."""
    return _over_time(runs, "", "figure-7")


def figure_7_last(runs: Runs) -> Drawing:
    """TCP starts at 300 s."""
    return _over_time(runs, ", TCP last", "figure-7-last")


#: What the panels of the sensitivity are about: the axis, how the variants are called, and their values.
VARIED: tuple[tuple[str, tuple[tuple[float, str], ...]], ...] = (
    ("K", tuple((v, "nothing" if v == 100 else f"K {v} ms") for v in (20, 50, 100, 200, 500))),
    ("K_alpha", tuple((v, "nothing" if v == 100 else f"K_alpha {v} ms") for v in (20, 50, 100, 200, 500))),
    ("K_c", tuple((v, "nothing" if v == 100 else f"K_c {v} ms") for v in (20, 50, 100, 200, 500))),
    ("timeout", ((50, "timeout 50 ms"), (100, "timeout 100 ms"), (200, "timeout 200 ms"), (500, "timeout 500 ms"), (1000, "timeout 1 s"))),
    ("delay", ((1, "nothing"), (5, "delay 5 ms"), (20, "delay 20 ms"), (50, "delay 50 ms"))),
    ("buffer", ((32, "buffer 32 KB"), (64, "nothing"), (128, "buffer 128 KB"), (256, "buffer 256 KB"))),
)  # fmt: skip


def sensitivity(runs: Runs) -> Drawing:
    """What the UDP flow of figure 3b gets, against one parameter at a time."""
    sheet = SHEETS.open("sensitivity")
    for axes, (_, points) in zip(sheet.axes, VARIED, strict=True):
        x = [v for v, _ in points]
        for label, network, look in (
            ("from 0 to 10 s", "3b", (COLOURS[1], "s", "-")),
            ("from 10 to 20 s", "3b after 10 s", (COLOURS[0], "o", "--")),
        ):
            curve(axes, x, [m.udp(runs, f"{network} {name}") for _, name in points], look, label)
        axes.axhline(m.FAIR, color=_GREY, lw=0.8, ls=(0, (6, 3)), zorder=0)
        axes.axhline(0.361, color=_GREY, lw=0.8, ls=":", zorder=0)
    return sheet.done()


#: The sets of rules, as they are called.
RULES = (("paper", "nothing"), ("figure_2", "rules figure_2"), ("published_code", "rules published_code"))


def rules(runs: Runs) -> Drawing:
    """The three sets of rules: the UDP flow of figure 3b, and the shares of figure 3a."""
    sheet = SHEETS.open("rules")
    left, right = sheet.axes
    for i, (_, variant) in enumerate(RULES):
        for shift, network, look, marker, label in (
            (-0.08, "3b", COLOURS[1], "s", "from 0 to 10 s"),
            (0.08, "3b after 10 s", COLOURS[0], "o", "from 10 to 20 s"),
        ):
            got = m.udp(runs, f"{network} {variant}")
            left.errorbar(
                i + shift, got.mean, yerr=got.half, color=look, marker=marker, ms=6, ls="", label="" if i else label
            )
        for of, look, marker, label in zip(
            m.offs(runs, f"3a {variant}"), (COLOURS[0], COLOURS[2]), "v^", ("lowest flow", "highest flow"), strict=True
        ):
            off = mean_of(of)
            right.errorbar(i, off.mean, yerr=off.half, color=look, marker=marker, ms=6, ls="", label="" if i else label)
    for axes in sheet.axes:
        axes.set_xticks(range(3), [name for name, _ in RULES])
        axes.set_xlim(-0.5, 2.5)
    left.set_ylim(0)
    share(left, m.FAIR, "fair share", 0.4)
    right.set_ylim(-20, 20)
    share(right, 0, "fair share", 0.45)
    return sheet.done()


def idle_line(runs: Runs) -> Drawing:
    """When congestion is found, and how long the queue is by then."""
    sheet = SHEETS.open("idle-line")
    left, right = sheet.axes
    x = np.array([float(v) for v in idle.LOADS])
    smooth = np.geomspace(1.1, 12, 200)
    left.plot(smooth, [1e3 * idle.detected(v) for v in smooth], color=_GREY, lw=1, label="A = C: K ln(x/(x − 1))")
    for rules_, (look, marker) in zip(
        idle.RULES, ((COLOURS[0], "o"), (COLOURS[1], "s"), (COLOURS[2], "^")), strict=True
    ):
        first = [1e3 * idle.first_overflow(runs, f"{rules_} {v}") for v in idle.LOADS]
        left.plot(
            x,
            [t if t < 500 else np.nan for t in first],
            color=look,
            marker=marker,
            ms=5,
            ls="",
            label=f"first overflow: {rules_}",
        )
    right.plot(smooth, [idle.fluid_queue(v) for v in smooth], color=_GREY, lw=1, label="fluid, nothing dropped")
    right.plot(
        x,
        [idle.peak(runs, f"paper {v}") for v in idle.LOADS],
        color=COLOURS[0],
        marker="o",
        ms=5,
        ls="",
        label="ours (paper)",
    )
    right.axhline(1, color=_GREY, lw=0.8, ls="--", zorder=0)
    return sheet.done()


def weights(runs: Runs) -> Drawing:
    """What each flow gets, with its weight and without."""
    sheet = SHEETS.open("weights")
    (axes,) = sheet.axes
    weights_ = (1, 2, 4, 8)
    axes.plot([0, 8.5], [0, 8.5 * 10 / 15], color=_GREY, lw=0.8, ls=(0, (6, 3)), label="ideal with weights")
    for variant, look, label in (
        ("CSFQ", (COLOURS[1], "s", ""), "with weights"),
        ("CSFQ without weights", (COLOURS[0], "o", ""), "all weights 1"),
    ):
        got = [m.mean(runs, variant, "throughput", f"weight{w}") for w in weights_]
        curve(axes, weights_, got, look, label)
    axes.set_xticks(weights_)
    axes.set_xlim(0, 8.5)
    axes.set_ylim(0)
    return sheet.done()


def theorem(runs: Runs) -> Drawing:
    """Bursts in whole runs and without a buffer, and random flows, against the bound."""
    sheet = SHEETS.open("theorem")
    left, right = sheet.axes
    found = [theory.measured_excess(runs, k) for k in theory.KS]
    alone = [theory.without_buffer(k / 1e3) for k in theory.KS]
    bounds = np.array([bound for _, bound in found])
    for values, (colour, marker), label in (
        ([got for got, _ in found], (COLOURS[0], "o"), "whole run"),
        ([lots.mean() for _, lots in alone], (COLOURS[1], "s"), "by lot, no buffer"),
        ([counted.mean() for counted, _ in alone], (COLOURS[2], "^"), "as the theorem counts"),
    ):
        left.plot(theory.KS, np.array(values) / bounds, color=colour, marker=marker, ms=6, ls="", label=label)
    left.axhline(1, color=_GREY, lw=1, ls=(0, (6, 3)), label="bound")
    right.hist(theory.random_flows(0.1), bins=np.linspace(0, 1.1, 23).tolist(), color=COLOURS[2], edgecolor="white")
    idle_burst = theory.burst_from_idle(0.1)
    right.axvline(idle_burst, color=COLOURS[3], lw=1.4, ls="-.")
    right.annotate(
        "one burst\nfrom idle", (idle_burst, 15), (-5, 0), textcoords="offset points", ha="right", fontsize=8.5
    )
    right.axvline(1, color=_GREY, lw=1, ls=(0, (6, 3)))
    return sheet.done()


def labels(runs: Runs) -> Drawing:
    """The label's error against the rate."""
    del runs
    sheet = SHEETS.open("labels")
    (axes,) = sheet.axes
    rates = np.geomspace(1, 16, 4000)
    axes.plot(rates, [100 * (1 - theory.decoded(x) / x) for x in rates], color=COLOURS[0], lw=0.9)
    share(axes, 100 / 17, "1/17")
    return sheet.done()


DRAWINGS: dict[str, dict[str, Callable[[Runs], Drawing]]] = {
    "figure-3a": {"figure-3a": figure_3a},
    "figure-3b": {"figure-3b": figure_3b},
    "figure-4": {"figure-4": figure_4},
    "figure-6a": {"figure-6a": figure_6},
    "figure-6b": {"figure-6b": figure_6},
    "figure-7": {"figure-7": figure_7, "figure-7-last": figure_7_last},
    "sensitivity": {"sensitivity": sensitivity, "rules": rules},
    "idle-line": {"idle-line": idle_line},
    "weights": {"weights": weights},
    "section-2": {"theorem": theorem, "labels": labels},
}
