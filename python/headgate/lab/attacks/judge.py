"""Judges candidates: how far the scheme is beyond the limit, and how far from the best reference in the same place."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..frame.jobs import Runner
from ..frame.subjects import Judged
from ..frame.work import RunJob
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
        #: Different runs asked for, those that were made before this call included, and seconds of processor time.
        self.runs, self.cpu_s = 0, 0.0
        self._known: set[str] = set()
        #: How often each reference was the one that settled a score.
        self._settled = dict.fromkeys((o.name for o in self.references), 0)

    def __call__(self, candidates: Sequence[Candidate], seeds: Sequence[int] = (1,)) -> list[list[CandidateScore]]:
        """Of each candidate its judgements, one a seed, with all references where the scheme is beyond the limit."""
        pairs = [(c, seed) for c in candidates for seed in seeds]
        scores = self._judged(pairs, lambda score, gap: False)
        return [scores[i * len(seeds) : (i + 1) * len(seeds)] for i in range(len(candidates))]

    def scores(self, candidates: Sequence[Candidate], seed: int) -> list[CandidateScore]:
        """The same scores from fewer runs: references run one after another, and only while one of them can change the score."""
        # The score is the lesser one of two, of which references only make the second one larger.
        return self._judged([(c, seed) for c in candidates], lambda score, gap: gap >= score)

    def own(self, candidates: Sequence[Candidate], seed: int) -> None:
        """Makes the runs of the scheme itself."""
        self._make([self._job(c, self.at, seed) for c in candidates])

    def fails(self, candidate: Candidate, seeds: Sequence[int]) -> bool:
        """Whether a candidate is a break with each of the seeds: asked one after another, up to the first that says no."""
        # One reference that is better by the margin is enough.
        return all(self._judged([(candidate, seed)], lambda score, gap: gap >= 0)[0].broken for seed in seeds)

    def _judged(
        self, pairs: Sequence[tuple[Candidate, int]], settled: Callable[[float, float], bool]
    ) -> list[CandidateScore]:
        """Judges candidates with seeds; `settled` says of a score without references and a gap whether more references are needed."""
        objective = self.at.objective
        own = [self._job(c, self.at, seed) for c, seed in pairs]
        self._make(own)
        values = [self._value(c, job) for (c, _), job in zip(pairs, own, strict=True)]
        scores = [_FAULT if fault else objective.badness(value, self.limit) for value, fault in values]
        beside: list[dict[str, float | None]] = [{} for _ in pairs]
        # References run only where the scheme is near the limit: elsewhere they change nothing.
        left = [i for i, (_, fault) in enumerate(values) if not fault and scores[i] >= self._near]
        for other in sorted(self.references, key=lambda o: -self._settled[o.name]):
            places = {i: self._put(other, pairs[i][0]) for i in left}
            jobs = {i: self._job(*place, pairs[i][1]) for i, place in places.items()}
            self._make(list(jobs.values()))
            for i in [*left]:
                beside[i][other.name] = self._value(places[i][0], jobs[i])[0]
                if settled(scores[i], self._gap(values[i][0], beside[i])):
                    self._settled[other.name] += 1
                    left.remove(i)
        return [self._score(scores[i], *values[i], beside[i]) for i in range(len(pairs))]

    @property
    def _near(self) -> float:
        """The score without references from which on they run."""
        # What bursts alone destroy shows only beside the same without bursts.
        return -math.log(self.margin) if self.at.objective.calm else 0.0

    def _score(self, score: float, value: float | None, fault: str, beside: dict[str, float | None]) -> CandidateScore:
        if fault:
            return CandidateScore(_FAULT, None, {}, fault)
        if not self.references:
            return CandidateScore(score, value, {})
        if not beside:
            # As if the best reference had the same: a scheme within the limit is further from a break than one beyond it.
            return CandidateScore(score - math.log(self.margin), value, {})
        return CandidateScore(min(score, self._gap(value, beside)), value, beside)

    def _gap(self, value: float | None, beside: dict[str, float | None]) -> float:
        objective = self.at.objective
        return objective.gap(value, objective.best(list(beside.values())), self.margin)

    def _put(self, other: Judged, c: Candidate) -> tuple[Candidate, Setting]:
        """The candidate and the setting with a reference in the place of the scheme."""
        if self.at.objective.calm:
            return c.put(burst_rate=0.0).plain(self.at.bounds.neutral), self.at
        return c, self.at.put(other)

    def _job(self, c: Candidate, at: Setting, seed: int) -> RunJob:
        data, place = scenario(c, at)
        return RunJob(json.dumps(data), seed, at.wanted(c), place)

    def _make(self, jobs: list[RunJob]) -> None:
        self._runner.make(jobs)
        new = {job.key: job for job in jobs if job.key not in self._known}
        self._known |= new.keys()
        self.runs += len(new)
        self.cpu_s += sum(float(self._runner.get(job).get("cpu", 0.0)) for job in new.values())

    def _value(self, c: Candidate, job: RunJob) -> tuple[float | None, str]:
        found: dict[str, Any] = self._runner.get(job)
        if "fault" in found:
            return None, str(found["fault"])
        return self.at.objective.value(found["values"], c), ""
