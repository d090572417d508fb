"""The attack: searches for scenarios in which a scheme fails, makes them small, and checks them with seeds that no search has seen."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Unpack

from ...base.errors import HeadgateError
from ...scenario.baselines import baselines
from ..frame.jobs import Where, started
from ..frame.subjects import Judged
from . import work
from .bounds import read
from .build import BESIDE, Setting, scenario
from .finding import FoundBreak
from .genome import Bounds, Candidate
from .judge import Judge
from .objective import Objective, objective
from .search import ENOUGH, RANDOM, Searcher
from .sentences import sentence
from .shrink import shrink

#: Who else is put in the place of the scheme, unless the user says otherwise.
REFERENCES = baselines("attack")

#: The seed of the search's runs, those that confirm a break, and those that judge it at the end: nothing has seen them.
SEARCH, CONFIRM, UNSEEN = (1,), (2, 3, 4, 5, 6), tuple(range(101, 111))

#: Of the unseen runs those that have to fail for a finding to count.
MOST_OF = 8

#: Candidates that are drawn before the next look at them.
_BATCH = 16


@dataclass(frozen=True)
class Budget:
    """When a search ends: at whatever is reached first.

    Attributes:
        candidates: of the search.
        runs: different ones of the engine, those of references, of confirming and of shrinking included.
        cpu_s: processor seconds of the engine; with a bound, results depend on the machine.
        findings: breaks.
        until: a break that is enough.
    """

    candidates: int = 3000
    runs: int = 10_000_000
    cpu_s: float = math.inf
    findings: int = 3
    until: Callable[[FoundBreak], bool] | None = None


@dataclass(frozen=True)
class AttackResult:
    """What an attack found.

    Attributes:
        at: the scheme, the objective and the bounds.
        findings: breaks, in the order in which they were found.
        rejected: candidates that failed with the search's seed and not with most others: what depends on the phase is no break.
        candidates: that were judged in the search.
        runs: of the engine, references, confirming and shrinking included.
        cpu_s: processor seconds of these runs.
        wall_s: of this call.
        best: the greatest score of any candidate; below 0 if there is no break.
    """

    at: Setting
    limit: float
    margin: float
    references: tuple[Judged, ...]
    findings: tuple[FoundBreak, ...]
    rejected: int
    candidates: int
    runs: int
    cpu_s: float
    wall_s: float
    best: float
    seed: int = 1
    curve: tuple[tuple[int, float], ...] = field(default=(), repr=False)

    @property
    def subject(self) -> Judged:
        """What was attacked."""
        return self.at.subject

    @property
    def objective(self) -> Objective:
        """What was looked for."""
        return self.at.objective

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain data."""
        return {
            "subject": self.subject.name,
            "objective": self.objective.name,
            "limit": self.limit,
            "margin": self.margin,
            "references": [o.name for o in self.references],
            "seed": self.seed,
            "candidates": self.candidates,
            "runs": self.runs,
            "cpu_s": round(self.cpu_s, 3),
            "candidates_per_cpu_hour": round(3600 * self.candidates / self.cpu_s) if self.cpu_s else None,
            "wall_s": round(self.wall_s, 3),
            "best": self.best,
            "rejected": self.rejected,
            "findings": [
                {
                    "sentence": sentence(self.at, f),
                    "value": f.value,
                    "references": f.references,
                    "failed": f.failed,
                    "runs": len(f.judgements),
                    "after": f.asked,
                    "active": list(f.active),
                    "genome": asdict(f.candidate),
                    "scenario": scenario(f.candidate, self.at)[0],
                }
                for f in self.findings
            ],
        }


