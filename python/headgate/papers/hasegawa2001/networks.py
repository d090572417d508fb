"""Figures 1 and 17: the two networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plots.canvas import blank
from .measures import INPUTS, Measured

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

_GREY = "#555555"
_HEIGHTS = (1.5, 0.5, -0.5, -1.5)


def forward(m: Measured) -> Drawing:
    """Four sources, each with its own link, a router, a destination."""
    del m
    drawing, axes = _open()
    for i, (bw, y) in enumerate(zip(INPUTS, _HEIGHTS, strict=True), 1):
        _line(axes, (0, y), (4, 0), f"{bw:.0f} kbit/s, 50 ms", at=0.25)
        _node(axes, 0, y, f"source {i}", "left")
    _bottleneck(axes, (4, 0), (8, 0))
    _node(axes, 8, 0, "destination", "right")
    _box(axes, 4, 0, "router")
    return drawing


def reverse(m: Measured) -> Drawing:
    """A server's link, behind which each subscriber has a line."""
    del m
    drawing, axes = _open()
    _bottleneck(axes, (0, 0), (4, 0))
    _box(axes, 0, 0, "server's\nlink")
    for i, (bw, y) in enumerate(zip(INPUTS, _HEIGHTS, strict=True), 1):
        _line(axes, (4, 0), (8, y), f"{bw:.0f} kbit/s, 50 ms", at=0.75)
        _node(axes, 8, y, f"subscriber {i}", "right")
    _box(axes, 4, 0, "router")
    return drawing


def _open() -> tuple[Drawing, Axes]:
    drawing = blank(7.6, 3.0)
    axes = drawing.add_subplot()
    axes.set_axis_off()
    axes.set_xlim(-1.4, 9.6)
    axes.set_ylim(-2, 2)
    return drawing, axes


def _bottleneck(axes: Axes, a: tuple[float, float], b: tuple[float, float]) -> None:
    axes.plot([a[0], b[0]], [a[1], b[1]], color="black", lw=2.4, zorder=1)
    axes.text((a[0] + b[0]) / 2, 0.18, "BW = 400 ... 960 kbit/s, 50 ms", ha="center", fontsize=9)
    axes.text((a[0] + b[0]) / 2, -0.38, "queue of 60 KB", ha="center", fontsize=9, color=_GREY)


def _line(axes: Axes, a: tuple[float, float], b: tuple[float, float], text: str, at: float) -> None:
    axes.plot([a[0], b[0]], [a[1], b[1]], color=_GREY, lw=1.1, zorder=0)
    x, y = a[0] + at * (b[0] - a[0]), a[1] + at * (b[1] - a[1])
    white: dict[str, Any] = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"}
    axes.text(x, y, text, ha="center", va="center", fontsize=8.5, bbox=white, zorder=1)


def _node(axes: Axes, x: float, y: float, name: str, side: str) -> None:
    axes.plot(x, y, marker="o", ms=9, mfc="white", mec="#0072B2", mew=1.6, zorder=2)
    axes.text(
        x + (0.25 if side == "right" else -0.25),
        y,
        name,
        ha="left" if side == "right" else "right",
        va="center",
        fontsize=9,
    )


def _box(axes: Axes, x: float, y: float, name: str) -> None:
    axes.plot(x, y, marker="s", ms=15, mfc="#dddddd", mec="black", zorder=2)
    axes.text(x, y - 0.3, name, ha="center", va="top", fontsize=9)
