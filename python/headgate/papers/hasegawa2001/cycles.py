"""Cycles of a window: from one loss to the next (figures 8 and 14)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..measure import Floats

#: A window that falls to this share of itself or less was cut by a loss; Vegas's own steps are of one packet.
CUT = 0.6


def cuts(windows: Floats) -> list[int]:
    """Places of a trace at which a loss cut the window.

    >>> cuts(np.array([8.0, 9.0, 10.0, 5.0, 6.0, 5.0]))
    [3]
    """
    return [int(k) + 1 for k in np.flatnonzero(windows[1:] <= CUT * windows[:-1])]


def cycles(times: Floats, windows: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Every whole cycle: the times at which the window changes, with that of the next loss, and the windows from there on."""
    places = cuts(windows)
    for a, b in pairwise(places):
        yield times[a : b + 1], windows[a:b]


def held_share(times: Floats, windows: Floats) -> float:
    """How much of the second halves of all cycles the window stays at the one value that it has longest there; nan without cycles.

    A window that converges is flat there; one that grows until the next loss passes through many values.

    >>> held_share(np.array([0.0, 1.0, 2.0, 3.0, 10.0, 11.0]), np.array([8.0, 4.0, 5.0, 6.0, 3.0, 4.0]))
    1.0
    >>> held_share(np.arange(7.0), np.array([8.0, 4.0, 5.0, 6.0, 7.0, 3.0, 4.0]))
    0.5
    """
    held = whole = 0.0
    for at, of in cycles(times, windows):
        middle = (at[0] + at[-1]) / 2
        lengths = np.maximum(at[1:], middle) - np.maximum(at[:-1], middle)
        held += max(float(lengths[of == value].sum()) for value in set(of.tolist()))
        whole += float(at[-1] - middle)
    return held / whole if whole else float("nan")
