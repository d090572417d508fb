"""Figures 4 and 6: the queues of DRR, one for each connection or one for two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...plots.canvas import blank
from .measures import INPUTS, Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_GREY = "#555555"
_HEIGHTS = (1.5, 0.5, -0.5, -1.5)

#: The connections of each queue, by their places.
SUFFICIENT = ((0,), (1,), (2,), (3,))
INSUFFICIENT = ((0, 1), (2, 3))


def sufficient(m: Measured) -> Drawing:
    """A queue for each connection."""
    del m
    return _draw(SUFFICIENT)


def insufficient(m: Measured) -> Drawing:
    """Two queues, each with two connections."""
    del m
    return _draw(INSUFFICIENT)


def _draw(queues: Sequence[Sequence[int]]) -> Drawing:
    drawing = blank(7.6, 3.2)
    axes = drawing.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-1.9, 9.3)
    axes.set_ylim(-2.45, 2.3)
    _frame(axes)
    total = INPUTS.sum()
    for number, of in enumerate(queues, 1):
        y = sum(_HEIGHTS[i] for i in of) / len(of)
        share = sum(INPUTS[i] for i in of)
        for i in of:
            axes.text(-0.1, _HEIGHTS[i], f"{INPUTS[i]:.0f} kbit/s", ha="right", va="center", fontsize=9)
            _arrow(axes, (0, _HEIGHTS[i]), (2.15, y))
        _queue(axes, 2.2, y)
        axes.text(3.1, y + 0.3, f"queue {number}", ha="center", va="bottom", fontsize=8.5)
        _arrow(axes, (4.0, y), (5.72, 0.25 * y))
        white = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"}
        axes.text(4.8, 0.64 * y, f"{share:.0f}/{total:.0f}", ha="center", va="center", fontsize=8.5, bbox=white)
    axes.text(-0.1, 2.1, "input links", ha="right", va="center", fontsize=9, color=_GREY)
    axes.text(4.8, 1.75, "share of turns", ha="center", va="center", fontsize=9, color=_GREY)
    axes.plot(6.05, 0, marker="o", ms=30, mfc="white", mec="black", mew=1.2)
    axes.text(6.05, 0, "DRR", ha="center", va="center", fontsize=9)
    axes.plot([6.4, 9.2], [0, 0], color="black", lw=2.4, zorder=0)
    axes.text(7.95, 0.16, "output link\n400 ... 960 kbit/s", ha="center", va="bottom", fontsize=9)
    return drawing


def _frame(axes: Axes) -> None:
    axes.plot([1.35, 6.7, 6.7, 1.35, 1.35], [-2.05, -2.05, 2.05, 2.05, -2.05], color=_GREY, lw=1, ls=(0, (4, 3)))
    axes.text(4.0, -2.2, "router, 60 KB for all queues", ha="center", va="top", fontsize=9)


def _queue(axes: Axes, x: float, y: float) -> None:
    """A queue with three packets in it, open to the left."""
    axes.plot([x, x + 1.8, x + 1.8, x], [y + 0.25, y + 0.25, y - 0.25, y - 0.25], color="black", lw=1.3)
    for k in range(3):
        left = x + 1.8 - 0.4 * (k + 1)
        axes.fill(
            [left, left + 0.36, left + 0.36, left],
            [y - 0.19, y - 0.19, y + 0.19, y + 0.19],
            fc="#cccccc",
            ec="black",
            lw=0.6,
        )


def _arrow(axes: Axes, a: tuple[float, float], b: tuple[float, float]) -> None:
    axes.annotate("", b, a, arrowprops={"arrowstyle": "-|>", "color": _GREY, "lw": 1.1, "shrinkA": 0, "shrinkB": 0})