def attack(
    control: Judged | None = None,
    queue: Judged | None = None,
    *,
    objective_name: str = "",
    bounds: str | Bounds = "internet",
    against: Sequence[Judged] | None = None,
    limit: float | None = None,
    margin: float = 2.0,
    budget: Budget = Budget(),
    times: int | None = None,
    noise: str = "1pkt",
    seed: int = 1,
    random: bool = False,
    **where: Unpack[Where],
) -> AttackResult:
    """Searches for scenarios in which a flow control, or a queue, fails.

    Args:
        control: the flow control; without a queue's objective it is attacked.
        queue: of the line; without a control it is attacked, with one it is held.
        objective_name: `goodput` of a control or `victim-delay` of a queue unless given.
        bounds: a preset, the path of a file of bounds, or bounds.
        against: references in the same place; those of `REFERENCES` unless given, and with none only the limit counts.
        limit: the value from which on it has failed; the objective's own unless given.
        margin: how many times the best reference has to be better.
        budget: when the search ends.
        times: number of free times of a delay; that of the bounds unless given.
        noise: of the hosts, as in a scenario; `0` for none.
        seed: of the search. Runs have seeds of their own.
        random: draws all candidates at random: the null beside the search.
        where: the folder, workers and engine of runs, and what is told of their progress; see `headgate.lab.frame.jobs.Where`.

    Raises:
        HeadgateError: there is nothing to attack, no such objective, or a candidate makes no scenario.
        MissingExtraError: the library of the search is not installed.
        KeyboardInterrupt: Ctrl-C; finished runs are kept in the folder.
    """
    at = setting(control, queue, objective_name, bounds, times, noise)
    looked_for, subject, judges = at.objective, at.subject, at.objective.judges
    others = [Judged(name, {"kind": name}) for name in REFERENCES[judges]] if against is None else list(against)
    # The scheme is no reference of its own, unless it has other parameters.
    others = [o for o in others if o.table != subject.table]
    if looked_for.calm and others:
        others = [replace(subject, name="without bursts it")]
    asked = {
        "subject": subject.name,
        "table": subject.table,
        "objective": looked_for.name,
        "bounds": asdict(at.bounds),
        "noise": at.noise,
        "references": [o.name for o in others],
        "seed": seed,
    }
    began = time.monotonic()
    hunt: _Hunt
    if (progress := where.get("progress")) is not None and not where.get("part"):
        where["progress"] = lambda *_: progress(min(1.0, hunt.spent()), hunt.searcher.asked, budget.candidates)
    with started("attack", asked, work.do, where) as runner:
        judge = Judge(at, runner, others, looked_for.limit if limit is None else limit, margin)
        hunt = _Hunt(judge, budget, seed)
        if where.get("part"):
            judge.own(hunt.first(random), SEARCH[0])
        hunt.run(random)
    return AttackResult(
        at, judge.limit, margin, tuple(others), tuple(hunt.findings), hunt.rejected,
        hunt.searcher.asked, judge.runs, judge.cpu_s, time.monotonic() - began, hunt.best, seed, tuple(hunt.curve),
    )  # fmt: skip


def setting(
    control: Judged | None,
    queue: Judged | None,
    objective_name: str = "",
    bounds: str | Bounds = "internet",
    times: int | None = None,
    noise: str = "1pkt",
) -> Setting:
    """What all candidates of an attack have in common; see `attack`.

    Raises:
        HeadgateError: there is nothing to attack, or no such objective or preset.
    """
    if control is None and queue is None:
        raise HeadgateError("expected a flow control, a queue, or both")
    judges = "control" if control is not None else "queue"
    looked_for = objective(objective_name or ("goodput" if judges == "control" else "victim-delay"), judges)
    found = read(bounds) if isinstance(bounds, str) else bounds
    flows = control or Judged(BESIDE, {"kind": BESIDE})
    return Setting(flows, queue, looked_for, _narrowed(found, looked_for, times, queue), noise)


