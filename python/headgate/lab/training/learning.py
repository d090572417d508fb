"""An example that learns: the cross-entropy method on a linear policy.

Source: Rubinstein 1999; with added noise that falls, Szita and Lorincz 2006, Learning Tetris Using the Noisy Cross-Entropy Method.
Deviations: none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import HeadgateError, cut
from ...sweep.engines import Local, work_off
from .policy import LearnedPolicy
from .ranges import DEFAULTS
from .stage import OBSERVATION

#: Candidates of a generation, those that the next one is made of, and scenarios on which each is tried.
CANDIDATES, BEST, SCENARIOS = 16, 4, 16

#: Other ranges than those of the environment: half the time, so that more candidates are tried, and no other flow. A linear policy
#: cannot tell whether others fill the buffer: beside CUBIC it learns to yield or to fight, and keeps that when it is alone.
RANGES = {"duration": "5s", "competitors": 0}

#: The first spread of the weights, what is added to it, and in how many generations that falls to 0.
SPREAD, NOISE, FALLS = 0.5, 0.2, 12


#: What a candidate is tried with: its numbers, seeds of scenarios, and options of the environment.
Job = tuple[list[float], list[int], dict[str, Any]]


@dataclass(frozen=True)
class Progressed:
    """How far learning is: the generation, the mean utility in a second of its best candidates, and seconds of real time."""

    generation: int
    utility: float
    seconds: float


def _returns(numbers: Sequence[float], seeds: Sequence[int], options: Mapping[str, Any]) -> float:
    """The utility in a second of a candidate: the mean over episodes."""
    from .env import CongestionControl

    policy = LearnedPolicy.linear(numbers)
    env = CongestionControl(**options)
    total = 0.0
    try:
        for seed in seeds:
            observed, info = env.reset(seed=seed)
            over, summed = False, 0.0
            while not over:
                observed, reward, _, over, info = env.step(policy(observed))
                summed += reward
            total += summed / info["time_s"]
    finally:
        env.close()
    return total / len(seeds)


def learn(
    ranges: Mapping[str, Any] | None = None,
    *,
    seconds: float = 60.0,
    generations: int | None = None,
    processes: int | None = None,
    seed: int = 1,
    reward: Mapping[str, Any] | None = None,
    progress: Callable[[Progressed], object] | None = None,
) -> LearnedPolicy:
    """Learns a linear policy by the cross-entropy method.

    In each generation, candidates are drawn from a normal distribution of each weight; all are tried on the same scenarios, and the
    distribution is that of the best ones next. The policy is the mean of the distributions of the last third. With `generations`, the same
    seed gives the same policy, with any number of processes.

    Args:
        ranges: of the scenarios, as for the environment, but for runs of 5 s and no other flow.
        seconds: real time to take; the generation that goes on then is the last.
        generations: how many there are, in place of `seconds`.
        processes: that try candidates; all processors unless given.
        seed: of all random numbers.
        reward: of the environment.
        progress: called after each generation.

    Raises:
        HeadgateError: an argument is wrong.
        MissingExtraError: Gymnasium is not installed.
    """
    from .env import CongestionControl

    if not 0 < seconds < 1e7:
        raise HeadgateError(f"seconds: found {cut(repr(seconds))}; expected a number above 0")
    if generations is not None and generations < 1:
        raise HeadgateError(f"generations: found {generations}; expected at least 1")
    options: dict[str, Any] = {"ranges": {**RANGES, **(ranges or {})}, "reward": dict(reward or {})}
    # Errors come from here, not from another process.
    CongestionControl(**options).close()
    began = time.monotonic()
    random = np.random.default_rng(seed)
    mean = np.zeros(len(OBSERVATION) + 1)
    spread = np.full_like(mean, SPREAD)
    processes = processes or os.cpu_count() or 1
    number = 0
    means = []
    with _executor(processes) as pool:
        while True:
            number += 1
            candidates = mean + spread * random.standard_normal((CANDIDATES, len(mean)))
            # The mean itself is one of them.
            candidates[0] = mean
            # New scenarios each time: those of one generation alone can be learned by heart.
            seeds = [int(x) for x in random.integers(2**31, size=SCENARIOS)]
            jobs: list[Job] = [([float(x) for x in c], seeds, options) for c in candidates]
            found = [_returns(*job) for job in jobs] if pool is None else _side_by_side(pool, jobs)
            # Equal ones in their order.
            best = np.argsort(-np.array(found), kind="stable")[:BEST]
            mean = candidates[best].mean(axis=0)
            means.append(mean)
            spread = candidates[best].std(axis=0) + NOISE * max(1.0 - number / FALLS, 0.0)
            taken = time.monotonic() - began
            utility = float(np.mean([found[i] for i in best]))
            if progress is not None:
                progress(Progressed(number, utility, taken))
            if number >= generations if generations is not None else taken >= seconds:
                break
    about = {
        "method": "cross-entropy",
        "generations": number,
        "seed": seed,
        "ranges": {**DEFAULTS, **options["ranges"]},
        "reward": options["reward"],
        "utility": round(utility, 4),
    }
    # The last third together: each mean is that of its own scenarios too.
    learned = np.mean(means[-max(number // 3, 1) :], axis=0)
    return LearnedPolicy.linear([float(x) for x in learned], about=about)


def _executor(processes: int) -> Any:
    return nullcontext(None) if processes == 1 else Local(processes, _one)


def _one(job: Job) -> float:
    return _returns(*job)


def _side_by_side(pool: Local, jobs: list[Job]) -> list[float]:
    """The utilities of candidates, in their order."""
    found: dict[int, float] = {}
    for ended in work_off(pool, jobs):
        for job, utility, how in ended:
            if utility is None:
                raise HeadgateError(
                    f"the process that tried a candidate ended by itself ({how}), and so did the next one"
                )
            found[id(job)] = utility
    return [found[id(job)] for job in jobs]
