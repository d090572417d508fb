"""What the kernel does where every packet of a round trip is marked, as a predicate."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..claims import Result, Runs, listed
from .statements import claim

#: A window comes down within a round trip for each cut; so long without a fall, it is down.
QUIET = 0.15

#: What a cut leaves, of 1024.
SHARES = {"reno": 512, "cubic": 717}


def _descents(runs: Runs, variant: str) -> Iterator[tuple[float, float]]:
    """The window before each descent after the warm-up, and that after it."""
    times, values = runs.trace(variant, "window", "tcp")
    i = 1
    while i < len(values):
        peak, least, since = values[i - 1], values[i - 1], times[i]
        while i < len(values) and (values[i] < least or (least < peak and times[i] - since < QUIET)):
            if values[i] < least:
                least, since = values[i], times[i]
            i += 1
        if least == peak:
            i += 1
        elif since >= 5.0 and i < len(values):
            yield float(peak), float(least)


def _cuts(peak: float, trough: float, share: int) -> int:
    """How many cuts lead from one window to the other, up to a packet or so of growth between them; 0 if none do."""
    left = int(peak)
    for cuts in range(1, 6):
        left = left * share // 1024
        if abs(left - trough) <= 1.5:
            return cuts
    return 0


@claim("L8")
def _l8(runs: Runs) -> Result:
    holds, text = True, []
    for pair, share in SHARES.items():
        variants = [v for v in runs.base if v.startswith(pair)]
        descents = {v: list(_descents(runs, v)) for v in variants}
        counts = [_cuts(*d, share) for each in descents.values() for d in each]
        left = np.array([np.mean([trough / peak for peak, trough in each]) for each in descents.values()])
        holds = holds and set(counts) <= {1, 2} and 2 in counts
        twice = counts.count(2) / len(counts)
        text.append(
            f"{pair}: two in {100 * twice:.0f} % of all, {left.mean():.2f} ({listed(left, 2)} at single thresholds)"
        )
    return holds, "; ".join(text)
