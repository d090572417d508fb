"""Judges candidates: how far the scheme is beyond the limit, and how far from the best reference in the same place."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..referee.runner import Runner
from ..referee.subjects import Judged
from ..referee.work import RunJob
from .build import Setting, scenario
from .genome import Candidate

#: Badness of a run in which the scheme itself failed.
_FAULT = 5.0


@dataclass(frozen=True)
class CandidateScore:
    """What a candidate did in one run.

    Attributes:
        score: above 0 if it is a break: the lesser one of how far the value is beyond the limit and from the best reference's, as
            logarithms.
        value: the property of the scheme.
        references: the property of each reference in the same place; empty if the value is within the limit already.
        fault: how the scheme failed.
    """

    score: float
    value: float | None
    references: dict[str, float | None]
    fault: str = ""

    @property
    def broken(self) -> bool:
        """Whether it is a break."""
        return self.score >= 0


class Judge:
    """Judges candidates by runs, each made once."""

    def __init__(self, at: Setting, runner: Runner, references: Sequence[Judged], limit: float, margin: float) -> None:
        """Takes what candidates have in common, and who else is put in their places; none, and only the limit counts."""
        self.at, self.references, self.limit, self.margin = at, tuple(references), limit, margin
        self._runner = runner
        #: Runs asked for, those of before included, and seconds of processor time.
        self.runs, self.cpu_s = 0, 0.0

    def __call__(self, candidates: Sequence[Candidate], seeds: Sequence[int] = (1,)) -> list[list[CandidateScore]]:
        """Of each candidate its judgements, one a seed."""
        at = self.at
        own = [[self._job(c, at, seed) for seed in seeds] for c in candidates]
        self._make([job for jobs in own for job in jobs])
        first = [[self._value(c, job) for job in jobs] for c, jobs in zip(candidates, own, strict=True)]
        # References run only where the scheme is beyond the limit: elsewhere they change nothing.
        wanted: dict[tuple[int, int, str], RunJob] = {}
        for i, c in enumerate(candidates):
            for k, seed in enumerate(seeds):
                value, fault = first[i][k]
                if not fault and at.objective.badness(value, self.limit) >= 0:
                    for other in self.references:
                        wanted[i, k, other.name] = self._job(*self._put(other, c), seed)
        self._make(list(wanted.values()))
        return [
            [self._judged(c, *first[i][k], i, k, wanted) for k in range(len(seeds))] for i, c in enumerate(candidates)
        ]

    def _judged(
        self, c: Candidate, value: float | None, fault: str, i: int, k: int, jobs: dict[tuple[int, int, str], RunJob]
    ) -> CandidateScore:
        if fault:
            return CandidateScore(_FAULT, None, {}, fault)
        objective = self.at.objective
        score = objective.badness(value, self.limit)
        if not self.references:
            return CandidateScore(score, value, {})
        if score < 0:
            # As if the best reference had the same: a scheme within the limit is further from a break than one beyond it.
            return CandidateScore(score - math.log(self.margin), value, {})
        beside = {o.name: self._value(self._put(o, c)[0], jobs[i, k, o.name])[0] for o in self.references}
        gap = objective.gap(value, objective.best(list(beside.values())), self.margin)
        return CandidateScore(min(score, gap), value, beside)

    def _put(self, other: Judged, c: Candidate) -> tuple[Candidate, Setting]:
        """The candidate and the setting with a reference in the place of the scheme."""
        if self.at.objective.calm:
            return c.put(burst_rate=0.0), self.at
        return c, self.at.put(other)

    def _job(self, c: Candidate, at: Setting, seed: int) -> RunJob:
        data, place = scenario(c, at)
        return RunJob(json.dumps(data), seed, at.wanted(c), place)

    def _make(self, jobs: list[RunJob]) -> None:
        self._runner.make(jobs)
        self.runs += len(jobs)
        self.cpu_s += sum(float(self._runner.get(job).get("cpu", 0.0)) for job in jobs)

    def _value(self, c: Candidate, job: RunJob) -> tuple[float | None, str]:
        found: dict[str, Any] = self._runner.get(job)
        if "fault" in found:
            return None, str(found["fault"])
        return self.at.objective.value(found["values"], c), ""
