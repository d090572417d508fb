"""Packet-pair as a fluid when the bottleneck's rate changes (Keshav 1991, section 5.7.1): law 5.14 with each probe, delays included.

Rates are in packets per second, times in seconds. Every second acknowledged packet is a probe, which reports the rate at which it was
served; between probes the sending rate is constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .estimators import FuzzyPredictor, FuzzySets
from .rate_control import law_5_14

__all__ = ["StepResponse", "step_response"]

Floats = npt.NDArray[np.float64]

_SETS = FuzzySets()


@dataclass(frozen=True)
class StepResponse:
    """A fluid run from rest, sampled in equal steps."""

    times: Floats
    rate: Floats
    """Sending rate."""
    outstanding: Floats
    """S: sent and not acknowledged."""
    queue: Floats
    """At the bottleneck."""

    def at(self, times: npt.ArrayLike) -> Floats:
        """S at other times, between the first and the last."""
        return np.interp(np.asarray(times, dtype=np.float64), self.times, self.outstanding)


def step_response(
    changes: Sequence[tuple[float, float]], setpoint: float, ahead: float, back: float, end: float, *,
    sets: FuzzySets | None = _SETS, dt: float = 0.005,
) -> StepResponse:  # fmt: skip
    """The response of law 5.14, which assumes R = `ahead` + `back`, to changes (time, rate of the bottleneck); the first is at 0.

    `ahead` is the time from the source to the bottleneck's queue, `back` from there to the source. The rate is predicted by the fuzzy
    average; by the last probe alone if `sets` is None. The run begins at rest.

    >>> r = step_response([(0, 10), (10, 5)], 5, 0.5, 0.5, 40)
    >>> [round(float(x), 1) for x in r.at([5, 39])]
    [15.0, 10.0]
    """
    steps, round_trip = round(end / dt), ahead + back
    lag, echo = round(ahead / dt), round(back / dt)
    mu = np.empty(steps)
    for at, rate in changes:
        mu[round(at / dt) :] = rate
    sent, served = np.full(steps, mu[0]), np.full(steps, mu[0])
    s, queue = setpoint + round_trip * mu[0], float(setpoint)
    predictor = FuzzyPredictor(float(mu[0]), _SETS if sets is None else sets)
    rate, acked = float(mu[0]), 0.0
    outstanding, queues = np.empty(steps), np.empty(steps)
    for i in range(steps):
        sent[i] = rate
        arriving = sent[max(i - lag, 0)]
        served[i] = mu[i] if queue > 0 else min(mu[i], arriving)
        queue = max(queue + (arriving - served[i]) * dt, 0.0)
        news = served[max(i - echo, 0)]
        s += (rate - news) * dt
        acked += news * dt
        if acked >= 2:
            acked -= 2
            probe = float(mu[max(i - echo, 0)])
            known = probe if sets is None else predictor.update(probe)
            rate = law_5_14(setpoint, s, round_trip, known)
        outstanding[i], queues[i] = s, queue
    return StepResponse(np.arange(1, steps + 1, dtype=np.float64) * dt, sent, outstanding, queues)
