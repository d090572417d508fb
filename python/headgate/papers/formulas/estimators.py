"""Estimators of a bottleneck's rate from probes, and which parts of the state can be estimated and controlled (Keshav 1991, chapter 5).

The state is (n_b, mu, mu one epoch before), in packets and packets per second; a probe gives the last of the three, with noise. `q` is
the variance of mu's steps, `r` that of a probe.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

__all__ = [
    "Choice",
    "FuzzyPredictor",
    "FuzzySets",
    "KalmanStep",
    "StateSpace",
    "controllability_rank",
    "exponential_average",
    "kalman_gains",
    "kalman_rate",
    "kalman_steady",
    "kalman_trace",
    "lqg_rank",
    "observability_rank",
    "queue_error_growth",
    "spike_share",
    "state_space",
    "step_probes",
]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class StateSpace:
    """x(k+1) = G x + H lambda + v1, y = C x + v2, with the covariances Q of v1 and R of v2 (section 5.5.1)."""

    G: Floats
    H: Floats
    C: Floats
    Q: Floats
    R: float


def state_space(rtt: float, q: float, r: float) -> StateSpace:
    """The matrices of section 5.5.1 for a round trip of `rtt` seconds; the two noises are independent.

    >>> m = state_space(2, 0.25, 1)
    >>> m.G.tolist(), m.H.tolist(), m.C.tolist()
    ([[1.0, -2.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 0.0]], [2.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    """
    g = np.array([[1, -rtt, 0], [0, 1, 0], [0, 1, 0]], dtype=float)
    return StateSpace(g, np.array([rtt, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), np.diag([0.0, q, 0.0]), float(r))


def observability_rank(rtt: float) -> int:
    """Rank of [C; C G; C G^2], which must be 3 to know all of the state from probes: they never show n_b.

    >>> observability_rank(2)
    2
    """
    m = state_space(rtt, 1, 1)
    return int(np.linalg.matrix_rank(np.array([m.C, m.C @ m.G, m.C @ m.G @ m.G])))


def controllability_rank(rtt: float) -> int:
    """Rank of [H, G H, G^2 H], which must be 3 to reach every state: sending changes n_b, never mu.

    >>> controllability_rank(2), controllability_rank(0)
    (1, 0)
    """
    m = state_space(rtt, 1, 1)
    return int(np.linalg.matrix_rank(np.array([m.H, m.G @ m.H, m.G @ m.G @ m.H])))


def lqg_rank(rtt: float) -> int:
    """Rank of [Q^1/2 | G* Q^1/2 | G*^2 Q^1/2] (equation 5.B.1), which must be 3 for LQG control; the thesis prints 1.

    >>> lqg_rank(2), lqg_rank(0)
    (2, 1)
    """
    g = state_space(rtt, 1, 1).G.T
    q = np.diag([1.0, 0.0, 0.0])
    return int(np.linalg.matrix_rank(np.hstack([q, g @ q, g @ g @ q])))


@dataclass(frozen=True)
class KalmanStep:
    """One epoch of the filter: its estimate before the probe, and the gain that it applied to the probe."""

    state: Floats
    """x-hat: n_b, mu, previous mu."""
    covariance: Floats
    """P, 3 by 3."""
    gain: Floats


def kalman_trace(
    probes: Sequence[float], sent: Sequence[float], rtt: float, q: float, r: float, *, known_start: bool = False
) -> list[KalmanStep]:
    """The Kalman estimator (section 5.5.2) over probes and sending rates, both in packets per second and one per epoch.

    It starts from the first probe with P(0) = diag(0, r, r); with `known_start` from P(0) = 0 as printed, whose first two gains are 0.
    The printed x-hat(0) = 0 with P(0) = 0 would say that mu is known to be 0.

    >>> [round(float(s.gain[2]), 6) for s in kalman_trace([10] * 5, [10] * 5, 2, 0.25, 1, known_start=True)]
    [0.0, 0.0, 0.2, 0.310345, 0.359116]
    """
    m = state_space(rtt, q, r)
    x = np.array([0.0, probes[0], probes[0]])
    p = np.zeros((3, 3)) if known_start else np.diag([0.0, r, r])
    steps = []
    for y, u in zip(probes, sent, strict=True):
        variance = float(m.C @ p @ m.C) + m.R
        k = m.G @ p @ m.C / variance
        steps.append(KalmanStep(x, p, k))
        x = m.G @ x + k * (y - float(m.C @ x)) + m.H * u
        p = m.G @ p @ m.G.T + m.Q - variance * np.outer(k, k)
    return steps


def kalman_gains(rtt: float, q: float, r: float, steps: int, *, known_start: bool = True) -> Floats:
    """Gains (n_b, mu, previous mu) of the Kalman estimator, one row per epoch; from P(0) = 0 by default.

    >>> kalman_gains(2, 0.25, 1, 5)[:, 2].round(6).tolist()
    [0.0, 0.0, 0.2, 0.310345, 0.359116]
    """
    trace = kalman_trace([0.0] * steps, [0.0] * steps, rtt, q, r, known_start=known_start)
    return np.array([s.gain for s in trace])


def kalman_steady(q: float, r: float) -> float:
    """The gain of mu in the long run; an exponential average of weight 1 minus this one does the same.

    >>> round(kalman_steady(1, 1), 6)
    0.618034
    """
    x = q / r
    p = (x + math.sqrt(x * x + 4 * x)) / 2
    return p / (p + 1)


def queue_error_growth(rtt: float, r: float) -> float:
    """Growth of the variance of n_b's estimate in each epoch, without bound: r RTT^2, since probes never show n_b.

    >>> queue_error_growth(2, 1)
    4
    """
    return r * rtt * rtt


def kalman_rate(probes: Sequence[float], q: float, r: float) -> Floats:
    """Predicted rates after each probe: the filter's mu alone, started from the first probe.

    >>> kalman_rate([10.0, 12.0], 1, 1).round(4).tolist()
    [10.0, 11.0]
    """
    estimate, p = float(probes[0]), float(r)
    out = [estimate]
    for y in probes[1:]:
        gain = p / (p + r)
        estimate += gain * (y - estimate)
        p = p * r / (p + r) + q
        out.append(estimate)
    return np.array(out)


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


@dataclass(frozen=True)
class FuzzySets:
    """The meanings of low, medium and high in the fuzzy controller (figure 5.2, which is lost: these are ours).

    Inputs are triangles that cross at 1/2, with peaks at 0, `reach` / 2 and `reach`; above that an input is wholly high. An output is a
    point, or a set of that centroid and area; the result is the mean of the centroids, weighted by membership times area.
    """

    reach: float = 0.5
    outputs: tuple[float, float, float] = (0.1, 0.5, 0.9)
    areas: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        """Refuses sets without extent."""
        if self.reach <= 0 or min(self.areas) <= 0:
            raise ValueError(f"expected a reach and areas above 0, found {self.reach:g} and {self.areas}")

    @classmethod
    def triangles(cls, reach: float = 1.0) -> FuzzySets:
        """Outputs that are triangles on [0, 1]: their centroids reach from 1/6 to 5/6 only.

        >>> round(FuzzySets.triangles().weight(0.25), 6)
        0.388889
        """
        return cls(reach, (1 / 6, 1 / 2, 5 / 6), (0.25, 0.5, 0.25))

    def membership(self, x: float) -> tuple[float, float, float]:
        """How far an input is low, medium and high; the three add up to 1.

        >>> FuzzySets().membership(0.125)
        (0.5, 0.5, 0.0)
        """
        at = 2 * min(x / self.reach, 1)
        return max(1 - at, 0.0), 1 - abs(1 - at), max(at - 1, 0.0)

    def weight(self, x: float) -> float:
        """beta: low for low inputs, high for high ones.

        >>> FuzzySets().weight(0.25), FuzzySets().weight(2)
        (0.5, 0.9)
        """
        low, medium, high = (m * a for m, a in zip(self.membership(x), self.areas, strict=True))
        a, b, c = self.outputs
        return (low * a + medium * b + high * c) / (low + medium + high)

    def past(self, x: float) -> float:
        """alpha: high for low inputs, low for high ones.

        >>> FuzzySets().past(0.0), round(FuzzySets().past(0.5), 6)
        (0.9, 0.1)
        """
        high, medium, low = (m * a for m, a in zip(self.membership(x), self.areas, strict=True))
        a, b, c = self.outputs
        return (low * a + medium * b + high * c) / (low + medium + high)


@dataclass(frozen=True)
class Choice:
    """The values that the fuzzy controller computed from a probe."""

    relative: float
    """Error of the prediction over the probe."""
    change: float
    """Difference to the relative error before."""
    beta: float
    smoothed: float
    alpha: float


@dataclass
class FuzzyPredictor:
    """Exponential averaging whose weight a fuzzy controller sets (section 5.6): large steady errors make it quick, spikes do not.

    >>> f = FuzzyPredictor(10.0)
    >>> [round(f.update(y), 6) for y in (20, 10)]
    [11.8, 11.330733]
    """

    estimate: float
    """The first probe; then the prediction."""
    sets: FuzzySets = FuzzySets()
    error: float = field(default=0.0, init=False)
    """Smoothed relative error."""
    last: float = field(default=0.0, init=False)
    """Last relative error."""

    def update(self, y: float) -> float:
        """Takes in a probe above 0 and gives the new prediction."""
        self.choose(y)
        return self.estimate

    def choose(self, y: float) -> Choice:
        """As `update`, but returns the values on the way. Raises `ValueError` for a probe that is not above 0."""
        if y <= 0:
            raise ValueError(f"probe: expected a rate above 0, found {y:g}")
        relative = abs(y - self.estimate) / y
        change = abs(relative - self.last)
        beta = self.sets.weight(change)
        self.error = beta * self.error + (1 - beta) * relative
        alpha = self.sets.past(self.error)
        self.estimate = alpha * self.estimate + (1 - alpha) * y
        self.last = relative
        return Choice(relative, change, beta, self.error, alpha)

    def over(self, probes: Iterable[float]) -> Floats:
        """Predictions after each of several probes.

        >>> FuzzyPredictor(10.0).over([20, 20]).round(6).tolist()
        [11.8, 16.846739]
        """
        return np.array([self.update(float(y)) for y in probes])


def step_probes(sets: FuzzySets, before: float, after: float, within: float = 0.05, most: int = 1000) -> int:
    """Probes until the fuzzy prediction is within that share of the new rate after a lasting change, from rest.

    >>> step_probes(FuzzySets(), 10, 20), step_probes(FuzzySets(), 20, 10)
    (5, 4)
    """
    predictor = FuzzyPredictor(before, sets)
    for probe in range(1, most + 1):
        if abs(predictor.update(after) - after) <= within * after:
            return probe
    return most


def spike_share(sets: FuzzySets, rate: float = 10.0) -> float:
    """The maximum share of a single doubled probe in the prediction.

    >>> round(spike_share(FuzzySets()), 9)
    0.18
    """
    predictor = FuzzyPredictor(rate, sets)
    return max(float(predictor.over([2 * rate, *[rate] * 20]).max()) - rate, 0.0) / rate
