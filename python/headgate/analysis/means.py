"""Means with their spread.

REAL's method (Keshav 1991, section 6.3): the run is cut into intervals, the first is discarded, and the mean and the standard
deviation of the interval means are given. Besides it stands the 95 % interval of the mean by Student's t, over the
intervals of one run or, where there are several replications, over their means.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Mean:
    """A mean of `n` values with their standard deviation (n - 1 in the denominator).

    `mean` is nan if n is 0, `std` if n is below 2.
    """

    mean: float
    std: float
    n: int

    @property
    def half(self) -> float:
        """Half width of the 95 % Student interval of the mean; nan if n < 2."""
        return student_quantile(self.n - 1) * self.std / math.sqrt(self.n) if self.n > 1 else math.nan

    @property
    def ci95(self) -> tuple[float, float] | None:
        """Ends of the 95 % Student interval of the mean; None if there is none."""
        return None if math.isnan(self.half) else (self.mean - self.half, self.mean + self.half)

    @property
    def real(self) -> float:
        """Half width of what REAL calls the 95 % interval: three standard deviations (Keshav 1991, section 6.3)."""
        return 3.0 * self.std

    def to_dict(self) -> dict[str, float | int | list[float] | None]:
        """`{mean, std, n, ci95: [low, high]}` with null for what does not exist."""
        return {
            "mean": finite(self.mean),
            "std": finite(self.std),
            "n": self.n,
            "ci95": None if self.ci95 is None else [float(self.ci95[0]), float(self.ci95[1])],
        }


def finite(x: float) -> float | None:
    """A number, or None for nan and infinities, which JSON does not know."""
    return float(x) if math.isfinite(x) else None


def mean_of(values: npt.ArrayLike) -> Mean:
    """Mean and deviation of those values that are numbers.

    >>> mean_of([1.0, 2.0, 3.0, float("nan")])
    Mean(mean=2.0, std=1.0, n=3)
    >>> round(mean_of([1.0, 2.0, 3.0]).half, 3)
    2.484
    """
    array = np.asarray(values, dtype=np.float64)
    good = array[~np.isnan(array)]
    if good.size == 0:
        return Mean(math.nan, math.nan, 0)
    return Mean(float(good.mean()), float(good.std(ddof=1)) if good.size > 1 else math.nan, int(good.size))


@cache
def student_quantile(dof: int) -> float:
    """The quantile 0.975 of Student's t with `dof` >= 1 degrees of freedom, to ten digits.

    By bisection on the closed form of the distribution (Abramowitz and Stegun 1964, equations 26.7.3 and 26.7.4).

    >>> [round(student_quantile(k), 3) for k in (1, 2, 5, 30, 1000)]
    [12.706, 4.303, 2.571, 2.042, 1.962]

    Raises:
        ValueError: `dof` is below 1.
    """
    if dof < 1:
        raise ValueError(f"student_quantile: dof {dof}; expected at least 1")
    if dof > 10_000:
        return 1.959963985 + 2.3722712 / dof  # the first term of the expansion in 1/dof; the next is below 1e-7
    low, high = 0.0, 13.0
    while high - low > 1e-11:
        middle = (low + high) / 2
        low, high = (middle, high) if _central(middle, dof) < 0.95 else (low, middle)
    return (low + high) / 2


def _central(t: float, dof: int) -> float:
    """Probability that |T| < t."""
    theta = math.atan2(t, math.sqrt(dof))
    sin, cos2 = math.sin(theta), math.cos(theta) ** 2
    total, term = 0.0, math.cos(theta) if dof % 2 else 1.0
    for k in range(1 if dof % 2 else 0, dof - 1, 2):
        total += term
        term *= cos2 * (k + 1) / (k + 2)
    return 2 / math.pi * (theta + sin * total) if dof % 2 else sin * total
