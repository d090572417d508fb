"""The number of replications that is enough: the sequential rule of relative precision.

Source: Chow and Robbins 1965; Law and Kelton 1982; Law 2015, section 9.4.1. The rule stops when the interval happens to be narrow, which
happens early when the spread is estimated too small; so the interval at the stop covers the truth in somewhat less than 95 % of all
studies. It is exact in the limit of a small share. With values whose deviation is 30 % to 100 % of their mean and shares of 0.05 to 0.2 we
counted 93 to 96 % with ten runs to start with, 92 to 95 % with five, 87 to 95 % with two, least where few runs are enough.
"""

from __future__ import annotations

import numpy.typing as npt

from .means import Mean, mean_of

#: Runs before which the rule does not stop.
LEAST = 10


def enough(values: npt.ArrayLike, share: float, least: int = LEAST, confidence: float = 0.95) -> bool:
    """Whether the interval of the mean is within plus or minus `share` of the mean.

    Args:
        values: one per replication so far, in the order of the replications, whatever the order in which they ended: deciding by those
            that ended first would favour short runs. nan is left out.
        share: such as 0.05. To be this close to the true mean rather than to the estimate, ask for share / (1 + share).
        least: values below which the answer is no.
        confidence: of the interval.

    >>> enough([9.0, 11.0] * 5, 0.1), enough([9.0, 11.0] * 5, 0.05), enough([10.0] * 3, 0.05)
    (True, False, False)

    Raises:
        ValueError: a share that is not above zero.
    """
    if not share > 0:
        raise ValueError(f"share {share}; expected a number above zero")
    mean = mean_of(values)
    return mean.n >= max(least, 2) and mean.half_at(confidence) <= share * abs(mean.mean)


def runs_needed(values: npt.ArrayLike, share: float, least: int = LEAST, confidence: float = 0.95) -> int:
    """The approximate number of replications that will be enough, from the spread of those so far (Law 2015, section 9.4.1).

    2^31, which is never, for a mean of zero.

    >>> runs_needed([9.0, 11.0] * 5, 0.05)
    20

    Raises:
        ValueError: fewer than two values, or a share that is not above zero.
    """
    mean = mean_of(values)
    if mean.n < 2 or not share > 0:
        raise ValueError(f"runs_needed: {mean.n} values, share {share}; expected at least 2, and above zero")
    if mean.mean == 0:
        return max(least, mean.n) if mean.std == 0 else 2**31
    low, high = max(least, 2) - 1, 2**31
    while high - low > 1:  # the interval narrows with every further value
        middle = (low + high) // 2
        ok = Mean(mean.mean, mean.std, middle).half_at(confidence) <= share * abs(mean.mean)
        low, high = (low, middle) if ok else (middle, high)
    return high