class _Hunt:
    """A search with its findings."""

    def __init__(self, judge: Judge, budget: Budget, seed: int) -> None:
        self.judge, self.bounds, self.budget = judge, judge.at.bounds, budget
        self.searcher = Searcher(self.bounds, self._scores, lambda: self.spent() >= 1, seed)
        self.findings: list[FoundBreak] = []
        self.rejected, self.best = 0, -math.inf
        #: The best score after so many candidates, where it rose.
        self.curve: list[tuple[int, float]] = []

    def first(self, random: bool) -> list[Candidate]:
        """The candidates that are drawn at first, whatever comes of them; the searcher has drawn them then."""
        return self.searcher.drawn(math.ceil(self._at_random(random) * self.budget.candidates))

    @staticmethod
    def _at_random(random: bool) -> float:
        """The share of the budget that is drawn at random."""
        # What is drawn alone needs a rest of the budget for the breaks that are hardly beyond the limit.
        return 0.8 if random else RANDOM

    def run(self, random: bool) -> None:
        """Draws, climbs, and looks at breaks until the budget is used up or enough was found."""
        part = self._at_random(random)
        while self.spent() < 1 and not self._enough():
            asked = self.searcher.asked
            if self.spent() < part:
                self.searcher.draw(min(_BATCH, max(1, math.ceil(part * self.budget.candidates) - asked)))
                # What is far enough beyond the limit is looked at at once.
                found = self.searcher.take(ENOUGH)
            elif random:
                found = self.searcher.take()
                if found is None:
                    self.searcher.draw(min(_BATCH, self.budget.candidates - asked))
            else:
                found = self.searcher.climb()
            if found is not None:
                self._look_at(found[0])
            elif self.searcher.asked == asked:
                break

    def spent(self) -> float:
        """The share of the budget that was used."""
        b = self.budget
        return max(self.searcher.asked / b.candidates, self.judge.runs / b.runs, self.judge.cpu_s / b.cpu_s)

    def _enough(self) -> bool:
        until = self.budget.until
        return len(self.findings) >= self.budget.findings or bool(until and any(until(f) for f in self.findings))

    def _scores(self, candidates: Sequence[Candidate]) -> list[float]:
        scores = [judged.score for judged in self.judge.scores(candidates, SEARCH[0])]
        for number, score in enumerate(scores):
            if score > self.best:
                self.best = score
                self.curve.append((self.searcher.asked - len(scores) + number + 1, score))
        return scores

    def _fails(self, candidate: Candidate) -> bool:
        """Whether it fails with the search's seed and with those that confirm."""
        # Most that do not fail with one seed do not with others.
        return self.judge.fails(candidate, (*SEARCH, *CONFIRM))

    def _look_at(self, first: Candidate) -> None:
        """Makes a candidate small and judges it with unseen seeds; it is a finding if most of these runs fail."""
        asked = self.searcher.asked
        if not self._fails(first):
            self.rejected += 1
            self.searcher.leave(first)
            return
        small = shrink(first, self.bounds, self._fails, self.bounds.plain_queue, self.judge.at.objective.flows)
        judgements = tuple(self.judge([small], UNSEEN)[0])
        active = self.bounds.active(small)
        made = FoundBreak(small, active, judgements, first, asked, self.judge.runs, self.judge.cpu_s)
        self.searcher.leave(small)
        if made.failed < MOST_OF:
            self.rejected += 1
        elif not any(made.candidate.key() == f.candidate.key() for f in self.findings):
            self.findings.append(made)


def _narrowed(bounds: Bounds, looked_for: Objective, times: int | None, queue: Judged | None) -> Bounds:
    """The bounds for an objective: enough flows, the queue that is held."""
    low, high = bounds.ranges["flows"]
    ranges = {**bounds.ranges, "flows": (max(low, float(looked_for.flows)), max(high, float(looked_for.flows)))}
    queues = (str(queue.table["kind"]),) if queue is not None else bounds.queues
    return replace(
        bounds, ranges=ranges, queues=queues, times=bounds.times if times is None else times, always=looked_for.always
    )
