"""The figures of chapter 5: stability, epochs, step response, the fuzzy sets, predictors, Kalman gains, and the choice of the set-point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....base.palette import BLUE, GREEN, GREY, GRID, INK, PALE, PURPLE, VERMILION
from ...claims import Runs
from ...formulas.estimators import FuzzySets, kalman_gains, kalman_steady
from ...formulas.rate_control import epoch_trace, law_eigenvalues
from ...formulas.setpoint import queue_spread, shares_of_normal
from ...sheets import Sheets
from . import simulations as m
from . import walks as w
from .predictors import synthetic
from .theory import HALF, MU, RTT, TRACED, greatest
from .walks import Walks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

COLOURS = (VERMILION, BLUE, GREEN, PURPLE)
LINES = ("-", "--", "-.", ":")


SHEETS = Sheets(__file__)


def stability() -> Drawing:
    """Greatest |z| over alpha: as printed, true, index trap."""
    sheet = SHEETS.open("stability")
    (axes,) = sheet.axes
    alphas = np.linspace(0.005, 2.3, 460)
    curves: dict[str, list[float]] = {
        "printed: S an outside input": [max(abs(z) for z in law_eigenvalues(a, as_printed=True)) for a in alphas],
        "true: 1 − alpha": [greatest(a, "offset_free") for a in alphas],
        "queue of the epoch's end (trap)": [greatest(a, "index_trap") for a in alphas],
    }
    for (name, y), colour, line in zip(curves.items(), COLOURS, LINES, strict=False):
        axes.plot(alphas, y, color=colour, ls=line, lw=1.5, label=name)
    axes.axhline(1, color=INK, lw=0.8)
    axes.axhspan(0, 1, color="#f1f5ef", zorder=0)
    axes.text(2.28, 0.95, "stable", ha="right", va="top", fontsize=9)
    for x, colour in ((1.0, VERMILION), (2.0, BLUE), (2 / 3, GREEN)):
        axes.plot(x, 1, marker="o", ms=6, mfc="white", mec=colour)
    return sheet.done()


def epochs() -> Drawing:
    """Queue and rate of the four laws, epoch by epoch; the trap's until it leaves the picture."""
    sheet = SHEETS.open("epochs")
    left, right = sheet.axes
    for (name, law, alpha), colour, line, marker in zip(TRACED, COLOURS, LINES, "osD^", strict=True):
        trace = epoch_trace(MU, RTT, HALF, 11, alpha=alpha, law=law)
        if law == "index_trap":
            trace = trace[:6]
        k = range(len(trace))
        for axes, y in ((left, [e.queue for e in trace]), (right, [e.rate for e in trace])):
            axes.plot(k, y, color=colour, ls=line, marker=marker, ms=4, mfc="none", lw=1.2, label=name)
    left.axhline(HALF, color=GREY, lw=0.7)
    for axes, at in ((left, (5.2, -5.2)), (right, (4.2, -5.2))):
        axes.annotate("the trap grows\nwithout bound", at, fontsize=8.5, color=GREY, va="bottom")
    return sheet.done()


def step(runs: Runs) -> Drawing:
    """The bench: S and lambda, simulated and as a fluid; then the laws against each other."""
    sheet = SHEETS.open("step")
    top, middle, bottom = sheet.axes
    fluid, outcome = m.fluid(), runs.base["per probe"]
    for axes, kind, y in ((top, "in_flight", fluid.outstanding), (middle, "rate", fluid.rate)):
        times, values = outcome.trace(kind, m.SOURCE)
        axes.step(
            np.append(times, runs.end), np.append(values, values[-1]),
            where="post", color=BLUE, lw=0.8, alpha=0.8, label="simulated",
        )  # fmt: skip
        axes.plot(fluid.times, y, color=VERMILION, lw=1.4, ls="--", label="fluid")
    ends = [*(at for at, _ in m.CHANGES[1:]), 180.0]
    rest = [m.SETPOINT + m.ROUND_TRIP * mu for _, mu in m.CHANGES]
    mus = [mu for _, mu in m.CHANGES]
    for axes, levels, name in ((top, rest, r"set-point $+\ R\mu$"), (middle, mus, r"$\mu$")):
        axes.hlines(levels, [at for at, _ in m.CHANGES], ends, color=GREY, lw=0.9, label=name)
    for law, colour, line in (
        ("per probe", BLUE, "-"),
        ("per round trip", GREEN, (0, (5, 1))),
        ("as printed", VERMILION, "-."),
    ):
        times = m.grid(30, 180, 0.5)
        waiting = m.sampled(runs.base[law].port_trace("backlog", m.LINE), m.grid(29.5, 180.5, 0.1))
        # Over a second, so that the pairs do not hide the queue.
        smooth = np.convolve(waiting, np.ones(10) / 10, mode="valid")[::5][: len(times)]
        bottom.plot(times[: len(smooth)], smooth, color=colour, ls=line, lw=1.2, label=law)
    bottom.axhline(m.SETPOINT, color=GREY, lw=0.9)
    return sheet.done()


