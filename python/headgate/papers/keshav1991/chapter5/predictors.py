"""Predictors side by side on made-up probes: lasting changes, spikes, noise, and random walks with noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ....stats import Comparison, Mean, compare, mean_of
from ...formulas.estimators import (
    FuzzyPredictor,
    FuzzySets,
    exponential_average,
    kalman_rate,
    kalman_steady,
    spike_share,
    step_probes,
)
from ...formulas.setpoint import random_walk
from ...measure import Floats

#: Random walks around 100 packets/s, probes with a deviation of 5 %, for three ratios of the variances; this number of walks and probes.
MIDDLE, DEVIATION = 100.0, 5.0
RATIOS = (0.01, 0.1, 1.0)
REPLICATIONS, PROBES = 40, 200

#: Fixed weights of the past; the first and the last are badly chosen for some ratio.
WEIGHTS = (0.1, 0.5, 0.9)

#: Probes with a uniform error of 10 %.
NOISY = 20_000

#: The membership functions that were tried, as in `ch5_fuzzy_choices.csv`.
SETS: Mapping[tuple[str, float], FuzzySets] = {
    ("points 0.1 0.5 0.9", 0.5): FuzzySets(),
    ("points 0.1 0.5 0.9", 1.0): FuzzySets(1.0),
    ("points 0 0.5 1", 1.0): FuzzySets(1.0, (0.0, 0.5, 1.0)),
    ("points 0 0.5 1", 0.5): FuzzySets(0.5, (0.0, 0.5, 1.0)),
    ("triangles", 1.0): FuzzySets.triangles(1.0),
    ("triangles", 0.5): FuzzySets.triangles(0.5),
}

Predict = Callable[[Floats, float], Floats]


@dataclass(frozen=True)
class Response:
    """How a predictor takes the three kinds of series. Probes are infinite where 5 % is never reached."""

    doubled: float
    halved: float
    spike: float
    noise: float


def fuzzy_response(sets: FuzzySets) -> Response:
    """Of the fuzzy average."""
    noise = _noise_ratio(lambda probes: FuzzyPredictor(10.0, sets).over(probes))
    return Response(step_probes(sets, 10, 20), step_probes(sets, 20, 10), spike_share(sets), noise)


def fixed_response(alpha: float) -> Response:
    """Of an average with a fixed weight of the past: in closed form but for the noise."""
    doubled = next(n for n in range(1, 1000) if 10 * alpha**n <= 0.05 * 20)
    halved = next(n for n in range(1, 1000) if 10 * alpha**n <= 0.05 * 10)
    noise = _noise_ratio(lambda probes: np.array(exponential_average(probes, alpha, 10.0)))
    return Response(doubled, halved, 1 - alpha, noise)


def _noise_ratio(predict: Callable[[Floats], Floats]) -> float:
    """Root mean square of the output over that of the input."""
    probes = 10.0 * (1 + np.random.default_rng(1).uniform(-0.1, 0.1, NOISY))
    return float(np.sqrt(((predict(probes) - 10) ** 2).mean() / ((probes - 10) ** 2).mean()))


def _predictors() -> dict[str, Predict]:
    """Each takes the probes and q/r, which only the Kalman filter may know."""
    r = DEVIATION**2
    found: dict[str, Predict] = {
        "Kalman": lambda y, x: kalman_rate([float(v) for v in y], x * r, r),
        "fuzzy": lambda y, _: FuzzyPredictor(float(y[0])).over(y),
    }
    for a in WEIGHTS:
        found[f"alpha {a:g}"] = lambda y, _, a=a: np.array(exponential_average(y, a, float(y[0])))  # type: ignore[misc]
    return found


PREDICTORS = tuple(_predictors())


@dataclass(frozen=True)
class Contest:
    """Root mean square errors of the next rate, per replication, by (ratio, predictor); all predictors see the same probes."""

    errors: Mapping[tuple[float, str], Floats]

    def mean(self, ratio: float, predictor: str) -> Mean:
        """Over the replications, in packets/s."""
        return mean_of(self.errors[ratio, predictor])

    def difference(self, ratio: float, a: str, b: str) -> Comparison:
        """B less a, pair by pair."""
        return compare(self.errors[ratio, a], self.errors[ratio, b])


def walk_with_probes(seed: int, ratio: float, probes: int = PROBES) -> tuple[Floats, Floats]:
    """Rates of a random walk and what probes measure of them."""
    rng = np.random.default_rng(seed)
    mu = random_walk(rng, probes + 1, MIDDLE, ratio**0.5 * DEVIATION, MIDDLE / 10)
    return mu, np.maximum(mu + rng.normal(0, DEVIATION, probes + 1), 1.0)


@cache
def contest() -> Contest:
    """Runs it; the first tenth of each series does not count."""
    errors: dict[tuple[float, str], list[float]] = {}
    for ratio in RATIOS:
        for seed in range(REPLICATIONS):
            mu, probes = walk_with_probes(seed, ratio)
            for name, predict in _predictors().items():
                miss = predict(probes[:-1], ratio) - mu[1:]
                errors.setdefault((ratio, name), []).append(float(np.sqrt((miss[PROBES // 10 :] ** 2).mean())))
    return Contest({k: np.array(v) for k, v in errors.items()})


def synthetic() -> dict[str, Sequence[float]]:
    """A series with all of it: a lasting rise, a spike, a dip, noise, a fall, and steps as in scenario 7."""
    rng = np.random.default_rng(2)
    quiet = [10.0] * 12
    series = [*quiet, *[20.0] * 16, 40.0, *[20.0] * 11, 10.0, *[20.0] * 11, *[10.0] * 16]
    noisy = [float(10 * (1 + x)) for x in rng.uniform(-0.1, 0.1, 20)]
    steps = [10 / 3, 10 / 4, 10 / 4, 10 / 4, 10 / 5, 10 / 4, 10 / 4, 10 / 4, *[10 / 3] * 6]
    probes = [*series, *noisy, *steps]
    return {
        "probe": probes,
        "fuzzy": FuzzyPredictor(probes[0]).over(probes).tolist(),
        "alpha 0.1": exponential_average(probes, 0.1, probes[0]),
        "alpha 0.9": exponential_average(probes, 0.9, probes[0]),
    }


def best_weight(ratio: float) -> float:
    """The fixed weight that does what the settled Kalman filter does."""
    return 1 - kalman_steady(ratio, 1.0)
