"""A line of very many points as a screen can show it: the first, the least, the greatest and the last point of each pixel.

Source: Jugel, Jerzak, Hackenbroich and Markl 2014, "M4: a visualization-oriented time series data aggregation". A line through these points
covers the same pixels as the line through all.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

#: Maximum width of a picture in pixels.
WIDEST = 8192


def reduced(t: Array, y: Array, start: float, end: float, width: int) -> tuple[Array, Array]:
    """The points from `start` to `end` and the nearest one on either side, at most four of each of `width` pixels.

    Args:
        t: times in rising order, shape (n,).
        y: values, shape (n,); nan where there is none.
        start: where the picture begins.
        end: where it ends.
        width: of the picture in pixels.

    >>> x = np.arange(100_000.0)
    >>> t, y = reduced(x, x % 7, 0.0, 1e5, 100)
    >>> t.size <= 402, float(y.max()), float(t[-1])
    (True, 6.0, 99999.0)
    """
    low, high = np.searchsorted(t, start, "left"), np.searchsorted(t, end, "right")
    first, last = max(int(low) - 1, 0), min(int(high) + 1, t.size)
    if high - low <= 4 * width:
        return t[first:last], y[first:last]
    kept = _kept(t[low:high], y[low:high], start, end, width) + low
    before, after = np.arange(first, low), np.arange(high, last)
    places = np.concatenate([before, kept, after])
    return t[places], y[places]


def _kept(t: Array, y: Array, start: float, end: float, width: int) -> npt.NDArray[np.int64]:
    """The places of the points that stay."""
    edges = np.searchsorted(t, np.linspace(start, end, width + 1)[:-1], "left")
    starts = np.unique(edges[edges < t.size])
    if starts[0] != 0:
        starts = np.concatenate([[0], starts])
    ends = np.append(starts[1:], t.size) - 1
    extremes = [_first_equal(y, found.reduceat(y, starts), starts, t.size) for found in (np.fmin, np.fmax)]
    return np.unique(np.concatenate([starts, ends, *extremes]))


def _first_equal(y: Array, wanted: Array, starts: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
    """In each stretch the first place of its value `wanted`; a stretch without values has none."""
    lengths = np.diff(np.append(starts, size))
    places = np.flatnonzero(y == np.repeat(wanted, lengths))
    stretch = np.searchsorted(starts, places, "right")
    _, first = np.unique(stretch, return_index=True)
    return places[first]
