"""Breaks that are known from the literature, and what counts as having found one again: the test of the search itself.

The search is told the scheme, the objective and the preset `internet`, and nothing of where the break lies. Beside it stands what drawing
at random finds with as many runs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..referee import work
from ..referee.subjects import Judged
from ..referee.work import RunJob
from .bounds import read
from .build import Setting, scenario
from .finding import FoundBreak
from .genome import Bounds
from .run import CONFIRM, AttackResult, Budget, attack, setting

#: Runs of the engine for each search.
RUNS = 1500


@dataclass(frozen=True)
class KnownBreak:
    """A break of the literature.

    Attributes:
        name: in tables.
        source: where it is described.
        what: the break in a sentence.
        control: the flow control, as a scenario writes it, or None.
        queue: the queue, or None.
        objective: that is looked for.
        is_it: whether a finding is this break and no other one.
        options: of the attack beyond those.
    """

    name: str
    source: str
    what: str
    objective: str
    is_it: Callable[[FoundBreak], bool]
    control: dict[str, Any] | None = None
    queue: dict[str, Any] | None = None
    transport: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    #: The same without the cause that the literature names: there it must not be a break.
    twin: Callable[[Setting], Setting] | None = None
    #: What the literature says of the place: a low rate of bursts, ranges of the genome, a queue. It replaces those of the preset.
    burst_share: float | None = None
    place: dict[str, tuple[float, float]] = field(default_factory=dict)
    fcfs: bool = False

    def bounds(self) -> Bounds:
        """Where it is looked for."""
        found = read("internet")
        share = found.burst_share if self.burst_share is None else self.burst_share
        return replace(
            found,
            ranges={**found.ranges, **self.place},
            burst_share=share,
            queues=("fcfs",) if self.fcfs else found.queues,
        )

    def subjects(self) -> tuple[Judged | None, Judged | None]:
        """The control and the queue."""
        control = None if self.control is None else Judged(self.control["kind"], self.control, transport=self.transport)
        return control, None if self.queue is None else Judged(self.queue["kind"], self.queue)


def _has(finding: FoundBreak, *names: str) -> bool:
    return all(name in finding.active for name in names)


def _low_rate(f: FoundBreak) -> bool:
    # The least timeout of RFC 6298 is 1 s.
    return _has(f, "burst_rate") and 0.5 <= f.candidate["period"] <= 2


def _with_short_timeout(at: Setting) -> Setting:
    """With a tenth of the least timeout."""
    return replace(at, control=replace(at.control, transport={**at.control.transport, "min_timeout": "100ms"}))


def _with_noise(at: Setting) -> Setting:
    """With noise of one packet time: what is left is an effect of unequal paths, and not of the phase."""
    return replace(at, noise="1pkt")


#: Two flows on a line that loses nothing, as the theorems have it.
_TWO_FLOWS = {"buffer": (4.0, 8.0), "rate": (2e7, 5e7), "flows": (2.0, 2.0)}

KNOWN: tuple[KnownBreak, ...] = (
    KnownBreak(
        "low-rate attack", "Kuzmanovic and Knightly 2003",
        "Short bursts with a period near the least timeout keep Reno in timeouts.",
        "bursts", _low_rate, control={"kind": "reno"}, transport={"preset": "rfc"}, options={"limit": 0.3}, burst_share=0.06,
        place={"buffer": (1, 4)}, fcfs=True,
        twin=_with_short_timeout,
    ),
    KnownBreak(
        "starvation of Copa", "Arun, Alizadeh and Balakrishnan 2022",
        "A bounded delay of one flow alone starves one of two equal delay-based flows.",
        "starvation", lambda f: _has(f, "delay"), control={"kind": "copa", "competes": False}, place=_TWO_FLOWS, fcfs=True,
    ),
    KnownBreak(
        "starvation of Vegas", "Arun, Alizadeh and Balakrishnan 2022",
        "A bounded delay of one flow alone starves one of two equal delay-based flows.",
        "starvation", lambda f: _has(f, "delay"), control={"kind": "vegas"}, place=_TWO_FLOWS, fcfs=True,
    ),
    KnownBreak(
        "starvation of BBR", "Arun, Alizadeh and Balakrishnan 2022",
        "A bounded delay of one flow alone, or unequal round trips, starve one of two flows with a model of the path.",
        "starvation", lambda f: _has(f, "delay") or _has(f, "ratio"), control={"kind": "bbr1"}, place=_TWO_FLOWS, fcfs=True,
    ),
    KnownBreak(
        "phase effects", "Floyd and Jacobson 1991",
        "Without noise a full queue may always drop the packets of the same one of two equal flows.",
        "share", lambda f: not {"delay", "loss", "burst_rate", "ack_aggregation"} & set(f.active), control={"kind": "reno"},
        options={"noise": "0"}, twin=_with_noise, fcfs=True,
    ),
    KnownBreak(
        "bursts of acknowledgements", "Cardwell et al. 2017 and later drafts of BBR",
        "Acknowledgements, or packets, in bursts leave BBR version 1 with too small a window.",
        "goodput", lambda f: _has(f, "ack_aggregation") or (_has(f, "delay") and f.candidate.pattern in ("sawtooth", "on-off")),
        control={"kind": "bbr1"},
    ),
    KnownBreak(
        "shallow buffers", "Hock, Bless and Zitterbart 2017",
        "In a buffer below a bandwidth-delay product BBR version 1 loses many times what others lose.",
        "loss", lambda f: f.candidate["buffer"] <= 1 and not _has(f, "loss") and not _has(f, "burst_rate"),
        control={"kind": "bbr1"},
    ),
    KnownBreak(
        "late comer", "Rossi et al. 2010; Carofiglio et al. 2010",
        "A flow of LEDBAT that starts later takes the delay of the first for the path's, and starves it.",
        "share", lambda f: _has(f, "offset"), control={"kind": "ledbat"},
    ),
    KnownBreak(
        "RED and a flood", "Pan, Prabhakar and Psounis 2000; Nichols and Jacobson 2012",
        "Bursts without flow control fill RED's queue before its average follows.",
        "victim-delay", lambda f: _has(f, "burst_rate"), queue={"kind": "red"},
    ),
    KnownBreak(
        "CoDel and a flood", "Nichols and Jacobson 2012; RFC 8289, section 4",
        "CoDel's drops grow slower than a source without flow control sends.",
        "victim-delay", lambda f: _has(f, "burst_rate"), queue={"kind": "codel"},
    ),
    KnownBreak(
        "many flows", "Briscoe 2007",
        "A source with many flows has many shares of a queue that is fair to flows.",
        "unfairness", lambda f: _has(f, "flows") and f.candidate["flows"] >= 3, queue={"kind": "fq"},
        options={"absolute": True},
    ),
    KnownBreak(
        "packet pairs and cross traffic", "Keshav 1991; Dovrolis, Ramanathan and Moore 2001",
        "Cross traffic between the packets of a pair spoils the estimate of the rate where queues do not separate flows.",
        "goodput", lambda f: _has(f, "burst_rate") or _has(f, "flows"), control={"kind": "packet_pair"},
    ),
)  # fmt: skip


@dataclass(frozen=True)
class KnownResult:
    """What the search, and drawing at random, made of a known break: the results, and the first finding of each that is this break."""

    known: KnownBreak
    search: AttackResult
    random: AttackResult
    by_search: FoundBreak | None
    at_random: FoundBreak | None


def find(known: KnownBreak, runs: int = RUNS, seed: int = 1, workers: int | None = None) -> KnownResult:
    """Searches for a known break, and draws at random for as many runs."""
    control, queue = known.subjects()
    options = dict(known.options)
    against: Sequence[Judged] | None = () if options.pop("absolute", False) else None
    bounds = known.bounds()
    at = setting(control, queue, known.objective, bounds)

    def is_it(finding: FoundBreak) -> bool:
        return known.is_it(finding) and not (known.twin and _fails(finding, known.twin(at), options.get("limit")))

    budget = Budget(1_000_000, runs, findings=6, until=is_it)
    search, random = (
        attack(
            control, queue, objective_name=known.objective, bounds=bounds, against=against, seed=seed, budget=budget,
            random=drawn, workers=workers, **options,
        )
        for drawn in (False, True)
    )  # fmt: skip
    first = [next((f for f in result.findings if is_it(f)), None) for result in (search, random)]
    return KnownResult(known, search, random, *first)


def _fails(finding: FoundBreak, at: Setting, limit: float | None) -> bool:
    """Whether most of five runs in another setting are beyond the limit."""
    count = 0
    for seed in CONFIRM:
        data, place = scenario(finding.candidate, at)
        values = work.do(RunJob(json.dumps(data), seed, at.wanted(finding.candidate), place))["values"]
        count += at.objective.badness(at.objective.value(values, finding.candidate), limit) >= 0
    return count >= 3
