"""The control laws of packet-pair and their stability (Keshav 1991, chapter 5). The estimators are in `estimators`.

Rates in packets per second, times in seconds, queues and set-points in packets. n_b(k) is the queue at the beginning of epoch k;
mu(k), lambda(k) and S(k) = lambda(k) RTT belong to the epoch; the next rate is chosen at its end.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

__all__ = [
    "LAWS",
    "Epoch",
    "Law",
    "closed_loop",
    "drift_cost",
    "epoch_trace",
    "fluid_outstanding",
    "law_5_9",
    "law_5_14",
    "law_eigenvalues",
    "law_is_stable",
    "mitra_window",
    "next_queue",
    "pipeline_time",
    "rest_point",
    "rest_utilisation",
    "stable_range",
    "time_between",
    "to_setpoint",
]

Floats = npt.NDArray[np.float64]

#: Law 5.9 with alpha: "offset_free" multiplies the correction, "printed" the whole right side; "index_trap" is the offset-free one fed
#: with the queue at the end of the epoch instead of its beginning, which counts S twice.
Law = Literal["offset_free", "printed", "index_trap"]
LAWS: tuple[Law, ...] = ("printed", "offset_free", "index_trap")


def _check(law: Law) -> None:
    if law not in LAWS:
        raise ValueError(f"law: expected one of {', '.join(LAWS)}, found {law}")


def next_queue(queue: float, sent: float, served: float, buffer: float = math.inf) -> float:
    """The queue one epoch later (equation 5.3), cut off at 0 and at the buffers (5.4); `served` is mu RTT.

    >>> next_queue(5, 10, 12), next_queue(5, 10, 20), next_queue(5, 20, 10, buffer=10)
    (3, 0.0, 10)
    """
    return min(max(queue + sent - served, 0.0), buffer)


def law_5_9(
    setpoint: float, queue: float, sent: float, mu: float, rtt: float, *, alpha: float = 1.0, as_printed: bool = False
) -> float:
    """Sending rate once per round trip (equation 5.9): `queue` at the beginning of the epoch, `sent` in it.

    With `alpha` below 1 the printed law scales the whole rate and rests below the setpoint; the corrected one scales the correction.

    >>> law_5_9(5, 0, 10, 10, 1), law_5_9(5, 0, 10, 10, 1, alpha=0.9), law_5_9(5, 0, 10, 10, 1, alpha=0.9, as_printed=True)
    (15.0, 14.5, 13.5)
    """
    correction = setpoint - queue - sent + mu * rtt
    return alpha * (correction + mu * rtt) / rtt if as_printed else mu + alpha * correction / rtt


@dataclass(frozen=True)
class Epoch:
    """One round trip under law 5.9."""

    queue: float
    """At its beginning."""
    rate: float
    sent: float


def epoch_trace(
    mu: float, rtt: float, setpoint: float, epochs: int, *, alpha: float = 1.0, law: Law = "offset_free",
    start: tuple[float, float] | None = None, buffer: float | None = None,
) -> list[Epoch]:  # fmt: skip
    """Epochs of law 5.9 with exact estimates. `start` is the first queue and rate: an empty queue and `mu` unless given.

    The queue is linear, as in the thesis's analysis, unless `buffer` is given: then it stays in [0, buffer] (section 5.4), and no rate is
    below 0.

    >>> [e.queue for e in epoch_trace(10, 1, 5, 5)]
    [0.0, 0.0, 5.0, 5.0, 5.0]
    >>> round(epoch_trace(10, 1, 5, 12, alpha=0.9, law="printed")[-1].queue, 6)
    3.888889
    >>> [e.queue for e in epoch_trace(10, 1, 5, 6, law="index_trap")]
    [0.0, 0.0, 5.0, 0.0, 10.0, -5.0]
    """
    _check(law)
    n, rate = (0.0, float(mu)) if start is None else start
    trace: list[Epoch] = []
    for _ in range(epochs):
        sent = rate * rtt
        trace.append(Epoch(n, rate, sent))
        after = n + sent - mu * rtt if buffer is None else next_queue(n, sent, mu * rtt, buffer)
        seen = after if law == "index_trap" else n
        rate = law_5_9(setpoint, seen, sent, mu, rtt, alpha=alpha, as_printed=law == "printed")
        n, rate = after, rate if buffer is None else max(rate, 0.0)
    return trace


def closed_loop(alpha: float, law: Law = "offset_free") -> Floats:
    """The matrix of deviations (n_b, S) from one epoch to the next under law 5.9, without the clamp.

    S depends on n_b, which is what the printed analysis leaves out. The rest point does not matter for it: both corrections agree.

    >>> closed_loop(1.0).tolist(), closed_loop(1.0, "index_trap").tolist()
    ([[1.0, 1.0], [-1.0, -1.0]], [[1.0, 1.0], [-1.0, -2.0]])
    """
    _check(law)
    twice = 2 if law == "index_trap" else 1
    return np.array([[1, 1], [-alpha, -twice * alpha]], dtype=float)


def law_eigenvalues(alpha: float, *, as_printed: bool = False, law: Law = "offset_free") -> tuple[complex, complex]:
    """Eigenvalues of law 5.9: 0 and 1 - alpha (deadbeat for alpha = 1); of the index trap, roots of z^2 - (1 - 2 alpha) z - alpha.

    The printed analysis treats S as an external input and has the roots (1 +- sqrt(1 - 4 alpha)) / 2, of magnitude sqrt(alpha) from
    alpha = 1/4 on.

    >>> law_eigenvalues(1.0)
    (0j, 0j)
    >>> round(abs(law_eigenvalues(0.9, as_printed=True)[0]), 6)
    0.948683
    >>> [round(z.real, 6) for z in law_eigenvalues(1.0, law="index_trap")]
    [0.618034, -1.618034]
    """
    _check(law)
    if as_printed:
        root = cmath.sqrt(1 - 4 * alpha)
        return (1 + root) / 2, (1 - root) / 2
    if law == "index_trap":
        root, middle = cmath.sqrt((1 - 2 * alpha) ** 2 + 4 * alpha), 1 - 2 * alpha
        return (middle + root) / 2, (middle - root) / 2
    return complex(0), complex(1 - alpha)


def law_is_stable(alpha: float, *, as_printed: bool = False, law: Law = "offset_free") -> bool:
    """Whether all eigenvalues lie inside the unit circle: 0 < alpha < 2, as printed alpha < 1, in the index trap alpha < 2/3.

    >>> law_is_stable(1.0), law_is_stable(1.0, as_printed=True), law_is_stable(0.9, as_printed=True)
    (True, False, True)
    >>> law_is_stable(0.66, law="index_trap"), law_is_stable(0.67, law="index_trap")
    (True, False)
    """
    _check(law)
    if as_printed:
        return 0 < alpha < 1  # of equal magnitude sqrt(alpha) from 1/4 on, below it real and smaller than 1
    if law == "index_trap":
        return 0 < alpha < 2 / 3  # at alpha = 2/3 the negative root is -1
    return abs(1 - alpha) < 1


def stable_range(law: Law = "offset_free", most: float = 3.0) -> tuple[float, float]:
    """The values of alpha for which the closed loop is stable, found from the matrix alone by bisection to 1e-9.

    >>> [round(a, 6) for a in stable_range()], [round(a, 6) for a in stable_range("index_trap")]
    ([0.0, 2.0], [0.0, 0.666667])
    """

    def radius(alpha: float) -> float:
        return float(abs(np.linalg.eigvals(closed_loop(alpha, law))).max())

    inside, outside = 0.5, most
    while outside - inside > 1e-9:
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if radius(middle) < 1 else (inside, middle)
    low, zero = 0.5, -0.5
    while low - zero > 1e-9:
        middle = (low + zero) / 2
        low, zero = (middle, zero) if radius(middle) < 1 else (low, middle)
    return round(low, 9), inside


def rest_point(setpoint: float, pipeline: float, alpha: float, *, as_printed: bool = False) -> float:
    """The queue at which law 5.9 rests, with `pipeline` = mu RTT; as printed the setpoint less (1 - alpha)/alpha pipelines, or nothing.

    >>> rest_point(5, 10, 0.9), round(rest_point(5, 10, 0.9, as_printed=True), 6), rest_point(5, 100, 0.9, as_printed=True)
    (5, 3.888889, 0.0)
    """
    return max(setpoint - (1 - alpha) / alpha * pipeline, 0.0) if as_printed else setpoint


def rest_utilisation(setpoint: float, pipeline: float, alpha: float, *, as_printed: bool = False) -> float:
    """The share of mu at which law 5.9 rests: 1, but as printed less once its queue is empty; 2 alpha/(1 + alpha) for long pipelines.

    >>> [round(rest_utilisation(5, v, 0.9, as_printed=True), 4) for v in (10, 50, 100, 1000, math.inf)]
    [1.0, 0.9947, 0.9711, 0.9497, 0.9474]
    """
    if not as_printed or rest_point(setpoint, pipeline, alpha, as_printed=True) > 0:
        return 1.0
    return alpha * (setpoint / pipeline + 2) / (1 + alpha)


def law_5_14(setpoint: float, outstanding: float, round_trip: float, mu: float, *, as_printed: bool = False) -> float:
    """Sending rate once per probe (equation 5.14), with J one round trip: S / mu, at least R.

    The printed J, "R + S mu", adds a time to a square of a rate.

    >>> round(law_5_14(5, 10, 0.1144, 5), 6), round(law_5_14(5, 10, 0.1144, 5, as_printed=True), 6)
    (2.786, 4.911642)
    """
    j = round_trip + outstanding * mu if as_printed else pipeline_time(outstanding, round_trip, mu)
    return (setpoint - outstanding + round_trip * mu + j * mu) / j


def pipeline_time(outstanding: float, round_trip: float, mu: float) -> float:
    """J of law 5.14: the round trip that a packet sent now will see, R + n_b / mu = S / mu, at least R.

    >>> pipeline_time(10, 0.1144, 5), pipeline_time(20, 12, 1.7)
    (2.0, 12)
    """
    return max(round_trip, outstanding / mu)


def to_setpoint(error: float, elapsed: float, j: float) -> float:
    """Remainder of an error of the queue under law 5.14 with constant J (equation 5.19): it decays as exp(-t/J).

    >>> round(to_setpoint(1, 2, 2), 4)
    0.3679
    """
    return error * math.exp(-elapsed / j)


def time_between(before: float, after: float, rest: float, mu: float) -> float:
    """Seconds in which law 5.14 with J = S/mu takes S from `before` to `after`, both above or both below `rest` = setpoint + R mu.

    From dS/dt = mu (rest - S)/S. Raises `ValueError` where S never reaches `after`.

    >>> round(time_between(20, 11, 10, 10), 4)
    3.2026
    """
    if not (rest < after <= before or before <= after < rest):
        raise ValueError(f"after: expected a number between {before:g} and {rest:g}, found {after:g}")
    return (before - after + rest * math.log((before - rest) / (after - rest))) / mu


def fluid_outstanding(setpoint: float, round_trip: float, mu: float, start: float, times: Sequence[float]) -> Floats:
    """S at the given times under law 5.14 with exact estimates, as a fluid (section 5.7.1): dS/dt = lambda - mu, from `start` at 0.

    Fourth-order Runge-Kutta in steps of at most a hundredth of a round trip.

    >>> fluid_outstanding(5, 0.5, 10, 20, [0.0, time_between(20, 11, 10, 10)]).round(6).tolist()
    [20.0, 11.0]
    """

    def slope(s: float) -> float:
        return law_5_14(setpoint, s, round_trip, mu) - mu

    s, at, out = float(start), 0.0, []
    for time in times:
        steps = max(math.ceil((time - at) / (0.01 * round_trip)), 1)
        h = (time - at) / steps
        for _ in range(steps):
            k1 = slope(s)
            k2 = slope(s + h * k1 / 2)
            k3 = slope(s + h * k2 / 2)
            k4 = slope(s + h * k3)
            s += h * (k1 + 2 * k2 + 2 * k3 + k4) / 6
        at = time
        out.append(s)
    return np.array(out)


def drift_cost(every: int) -> float:
    """The share of the throughput that resynchronising costs, done once in `every` round trips: one of them (section 5.8.1).

    >>> drift_cost(50)
    0.02
    """
    return 1 / every


def mitra_window(bdp: float, hops: int) -> tuple[float, float]:
    """Window and set-point in packets that maximise power for a bandwidth-delay product in packets (section 5.3.1, after Mitra).

    >>> mitra_window(100, 4)
    (102.5, 2.5)
    """
    setpoint = math.sqrt(bdp) / (2 * math.sqrt(hops))
    return bdp + setpoint, setpoint
