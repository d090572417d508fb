"""Figures 5.1 and 5.3, rebuilt from the text: the time diagram of the control, and the prediction system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ....base.palette import BLUE, INK, PALE, VERMILION
from ....plots.canvas import blank

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing


#: Packets that wait at the bottleneck when each marked pair comes; 10 packets/s, and a round trip of 1 s without them.
QUEUES, RATE, ROUND_TRIP = (2, 8, 5), 10.0, 1.0


def time_diagram() -> Drawing:
    """Figure 5.1: marked pairs between source and bottleneck, epoch by epoch; time runs down."""
    figure = blank(height=5.6)
    axes = figure.add_subplot()
    sent, marks = 0.0, []
    for queue in QUEUES:
        came = sent + ROUND_TRIP / 2
        gone = came + queue / RATE
        back = gone + ROUND_TRIP / 2
        axes.plot([0, 1, 1, 0], [sent, came, gone, back], color=BLUE, lw=1.6)
        axes.plot([1, 1], [came, gone], color=VERMILION, lw=4, solid_capstyle="butt")
        for part in (0.25, 0.5, 0.75):
            at = sent + part * (back - sent)
            axes.plot([0, 1], [at, at + ROUND_TRIP / 2], color=PALE, lw=0.7, ls=":")
        marks.append((sent, came, gone, back))
        sent = back
    last = sent + ROUND_TRIP / 2
    axes.plot([0, 1], [sent, last], color=BLUE, lw=1.6)
    for x in (0, 1):
        axes.plot([x, x], [-0.15, last + 0.25], color=INK, lw=1.2)
    for k, (queue, (start, came, gone, back)) in enumerate(zip(QUEUES, marks, strict=True)):
        name = ("k - 1", "k", "k + 1")[k]
        follows = (*(m[1] for m in marks[1:]), last)[k]
        _span(axes, -0.15, start, back, f"epoch {name}\nRTT({name}) = {back - start:g} s", "right")
        _span(axes, 1.12, came, follows, f"epoch {name}\n$n_b$({name}) = {queue}", "left")
        axes.text(1.015, (came + gone) / 2, "waits", color=VERMILION, fontsize=8, va="center")
    (a, _, _, b), (_, c, _, _), (_, d, _, _) = marks[1], marks[1], marks[2]
    for x, y, letter in ((0, a, "a"), (0, b, "b"), (1, c, "c"), (1, d, "d")):
        axes.plot(x, y, marker="o", ms=5, color=INK)
        axes.text(
            x + (0.025 if x == 0 else -0.025), y + 0.1, letter, ha="left" if x == 0 else "right", fontweight="bold"
        )
    axes.text(-0.025, b, "NOW", fontsize=9, ha="right", va="center", fontweight="bold")
    axes.text(0, -0.3, "source", ha="center", fontweight="bold")
    axes.text(1, -0.3, "bottleneck", ha="center", fontweight="bold")
    axes.set_xlim(-0.6, 1.6)
    axes.set_ylim(last + 0.3, -0.5)
    axes.set_axis_off()
    return figure


def _span(axes: Axes, x: float, start: float, end: float, text: str, side: str) -> None:
    axes.annotate("", (x, start), (x, end), arrowprops={"arrowstyle": "<->", "color": INK, "lw": 0.9})
    shift = -0.03 if side == "right" else 0.03
    axes.text(x + shift, (start + end) / 2, text, ha=side, va="center", fontsize=9)


#: Boxes of figure 5.3: name, text, centre. The two fuzzy controllers have the same sets.
BOXES = {
    "error": ("relative error\n$|\\tilde\\theta_k - \\hat\\theta_k| / \\tilde\\theta_k$", (0.31, 0.72)),
    "change": ("change of the error", (0.31, 0.2)),
    "beta": ("fuzzy controller\nfor $\\beta$", (0.62, 0.2)),
    "smooth": ("exponential\naverage of the error", (0.62, 0.72)),
    "alpha": ("fuzzy controller\nfor $\\alpha$", (0.94, 0.72)),
    "predict": ("exponential\naverage: predictor", (0.94, 1.15)),
}
WIDTH, HEIGHT = 0.28, 0.2


def prediction_system() -> Drawing:
    """Figure 5.3: how a probe becomes a prediction."""
    figure = blank(height=4.6)
    axes = figure.add_subplot()
    from matplotlib.patches import Rectangle

    for name, (text, (x, y)) in BOXES.items():
        fill = "#e8eef6" if name in ("alpha", "beta") else "white"
        axes.add_patch(Rectangle((x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, ec=INK, lw=1.1, fc=fill))
        axes.text(x, y, text, ha="center", va="center", fontsize=9)
    right, left = WIDTH / 2, -WIDTH / 2
    _arrow(axes, (0.31 + right, 0.72), (0.62 + left, 0.72))
    _arrow(axes, (0.31, 0.72 - HEIGHT / 2), (0.31, 0.2 + HEIGHT / 2))
    _arrow(axes, (0.31 + right, 0.2), (0.62 + left, 0.2))
    _arrow(axes, (0.62, 0.2 + HEIGHT / 2), (0.62, 0.72 - HEIGHT / 2), "$\\beta$: large if the change is large")
    _arrow(axes, (0.62 + right, 0.72), (0.94 + left, 0.72))
    _arrow(axes, (0.94, 0.72 + HEIGHT / 2), (0.94, 1.15 - HEIGHT / 2), "$\\alpha$")
    # Arrows lead from the probe to the predictor and to the error, and from the prediction to the output and back to the error.
    axes.plot([0.02, 0.14, 0.14, 0.14], [1.15, 1.15, 1.15, 0.76], color=INK, lw=1.1)
    _arrow(axes, (0.14, 0.76), (0.31 + left, 0.76))
    _arrow(axes, (0.14, 1.15), (0.94 + left, 1.15))
    axes.text(0.1, 1.18, "probe $\\tilde\\theta_k$", fontsize=10)
    _arrow(axes, (0.94 + right, 1.15), (1.2, 1.15))
    axes.text(1.205, 1.15, "prediction\n$\\hat\\theta_{k+1}$", fontsize=10, va="center")
    axes.plot([1.11, 1.11, 0.08, 0.08], [1.15, 1.38, 1.38, 0.68], color=BLUE, lw=1.1, ls="--")
    _arrow(axes, (0.08, 0.68), (0.31 + left, 0.68), colour=BLUE)
    axes.text(0.6, 1.4, "the prediction before, $\\hat\\theta_k$", ha="center", fontsize=9, color=BLUE)
    axes.set_xlim(0, 1.36)
    axes.set_ylim(0.05, 1.48)
    axes.set_axis_off()
    return figure


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], text: str = "", colour: str = INK) -> None:
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    )
    if text:
        axes.text((start[0] + end[0]) / 2 + 0.015, (start[1] + end[1]) / 2, text, va="center", fontsize=9)
