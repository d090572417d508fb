"""The control theory of packet-pair (Keshav 1991, chapter 5): laws, stability, and the estimators in plain Python.

Rates in packets per second, times in seconds, queues in packets.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

__all__ = [
    "FuzzyPredictor",
    "epoch_trace",
    "exponential_average",
    "kalman_gains",
    "kalman_steady",
    "law_5_14",
    "law_eigenvalues",
    "law_is_stable",
    "lqg_rank",
    "mitra_window",
]


def law_5_14(setpoint: float, outstanding: float, round_trip: float, mu: float) -> float:
    """Sending rate once per probe (equation 5.14), with J one round trip: S / mu, at least R.

    The printed J, "R + S mu", adds a time to a square of a rate.

    >>> round(law_5_14(5, 10, 0.1144, 5), 6)
    2.786
    """
    j = max(round_trip, outstanding / mu)
    return (setpoint - outstanding + round_trip * mu + j * mu) / j


def epoch_trace(
    mu: float, rtt: float, half_buffer: float, epochs: int, *, alpha: float = 1.0, as_printed: bool = False
) -> list[tuple[float, float]]:
    """Pairs (n_b, lambda) of the once-per-round-trip law (equation 5.9) with exact estimates, from an empty queue at rate `mu`.

    With `alpha` below 1 the printed law scales the whole rate and rests below the setpoint; the corrected one scales the correction.

    >>> [n for n, _ in epoch_trace(10, 1, 5, 5)]
    [0.0, 0.0, 5.0, 5.0, 5.0]
    >>> round(epoch_trace(10, 1, 5, 12, alpha=0.9, as_printed=True)[-1][0], 6)
    3.888889
    """
    n, rate, trace = 0.0, mu, []
    for _ in range(epochs):
        trace.append((n, rate))
        sent = rate * rtt
        error = half_buffer - n - sent
        n, rate = (
            n + sent - mu * rtt,
            alpha * (error + 2 * mu * rtt) / rtt if as_printed else mu + alpha * (error + mu * rtt) / rtt,
        )
    return trace


def law_eigenvalues(alpha: float, *, as_printed: bool = False) -> tuple[complex, complex]:
    """Eigenvalues of law 5.9: 0 and 1 - alpha (deadbeat for alpha = 1).

    The printed analysis takes S for an outside input and has the roots (1 +- sqrt(1 - 4 alpha)) / 2, of magnitude sqrt(alpha).

    >>> law_eigenvalues(1.0)
    (0j, 0j)
    >>> round(abs(law_eigenvalues(0.9, as_printed=True)[0]), 6)
    0.948683
    """
    if as_printed:
        root = cmath.sqrt(1 - 4 * alpha)
        return (1 + root) / 2, (1 - root) / 2
    return complex(0), complex(1 - alpha)


def law_is_stable(alpha: float, *, as_printed: bool = False) -> bool:
    """Whether all eigenvalues lie inside the unit circle: 0 < alpha < 2, as printed alpha < 1.

    >>> law_is_stable(1.0), law_is_stable(1.0, as_printed=True), law_is_stable(0.9, as_printed=True)
    (True, False, True)
    """
    if as_printed:
        return 0 < alpha < 1  # of equal magnitude sqrt(alpha) from 1/4 on, below it real and smaller than 1
    return abs(1 - alpha) < 1


def mitra_window(bdp: float, hops: int) -> tuple[float, float]:
    """Window and set-point in packets that maximise power for a bandwidth-delay product in packets (section 5.3.1, after Mitra).

    >>> mitra_window(100, 4)
    (102.5, 2.5)
    """
    setpoint = math.sqrt(bdp) / (2 * math.sqrt(hops))
    return bdp + setpoint, setpoint


def lqg_rank(rtt: float) -> int:
    """Rank of [Q^1/2 | G* Q^1/2 | G*^2 Q^1/2] (equation 5.B.1), which must be 3 for LQG control; the thesis prints 1.

    >>> lqg_rank(2), lqg_rank(0)
    (2, 1)
    """
    g = np.array([[1, -rtt, 0], [0, 1, 0], [0, 1, 0]], dtype=float).T
    q = np.diag([1.0, 0.0, 0.0])
    return int(np.linalg.matrix_rank(np.hstack([q, g @ q, g @ g @ q])))


def kalman_gains(rtt: float, q: float, r: float, steps: int) -> list[tuple[float, float, float]]:
    """Gains (n_b, mu, previous mu) of the Kalman estimator (section 5.5) from P(0) = 0, for variances `q` of mu's steps, `r` of probes.

    >>> [round(k[2], 6) for k in kalman_gains(2, 0.25, 1, 5)]
    [0.0, 0.0, 0.2, 0.310345, 0.359116]
    """
    g = np.array([[1, -rtt, 0], [0, 1, 0], [0, 1, 0]], dtype=float)
    c, noise, p, gains = np.array([0.0, 0.0, 1.0]), np.diag([0.0, q, 0.0]), np.zeros((3, 3)), []
    for _ in range(steps):
        variance = float(c @ p @ c) + r
        k = g @ p @ c / variance
        gains.append((float(k[0]), float(k[1]), float(k[2])))
        p = g @ p @ g.T + noise - variance * np.outer(k, k)
    return gains


def kalman_steady(q: float, r: float) -> float:
    """The gain of mu in the long run; an exponential average of weight 1 minus this one does the same.

    >>> round(kalman_steady(1, 1), 6)
    0.618034
    """
    x = q / r
    p = (x + math.sqrt(x * x + 4 * x)) / 2
    return p / (p + 1)


def exponential_average(probes: Iterable[float], alpha: float, start: float) -> list[float]:
    """Estimates after each probe, with weight `alpha` on the past (section 5.6).

    >>> round(exponential_average([1] * 5, 0.8, 0)[-1], 5)
    0.67232
    """
    estimate, out = start, []
    for y in probes:
        estimate = alpha * estimate + (1 - alpha) * y
        out.append(estimate)
    return out


@dataclass
class FuzzyPredictor:
    """Exponential averaging whose weight a fuzzy controller sets (section 5.6): large steady errors make it quick, spikes do not.

    The thesis's membership functions are lost; these are ours: triangles that cross at 1/2 with peaks at 0, `reach` / 2 and `reach`, and
    the outputs 0.1, 0.5 and 0.9 with their weighted mean.

    >>> f = FuzzyPredictor(10.0)
    >>> [round(f.update(y), 6) for y in (20, 10)]
    [11.8, 11.330733]
    """

    estimate: float
    """The first probe; then the prediction."""
    reach: float = 0.5
    """Errors from here on are high altogether."""
    error: float = field(default=0.0, init=False)
    """Smoothed relative error."""
    last: float = field(default=0.0, init=False)
    """Last relative error."""

    def update(self, y: float) -> float:
        """Takes in a probe above 0 and gives the new prediction."""
        e = abs(y - self.estimate) / y
        beta = 0.1 + 0.8 * min(abs(e - self.last) / self.reach, 1)
        self.error = beta * self.error + (1 - beta) * e
        alpha = 0.9 - 0.8 * min(self.error / self.reach, 1)
        self.estimate = alpha * self.estimate + (1 - alpha) * y
        self.last = e
        return self.estimate
