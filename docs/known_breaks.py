"""Breaks that are known from the literature, and what counts as having found one again: the test of the search itself.

`known_breaks.toml` has them. Beside the search stands what drawing at random finds with as many runs.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from headgate.base.forms import CLOSED, Ratio, listed
from headgate.lab.attacks.bounds import read
from headgate.lab.attacks.build import Setting, scenario
from headgate.lab.attacks.finding import FoundBreak
from headgate.lab.attacks.genome import GENES, PATTERNS, Bounds
from headgate.lab.attacks.run import CONFIRM, AttackResult, Budget, attack, setting
from headgate.lab.frame import work
from headgate.lab.frame.subjects import Judged
from headgate.lab.frame.work import RunJob

#: Different runs of the engine for each search, and the seeds of the searches that are judged.
RUNS, SEEDS = 2000, (1, 2, 3)

#: What of a path every scenario has: it may be anything in a finding.
_PATH = ("rate", "rtt", "buffer", "flows", "queue")

#: What nothing reads where bursts and delays are absent, and the ranges of what is absent.
_READ = ("burst_length", "period")
_ABSENT = {name: (0.0, 0.0) for name, gene in GENES.items() if gene.off} | {"ratio": (1.0, 1.0)}


@dataclass(frozen=True)
class Without:
    """What takes away the cause that the literature names: keys of the flow control's transport, or noise of the hosts."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    transport: dict[str, Any] = field(default_factory=dict)
    noise: str | None = None

    def of(self, at: Setting) -> Setting:
        """A setting without the cause."""
        control = replace(at.control, transport={**at.control.transport, **self.transport})
        return replace(at, control=control, noise=at.noise if self.noise is None else self.noise)


@dataclass(frozen=True)
class KnownBreak:
    """A break of the literature; `known_breaks.toml` says what its fields are."""

    __pydantic_config__: ClassVar[ConfigDict] = CLOSED

    name: str
    source: str
    what: str
    severity: str
    objective: str
    limit: float
    control: dict[str, Any] | None = None
    queue: dict[str, Any] | None = None
    transport: dict[str, Any] = field(default_factory=dict)
    shows: tuple[dict[str, Literal[True] | tuple[float, float]], ...] = ({},)
    may: tuple[str, ...] = ()
    flows: tuple[int, int] = (1, 8)
    patterns: tuple[str, ...] = PATTERNS
    delay_share: Ratio = math.inf
    ratio: float = 4.0
    lossless: bool = False
    margin: float = 2.0
    against: tuple[str, ...] | None = None
    burst_share: float | None = None
    noise: str = "1pkt"
    without: Without | None = None
    lasts: bool = False

    def is_it(self, finding: FoundBreak) -> bool:
        """Whether a small finding is this break and no other one."""
        return any(all(_shows(finding, *part) for part in parts.items()) for parts in self.shows)

    def bounds(self) -> Bounds:
        """The preset `internet`, without what the claim is not about, and with what its attacker can do at most."""
        found = read("internet")
        ranges = {
            name: gene_range if name in (*_PATH, *_READ, *self.may) else _ABSENT[name]
            for name, gene_range in found.ranges.items()
        }
        if "ratio" in self.may:
            ranges["ratio"] = (1.0, self.ratio)
        if self.lossless:
            ranges["buffer"] = (2.0, ranges["buffer"][1])
        ranges["flows"] = (float(self.flows[0]), float(self.flows[1]))
        return replace(
            found, ranges=ranges, patterns=self.patterns if "delay" in self.may else ("none",), delay_share=self.delay_share,
            burst_share=found.burst_share if self.burst_share is None else self.burst_share,
        )  # fmt: skip

    def subjects(self) -> tuple[Judged | None, Judged | None]:
        """The control and the queue."""
        control = None if self.control is None else Judged(self.control["kind"], self.control, transport=self.transport)
        return control, None if self.queue is None else Judged(self.queue["kind"], self.queue)

    def references(self) -> list[Judged] | None:
        """Who else is put in the place of the scheme."""
        return None if self.against is None else [Judged(name, {"kind": name}) for name in self.against]

    def setting(self) -> Setting:
        """What all candidates have in common."""
        return setting(*self.subjects(), self.objective, self.bounds(), noise=self.noise)

    def holds(self, finding: FoundBreak) -> bool:
        """Whether a finding is this break: what is left of it, what becomes of it without its cause, and whether it lasts."""
        if not self.is_it(finding):
            return False
        at = self.setting()
        if self.without is not None and _fails(finding, self.without.of(at), self.limit):
            return False
        return not self.lasts or _fails(finding, _long(at), self.limit)


def _shows(finding: FoundBreak, name: str, wanted: Literal[True] | tuple[float, float]) -> bool:
    if wanted is True:
        return name in finding.active
    value = len(finding.candidate.times) if name == "times" else finding.candidate[name]
    return wanted[0] <= value <= wanted[1]


def _long(at: Setting) -> Setting:
    """With runs of four times the length."""
    return replace(at, objective=replace(at.objective, longer=4 * at.objective.longer))


KNOWN = listed(KnownBreak, __file__, "known_breaks")


@dataclass(frozen=True)
class KnownResult:
    """What the search, or drawing at random, made of a known break with one seed.

    Attributes:
        result: of the whole attack.
        found: the first finding that is this break, if it was found within the budget.
    """

    known: KnownBreak
    result: AttackResult
    found: FoundBreak | None


def find(known: KnownBreak, random: bool, runs: int = RUNS, seed: int = 1, workers: int | None = None) -> KnownResult:
    """Searches for a known break, or draws at random, up to a number of different runs of the engine."""
    control, queue = known.subjects()
    answers: dict[str, bool] = {}

    def is_it(finding: FoundBreak) -> bool:
        key = finding.candidate.key()
        if key not in answers:
            answers[key] = known.holds(finding)
        return answers[key]

    result = attack(
        control, queue, objective_name=known.objective, bounds=known.bounds(), against=known.references(), limit=known.limit,
        margin=known.margin, noise=known.noise, seed=seed, random=random, workers=workers,
        budget=Budget(1_000_000, runs, findings=1_000_000, until=is_it),
    )  # fmt: skip
    return KnownResult(known, result, next((f for f in result.findings if is_it(f) and f.runs <= runs), None))


def _fails(finding: FoundBreak, at: Setting, limit: float) -> bool:
    """Whether most of five runs in another setting are beyond the limit."""
    count = 0
    for seed in CONFIRM:
        data, place = scenario(finding.candidate, at)
        values = work.do(RunJob(json.dumps(data), seed, at.wanted(finding.candidate), place))["values"]
        count += at.objective.badness(at.objective.value(values, finding.candidate), limit) >= 0
    return count >= 3
