"""The figures of chapter 5: stability, epochs, step response, the fuzzy sets, predictors, Kalman gains, and the choice of the set-point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ....analysis.estimators import FuzzySets, kalman_gains, kalman_steady
from ....analysis.rate_control import epoch_trace, law_eigenvalues
from ....analysis.setpoint import queue_spread, shares_of_normal
from ....plots.canvas import blank
from ...claims import Runs
from . import simulated as m
from . import walks as w
from .predictors import synthetic
from .theory import HALF, MU, RTT, TRACED, greatest
from .walks import Walks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

RED, BLUE, GREEN, PURPLE, GREY = "#b3401f", "#1f5fa8", "#2f7d3b", "#7a4fa3", "#777777"
COLOURS = (RED, BLUE, GREEN, PURPLE)
LINES = ("-", "--", "-.", ":")


def _above(axes: Axes, columns: int, y: float = 1.12) -> None:
    """The legend above the plot."""
    axes.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, y), ncols=columns, fontsize=9)


def _grid(axes: Axes) -> None:
    axes.grid(color="#dddddd", lw=0.5)


def stability() -> Drawing:
    """Greatest |z| over alpha: as printed, true, index trap."""
    drawing = blank()
    axes = drawing.add_subplot()
    alphas = np.linspace(0.005, 2.3, 460)
    curves: dict[str, list[float]] = {
        "printed: S an outside input": [max(abs(z) for z in law_eigenvalues(a, as_printed=True)) for a in alphas],
        "true: 1 − alpha": [greatest(a, "offset_free") for a in alphas],
        "queue of the epoch's end (trap)": [greatest(a, "index_trap") for a in alphas],
    }
    for (name, y), colour, line in zip(curves.items(), COLOURS, LINES, strict=False):
        axes.plot(alphas, y, color=colour, ls=line, lw=1.5, label=name)
    axes.axhline(1, color="#222222", lw=0.8)
    axes.axhspan(0, 1, color="#f1f5ef", zorder=0)
    axes.text(2.28, 0.95, "stable", ha="right", va="top", fontsize=9)
    for x, colour in ((1.0, RED), (2.0, BLUE), (2 / 3, GREEN)):
        axes.plot(x, 1, marker="o", ms=6, mfc="white", mec=colour)
    axes.set_xlim(0, 2.3)
    axes.set_ylim(0, 2)
    axes.set_xlabel("alpha")
    axes.set_ylabel("greatest |z| of the eigenvalues")
    _grid(axes)
    _above(axes, 3)
    return drawing


def epochs() -> Drawing:
    """Queue and rate of the four laws, epoch by epoch."""
    drawing = blank(8.4, 4.4)
    left, right = drawing.subplots(1, 2)
    for (name, law, alpha), colour, line, marker in zip(TRACED, COLOURS, LINES, "osD^", strict=True):
        trace = epoch_trace(MU, RTT, HALF, 11, alpha=alpha, law=law)
        k = range(len(trace))
        for axes, y in ((left, [e.queue for e in trace]), (right, [e.rate for e in trace])):
            axes.plot(k, y, color=colour, ls=line, marker=marker, ms=4, mfc="none", lw=1.2, label=name)
    left.axhline(HALF, color=GREY, lw=0.7)
    left.set_ylim(-6, 12)
    right.set_ylim(-6, 24)
    left.set_ylabel("n_b at the beginning of the epoch (packets)")
    right.set_ylabel("lambda (packets/s)")
    for axes in (left, right):
        axes.set_xlabel("epoch")
        _grid(axes)
    handles, labels = left.get_legend_handles_labels()
    drawing.legend(handles, labels, frameon=False, loc="outside upper center", ncols=2, fontsize=9)
    return drawing


def step(runs: Runs) -> Drawing:
    """The bench: S and lambda, simulated and as a fluid; then the laws against each other."""
    drawing = blank(8.4, 8.0)
    top, middle, bottom = drawing.subplots(3, 1, sharex=True)
    fluid, outcome = m.fluid(), runs.base["per probe"]
    for axes, kind, y in ((top, "in_flight", fluid.outstanding), (middle, "rate", fluid.rate)):
        times, values = outcome.trace(kind, m.SOURCE)
        axes.step(
            np.append(times, runs.end), np.append(values, values[-1]),
            where="post", color=BLUE, lw=0.8, alpha=0.8, label="simulated",
        )  # fmt: skip
        axes.plot(fluid.times, y, color=RED, lw=1.4, ls="--", label="fluid")
    ends = [*(at for at, _ in m.CHANGES[1:]), 180.0]
    rest = [m.SETPOINT + m.ROUND_TRIP * mu for _, mu in m.CHANGES]
    mus = [mu for _, mu in m.CHANGES]
    for axes, levels, name in ((top, rest, "set-point + R mu"), (middle, mus, "mu")):
        axes.hlines(levels, [at for at, _ in m.CHANGES], ends, color=GREY, lw=0.9, label=name)
    for law, colour in (("per probe", BLUE), ("per round trip", GREEN), ("as printed", RED)):
        times = m.grid(30, 180, 0.5)
        waiting = m.sampled(runs.base[law].port_trace("backlog", m.LINE), m.grid(29.5, 180.5, 0.1))
        # Over a second, so that the pairs do not hide the queue.
        smooth = np.convolve(waiting, np.ones(10) / 10, mode="valid")[::5][: len(times)]
        bottom.plot(times[: len(smooth)], smooth, color=colour, lw=1.1, label=law)
    bottom.axhline(m.SETPOINT, color=GREY, lw=0.9)
    top.set_ylabel("S (packets)")
    middle.set_ylabel("lambda (packets/s)")
    middle.set_ylim(0, 20)
    bottom.set_ylabel("waiting at the slow line (packets)")
    bottom.set_xlabel("time (s)")
    bottom.set_xlim(30, 180)
    top.set_ylim(0, 22)
    bottom.set_ylim(bottom=0)
    for axes in (top, middle, bottom):
        _grid(axes)
        _above(axes, 3, 1.17)
    return drawing


def sets() -> Drawing:
    """What took the place of figure 5.2: memberships, and the weights that follow."""
    drawing = blank(8.4, 4.4)
    left, right = drawing.subplots(1, 2)
    default, x = FuzzySets(), np.linspace(0, 1, 401)
    for i, (name, colour) in enumerate(zip(("low", "medium", "high"), COLOURS, strict=False)):
        left.plot(x, [default.membership(v)[i] for v in x], color=colour, ls=LINES[i], label=name)
    left.set_xlabel("smoothed error, or its change")
    left.set_ylabel("membership")
    _above(left, 3, 1.15)
    others = (("points .1 .5 .9 to .5 (default)", default), ("points 0 .5 1 to 1", FuzzySets(1.0, (0.0, 0.5, 1.0))),
              ("triangles to 1", FuzzySets.triangles()))  # fmt: skip
    for (name, s), line in zip(others, LINES, strict=False):
        right.plot(x, [s.past(v) for v in x], color=BLUE, ls=line, label=f"alpha, {name}")
        right.plot(x, [s.weight(v) for v in x], color=RED, ls=line)
    right.plot([], [], color=RED, label="beta, of the change, with the same sets")
    right.set_xlabel("smoothed error (alpha), its change (beta)")
    right.set_ylabel("weight of the past")
    right.set_ylim(-0.02, 1.02)
    handles, labels = right.get_legend_handles_labels()
    drawing.legend(handles, labels, frameon=False, loc="outside lower center", ncols=2, fontsize=9)
    for axes in (left, right):
        _grid(axes)
    return drawing


def predictors() -> Drawing:
    """Predictors on a made-up series."""
    drawing = blank(8.4, 4.4)
    axes = drawing.add_subplot()
    series = synthetic()
    looks = {"probe": ("#999999", ":"), "fuzzy": (RED, "-"), "alpha 0.1": (GREEN, "-."), "alpha 0.9": (BLUE, "--")}
    for name, (colour, line) in looks.items():
        label = {"probe": "probes", "fuzzy": "fuzzy"}.get(name, f"fixed {name}")
        k = np.arange(len(series[name]))
        if name == "probe":
            axes.plot(k, series[name], color=colour, ls="", marker="o", ms=3, label=label)
        else:
            axes.plot(k, series[name], color=colour, ls=line, lw=1.2, label=label)
    for at, text in ((12, "doubled"), (28, "spike"), (40, "dip"), (52, "halved"), (68, "noise ±10 %"), (88, "steps")):
        axes.annotate(text, (at, 42.5), fontsize=9, ha="left")
        axes.axvline(at, color="#cccccc", lw=0.7, zorder=0)
    axes.set_xlabel("probe")
    axes.set_ylabel("rate (packets/s)")
    axes.set_ylim(0, 46)
    axes.margins(x=0.01)
    _above(axes, 4)
    return drawing


def kalman() -> Drawing:
    """Gains of the Kalman filter from both starts."""
    drawing = blank()
    axes = drawing.add_subplot()
    for x, colour in ((0.01, RED), (0.1, BLUE), (0.25, GREEN), (1.0, PURPLE)):
        for known, line, marker in ((True, "-", "o"), (False, "--", "s")):
            gains = kalman_gains(1, x, 1, 16, known_start=known)[:, 1]
            axes.plot(gains, color=colour, ls=line, marker=marker, ms=3.5, mfc="none", lw=1.1)
        axes.plot([], [], color=colour, label=f"q/r = {x:g}")
        axes.plot(15.6, kalman_steady(x, 1), marker="<", color=colour, ms=6, clip_on=False)
    axes.plot([], [], color=GREY, marker="o", mfc="none", ms=4, label="P(0) = 0")
    axes.plot([], [], color=GREY, ls="--", marker="s", mfc="none", ms=4, label="from the first probe")
    axes.set_xlabel("epoch (arrows: in the long run)")
    axes.set_ylabel("gain of mu")
    axes.set_xlim(0, 15.6)
    axes.set_ylim(0, 0.75)
    _grid(axes)
    _above(axes, 3, 1.18)
    return drawing


def setpoints(walks: Walks) -> Drawing:
    """The distribution of the queue for three set-points, and what each set-point loses."""
    drawing = blank(8.4, 4.2)
    left, right = drawing.subplots(1, 2)
    for s, colour, line in zip(w.SETPOINTS, COLOURS, LINES, strict=False):
        waiting = [
            m.sampled(o.port_trace("backlog", m.LINE), m.grid(60, w.SECONDS))
            for o in walks.over_seeds("setpoint", f"{s:g}")
        ]
        share = [float(np.mean([(x == n).mean() for x in waiting])) for n in range(w.BUFFER + 1)]
        left.plot(share, color=colour, ls=line, marker="o", ms=4, label=f"set-point {s:g}")
    left.set_xlabel(f"waiting packets (B = {w.BUFFER})")
    left.set_ylabel("share of time, simulated")
    left.set_ylim(bottom=0)
    _above(left, 3)
    curve = np.linspace(0.5, 9.5, 91)
    shares = [shares_of_normal(float(s), queue_spread(w.SIGMA, m.ROUND_TRIP), w.BUFFER) for s in curve]
    right.plot(curve, [s.empty for s in shares], color=RED, lw=1.2, label="N(0), normal")
    right.plot(curve, [s.full for s in shares], color=BLUE, lw=1.2, ls="--", label="N(B), normal")
    found = [m.tradeoff(walks, s) for s in w.SETPOINTS]
    right.plot(w.SETPOINTS, [t.empty.mean() for t in found], color=RED, ls="", marker="o", label="N(0), simulated")
    right.plot(w.SETPOINTS, [t.full.mean() for t in found], color=BLUE, ls="", marker="s", label="N(B), simulated")
    right.set_xlabel("set-point (packets)")
    right.set_ylabel("share of time")
    right.set_ylim(0, 0.3)
    _above(right, 2, 1.17)
    for axes in (left, right):
        _grid(axes)
    return drawing
