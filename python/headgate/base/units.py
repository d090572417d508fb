"""Numbers in units that people read: 80 kbit/s, not 80000 bit/s."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_PREFIXES = {
    "s": ((1.0, "s"), (1e3, "ms"), (1e6, "µs")),
    "bit/s": ((1e-9, "Gbit/s"), (1e-6, "Mbit/s"), (1e-3, "kbit/s"), (1.0, "bit/s")),
    "bytes": ((1e-9, "GB"), (1e-6, "MB"), (1e-3, "KB"), (1.0, "bytes")),
}

#: The least time in s that is told to people: the rounding of a model's times is below it.
LEAST_TIME = 1e-6


def scale_of(unit: str, values: Iterable[float]) -> tuple[float, str]:
    """A factor and the unit after it, so that the largest of the values is from 1 to 1000 where there is such a unit.

    >>> scale_of("s", [0.002, 0.3]), scale_of("bit/s", [5e7]), scale_of("packets", [5e7])
    ((1000.0, 'ms'), (1e-06, 'Mbit/s'), (1.0, 'packets'))
    """
    known = np.array([abs(v) for v in values if np.isfinite(v)])
    most = known.max(initial=0.0)
    choices = _PREFIXES.get(unit)
    if choices is None or most == 0:
        return 1.0, unit
    return next((c for c in choices if most * c[0] >= 1), choices[-1])