def sets() -> Drawing:
    """What took the place of figure 5.2: memberships, and the weights that follow."""
    sheet = SHEETS.open("sets")
    left, right = sheet.axes
    default, x = FuzzySets(), np.linspace(0, 1, 401)
    for i, (name, colour) in enumerate(zip(("low", "medium", "high"), COLOURS, strict=False)):
        left.plot(x, [default.membership(v)[i] for v in x], color=colour, ls=LINES[i], label=name)
    others = (("points 0.1, 0.5, 0.9 up to 0.5 (default)", default), ("points 0, 0.5, 1 up to 1", FuzzySets(1.0, (0.0, 0.5, 1.0))),
              ("triangles up to 1", FuzzySets.triangles()))  # fmt: skip
    for letter, colour in ((r"$\alpha$", BLUE), (r"$\beta$", VERMILION)):
        for (name, s), line in zip(others, LINES, strict=False):
            y = [s.past(v) if colour == BLUE else s.weight(v) for v in x]
            right.plot(x, y, color=colour, ls=line, label=f"{letter}, {name}")
    handles, labels = right.get_legend_handles_labels()
    sheet.drawing.legend(handles, labels, frameon=False, loc="outside lower center", ncols=2, fontsize=9)
    return sheet.done()


def predictors() -> Drawing:
    """Predictors on a made-up series."""
    sheet = SHEETS.open("predictors")
    (axes,) = sheet.axes
    series = synthetic()
    looks = {"probe": (PALE, ":"), "fuzzy": (VERMILION, "-"), "alpha 0.1": (GREEN, "-."), "alpha 0.9": (BLUE, "--")}
    for name, (colour, line) in looks.items():
        label = {"probe": "probes", "fuzzy": "fuzzy"}.get(name, f"fixed {name}")
        k = np.arange(len(series[name]))
        if name == "probe":
            axes.plot(k, series[name], color=colour, ls="", marker="o", ms=3, label=label)
        else:
            axes.plot(k, series[name], color=colour, ls=line, lw=1.2, label=label)
    for at, text in ((12, "doubled"), (28, "spike"), (40, "dip"), (52, "halved"), (68, "noise ±10 %"), (88, "steps")):
        axes.annotate(text, (at, 42.5), fontsize=9, ha="left")
        axes.axvline(at, color=GRID, lw=0.7, zorder=0)
    axes.margins(x=0.01)
    return sheet.done()


def kalman() -> Drawing:
    """Gains of the Kalman filter from both starts."""
    sheet = SHEETS.open("kalman")
    (axes,) = sheet.axes
    for x, colour in ((0.01, VERMILION), (0.1, BLUE), (0.25, GREEN), (1.0, PURPLE)):
        for known, line, marker in ((True, "-", "o"), (False, "--", "s")):
            gains = kalman_gains(1, x, 1, 16, known_start=known)[:, 1]
            axes.plot(gains, color=colour, ls=line, marker=marker, ms=3.5, mfc="none", lw=1.1)
        axes.plot([], [], color=colour, label=f"q/r = {x:g}")
        axes.plot(15.6, kalman_steady(x, 1), marker="<", color=colour, ms=6, clip_on=False)
    axes.plot([], [], color=GREY, marker="o", mfc="none", ms=4, label="P(0) = 0")
    axes.plot([], [], color=GREY, ls="--", marker="s", mfc="none", ms=4, label="from the first probe")
    return sheet.done()


def setpoints(walks: Walks) -> Drawing:
    """The distribution of the queue for three set-points, and what each set-point loses."""
    sheet = SHEETS.open("setpoints", buffer=w.BUFFER)
    left, right = sheet.axes
    for s, colour, line in zip(w.SETPOINTS, COLOURS, LINES, strict=False):
        waiting = [
            m.sampled(o.port_trace("backlog", m.LINE), m.grid(60, w.SECONDS))
            for o in walks.over_seeds("setpoint", f"{s:g}")
        ]
        share = [float(np.mean([(x == n).mean() for x in waiting])) for n in range(w.BUFFER + 1)]
        left.plot(share, color=colour, ls=line, marker="o", ms=4, label=f"set-point {s:g}")
    curve = np.linspace(0.5, 9.5, 91)
    shares = [shares_of_normal(float(s), queue_spread(w.SIGMA, m.ROUND_TRIP), w.BUFFER) for s in curve]
    right.plot(curve, [s.empty for s in shares], color=VERMILION, lw=1.2, label="N(0), normal")
    right.plot(curve, [s.full for s in shares], color=BLUE, lw=1.2, ls="--", label="N(B), normal")
    found = [m.tradeoff(walks, s) for s in w.SETPOINTS]
    right.plot(
        w.SETPOINTS,
        [t.empty.mean() for t in found],
        color=VERMILION,
        ls="",
        marker="o",
        ms=8,
        mfc="none",
        mew=1.4,
        label="N(0), simulated",
    )
    right.plot(
        w.SETPOINTS,
        [t.full.mean() for t in found],
        color=BLUE,
        ls="",
        marker="x",
        ms=7,
        mew=1.6,
        label="N(B), simulated",
    )
    return sheet.done()
