"""An example that learns: the cross-entropy method on a linear policy.

Source: Rubinstein 1999; with added noise that falls, Szita and Lorincz 2006, Learning Tetris Using the Noisy Cross-Entropy Method.
Deviations: none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ... import _core
from ...base.errors import HeadgateError, cut
from ...scenario.subjects import read
from ..frame.jobs import Where, started
from ..frame.store import key_of
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


@dataclass(frozen=True)
class CandidateTrial:
    """What a candidate is tried with: its numbers, seeds of scenarios, and options of the environment."""

    numbers: list[float]
    seeds: list[int]
    options: dict[str, Any]
    name: str = ""
    size: float = 1.0

    @cached_property
    def key(self) -> str:
        """Names the trial: equal for equal ones."""
        return key_of(self.numbers, self.seeds, self.options)


@dataclass(frozen=True)
class Progressed:
    """How far learning is: the generation, the mean utility in a second of its best candidates, and seconds of real time.

    `kept` is the number of generations of which all trials were taken from the folder.
    """

    generation: int
    utility: float
    seconds: float
    kept: int = 0


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
    resume: str | os.PathLike[str] | None = None,
    engine: str = "local",
    address: str | None = None,
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
        resume: folder in which trials are kept: those of before are not made again, and `seconds` are those of new ones.
        engine: `local` (processes of this machine) or `dask`.
        address: of a Dask scheduler; without one, `dask` starts a cluster on this machine.

    Raises:
        HeadgateError: an argument is wrong, or the folder holds another training or cannot be written.
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
    number = kept = 0
    means = []
    # One process by itself needs no other.
    workers = 0 if processes == 1 and engine == "local" else processes
    asked = {**options, "seed": seed, "code": _code(options["ranges"])}
    where: Where = {"out": resume, "workers": workers, "engine": engine, "address": address}
    with started("train", asked, do, where) as runner:
        while True:
            number += 1
            candidates = mean + spread * random.standard_normal((CANDIDATES, len(mean)))
            # The mean itself is one of them.
            candidates[0] = mean
            # New scenarios each time: those of one generation alone can be learned by heart.
            seeds = [int(x) for x in random.integers(2**31, size=SCENARIOS)]
            jobs = [CandidateTrial([float(x) for x in c], seeds, options) for c in candidates]
            kept += runner.make(jobs) == 0
            found = [_utility(runner.get(job)) for job in jobs]
            # Equal ones in their order.
            best = np.argsort(-np.array(found), kind="stable")[:BEST]
            mean = candidates[best].mean(axis=0)
            means.append(mean)
            spread = candidates[best].std(axis=0) + NOISE * max(1.0 - number / FALLS, 0.0)
            taken = time.monotonic() - began
            utility = float(np.mean([found[i] for i in best]))
            if progress is not None:
                progress(Progressed(number, utility, taken, kept))
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


def do(job: CandidateTrial) -> dict[str, Any]:
    """`{utility}` of a candidate; or `{wrong: text}` if it cannot be tried."""
    try:
        return {"utility": _returns(job.numbers, job.seeds, job.options)}
    except (_core.PluginError, _core.ScenarioError, HeadgateError) as e:
        # Not all exceptions can be sent from process to process.
        return {"wrong": str(e)}


def _utility(found: Mapping[str, Any]) -> float:
    if "fault" in found:
        raise HeadgateError(f"a candidate: {found['fault']}, and so did the next one")
    return float(found["utility"])


def _code(ranges: Mapping[str, Any]) -> list[str]:
    """Digests of the files that ranges name: in a folder, each is one and the same."""
    given = [(kind, ranges.get(name)) for name, kind in (("control", "control"), ("queue", "discipline"))]
    texts = [(kind, one) for kind, some in given for one in (some if isinstance(some, list | tuple) else [some])]
    found = [entry for kind, one in texts if isinstance(one, str) for entry in read(one, kind).plugins]
    return [key_of(entry) for entry in found]
