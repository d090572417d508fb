"""Proportions, such as the share of packets that are lost or of runs that failed."""

from __future__ import annotations

import math

from .distributions import NORMAL


def wilson(successes: float, trials: float, confidence: float = 0.95) -> tuple[float, float]:
    """The interval of a share from independent trials (Wilson 1927); good for few trials and shares near 0 and 1.

    Drops of one run are not independent: they occur in bursts. Over replications, use `ratio_of(drops, sent)`; this one is for runs that
    either fail or succeed, and a lower bound of the width for drops.

    >>> [round(x, 4) for x in wilson(0, 10)]
    [0.0, 0.2775]
    >>> [round(x, 4) for x in wilson(380, 400)]
    [0.924, 0.9674]

    Raises:
        ValueError: no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"wilson: {successes} of {trials}; expected 0 to all of at least one trial")
    z2 = NORMAL.inv_cdf((1 + confidence) / 2) ** 2
    share = successes / trials
    middle = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    return max(0.0, middle - half), min(1.0, middle + half)
