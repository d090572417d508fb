"""Distribution functions that intervals and tests need, to ten digits: Student's t and the binomial.

Both are the regularised incomplete beta function, by its continued fraction. The standard library has the normal distribution
(`statistics.NormalDist`); SciPy has them all, and the tests compare with it, but twelve functions do not justify its size.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

NORMAL = NormalDist()


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b) for a, b > 0 (DLMF 8.17.22, Lentz's method).

    >>> round(beta_cdf(0.3, 2, 3), 4)  # 6 x^2 - 8 x^3 + 3 x^4
    0.3483
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_cdf(1 - x, b, a)
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d or tiny)
    fraction = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(log) * fraction / a


def student_cdf(t: float, dof: float) -> float:
    """Probability that Student's t with `dof` > 0 degrees of freedom, whole or not, is at most `t`.

    >>> round(student_cdf(1.0, 1), 4)  # Cauchy
    0.75
    """
    if t * t < 1:  # the near half, so that a small t keeps its digits
        return 0.5 + math.copysign(beta_cdf(t * t / (dof + t * t), 0.5, dof / 2) / 2, t)
    tail = beta_cdf(dof / (dof + t * t), dof / 2, 0.5) / 2 if math.isfinite(t) else 0.0
    return 1 - tail if t > 0 else tail


@cache
def student_quantile(dof: float, p: float = 0.975) -> float:
    """The `p`-quantile of Student's t with `dof` >= 1 degrees of freedom, to nine digits; 0 < p < 1.

    >>> [round(student_quantile(k), 3) for k in (1, 2, 5, 30, 1000)]
    [12.706, 4.303, 2.571, 2.042, 1.962]
    >>> round(student_quantile(9, 0.9), 3)
    1.383

    Raises:
        ValueError: `dof` is below 1, or `p` outside of (0, 1).
    """
    if not dof >= 1 or not 0 < p < 1:
        raise ValueError(f"student_quantile: dof {dof}, p {p}; expected at least 1, and between 0 and 1")
    if p < 0.5:
        return -student_quantile(dof, 1 - p)
    if dof > 10_000:
        z = NORMAL.inv_cdf(p)  # two terms of the expansion in 1/dof (Abramowitz and Stegun 1964, 26.7.5)
        return z + (z**3 + z) / (4 * dof) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * dof**2)
    low, high = 0.0, 2.0
    while student_cdf(high, dof) < p:
        high *= 2
    while high - low > 1e-11 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(middle, dof) < p else (low, middle)
    return (low + high) / 2


def binomial_cdf(k: int, n: int, p: float) -> float:
    """Probability of at most `k` successes in `n` trials of probability `p`.

    >>> round(binomial_cdf(2, 4, 0.5), 4)  # 11 of 16
    0.6875
    """
    if k < 0 or k >= n:
        return float(k >= n)
    return beta_cdf(1 - p, n - k, k + 1)


def binomial_quantile(q: float, n: int, p: float) -> int:
    """The least k with `binomial_cdf(k, n, p)` >= q; above a million trials by the normal distribution.

    >>> binomial_quantile(0.5, 10, 0.5), binomial_quantile(0.975, 400, 0.95)
    (5, 388)
    """
    if n > 1_000_000:
        k = n * p + NORMAL.inv_cdf(q) * math.sqrt(n * p * (1 - p)) - 0.5
        return min(max(math.ceil(k), 0), n)
    low, high = -1, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if binomial_cdf(middle, n, p) < q else (low, middle)
    return high
