"""The contents of a figure before it is drawn, in the units that are shown. Both back ends, `mpl` and `html`, take it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: Markers and dashes: matplotlib's and plotly's names of the same. Their number has no factor in common with that of the colours, so that
#: no two of 56 series look alike.
MARKERS = (
    ("o", "circle"), ("s", "square"), ("^", "triangle-up"), ("D", "diamond"),
    ("v", "triangle-down"), ("P", "cross"), ("X", "x"), ("*", "star"),
)  # fmt: skip
DASHES = (("-", "solid"), ("--", "dash"), (":", "dot"), ("-.", "dashdot"))

#: Maximum number of series: more could not be distinguished.
MOST_SERIES = 24


@dataclass(frozen=True)
class Scale:
    """One axis: what is shown, whether its scale is logarithmic, and names at 0, 1, 2 ... where it is not of numbers."""

    label: str
    log: bool = False
    names: list[str] | None = None


@dataclass(frozen=True, eq=False)
class Series:
    """Points of one style. `low` and `high` are ends of intervals, nan where there is none; `outlines` are closed curves around points."""

    name: str
    x: Array
    y: Array
    low: Array | None = None
    high: Array | None = None
    x_low: Array | None = None
    x_high: Array | None = None
    texts: list[str] | None = None
    outlines: list[tuple[Array, Array]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Grid:
    """Cells of a heat map: `values` and half intervals `half`, both of shape (y, x), and what they are."""

    label: str
    values: Array
    half: Array


@dataclass(frozen=True, eq=False)
class Content:
    """The contents of a figure.

    Attributes:
        kind: `line`, `heatmap`, `utility` or `cdf`.
        title: above it.
        caption: how the numbers were computed.
        x: the horizontal axis.
        y: the vertical axis.
        legend: heads the names of the series; none is shown if it is empty.
        series: of all kinds but the heat map.
        grid: of a heat map.
        path: whether the points of a series in a utility diagram follow each other.
    """

    kind: str
    title: str
    caption: str
    x: Scale
    y: Scale
    legend: str = ""
    series: list[Series] = field(default_factory=list)
    grid: Grid | None = None
    path: bool = False

    @property
    def from_zero(self) -> bool:
        """Whether the vertical axis can begin at 0 without hiding the differences."""
        known = np.concatenate([s.y for s in self.series] or [np.zeros(0)])
        known = known[~np.isnan(known)]
        return bool(known.size and 0 <= known.min() < 0.6 * known.max())
