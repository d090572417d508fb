"""Breaks that are known from the literature, and what counts as having found one again: the test of the search itself.

The search is told the scheme, what is to fail and how far, which properties of a path the source's claim is about, what its attacker can
do at most, and the preset `internet`: nothing of where the break lies. Beside it stands what drawing at random finds with as many runs.
How far it is to fail is the source's own number where it has one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ..frame import work
from ..frame.subjects import Judged
from ..frame.work import RunJob
from .bounds import read
from .build import Setting, scenario
from .finding import FoundBreak
from .genome import GENES, PATTERNS, Bounds
from .run import CONFIRM, AttackResult, Budget, attack, setting

#: Different runs of the engine for each search, and the seeds of the searches that are judged.
RUNS, SEEDS = 2000, (1, 2, 3)

#: What of a path every scenario has: it may be anything in a finding.
_PATH = ("rate", "rtt", "buffer", "flows", "queue")

#: What nothing reads where bursts and delays are absent, and the ranges of what is absent.
_READ = ("burst_length", "period")
_ABSENT = {name: (0.0, 0.0) for name, gene in GENES.items() if gene.off} | {"ratio": (1.0, 1.0)}


@dataclass(frozen=True)
class KnownBreak:
    """A break of the literature.

    Attributes:
        name: in tables.
        source: where it is described.
        what: the break in a sentence.
        severity: what the source measured, and what is asked for.
        objective: that is looked for.
        limit: the value from which on it has failed.
        is_it: whether a small finding is this break and no other one.
        control: the flow control, as a scenario writes it, or None.
        queue: the queue, or None.
        transport: keys of the flow control's transport.
        margin: how many times the best reference is better.
        against: references, by their names; None for the usual ones.
        may: the properties beside a plain path that the source's claim is about; all others are absent.
        flows: least and greatest number of flows that the claim is about.
        patterns: of the delay, if the claim is about one.
        burst_share: maximum share of the line that bursts take on average; that of the preset unless given.
        delay_share: maximum of the delay over the round trip.
        ratio: maximum ratio of the round trips.
        lossless: whether the claim is about a line whose buffer is hardly full: two products at least.
        noise: of the hosts.
        without: the same without the cause that the literature names: there it must not be a break.
        lasts: whether it has to be one in runs of four times the length, too.
    """

    name: str
    source: str
    what: str
    severity: str
    objective: str
    limit: float
    is_it: Callable[[FoundBreak], bool]
    control: dict[str, Any] | None = None
    queue: dict[str, Any] | None = None
    transport: dict[str, Any] = field(default_factory=dict)
    may: tuple[str, ...] = ()
    flows: tuple[int, int] = (1, 8)
    patterns: tuple[str, ...] = PATTERNS
    delay_share: float = math.inf
    ratio: float = 4.0
    lossless: bool = False
    margin: float = 2.0
    against: tuple[str, ...] | None = None
    burst_share: float | None = None
    noise: str = "1pkt"
    without: Callable[[Setting], Setting] | None = None
    lasts: bool = False

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
        if self.without is not None and _fails(finding, self.without(at), self.limit):
            return False
        return not self.lasts or _fails(finding, _long(at), self.limit)


def _has(finding: FoundBreak, *names: str) -> bool:
    return all(name in finding.active for name in names)


def _low_rate(f: FoundBreak) -> bool:
    # The least timeout of RFC 6298 is 1 s, and the source's nulls are at it and at a half of it.
    return 0.4 <= f.candidate["period"] <= 2


def _by_delay(f: FoundBreak) -> bool:
    return _has(f, "delay")


def _with_short_timeout(at: Setting) -> Setting:
    """With a tenth of the least timeout."""
    return replace(at, control=replace(at.control, transport={**at.control.transport, "min_timeout": "100ms"}))


def _with_noise(at: Setting) -> Setting:
    """With noise of one packet time: what is left is an effect of unequal paths, and not of the phase."""
    return replace(at, noise="1pkt")


def _long(at: Setting) -> Setting:
    """With runs of four times the length."""
    return replace(at, objective=replace(at.objective, longer=4 * at.objective.longer))


_STARVED = "A bounded delay of one flow alone starves one of two equal delay-based flows."
_TENTH = (
    "a tenth of the other flow's goodput, in runs of four times the length too, over a buffer of at least two products"
)
_TWO: dict[str, Any] = {"flows": (2, 2), "lossless": True, "lasts": True}

KNOWN: tuple[KnownBreak, ...] = (
    KnownBreak(
        "low-rate attack", "Kuzmanovic and Knightly 2003",
        "Short bursts with a period near the least timeout keep Reno in timeouts.",
        "Bursts of 9 % of the line left TCP 0.8 of 9.8 Mbit/s (section 6); section 5.2.3 has an attacker with 3.3 % of it. "
        "Asked for: bursts of at most 3.3 % leave at most 10 % of the rest, and an eighth of what there is without them; their period "
        "is 0.4 to 2 s, and with a least timeout of 0.1 s it is gone.",
        "bursts", 0.1, _low_rate, control={"kind": "reno"}, transport={"preset": "rfc"}, may=("burst_rate",), margin=8.0,
        burst_share=0.033, without=_with_short_timeout,
    ),
    KnownBreak(
        "starvation of Copa", "Arun, Alizadeh and Balakrishnan 2022", _STARVED,
        f"8.8 beside 95 Mbit/s in 60 s, by an error of 1 ms of 60 (section 5.1). Asked for: {_TENTH}, by a delay of at most a thirtieth of "
        "the round trip.",
        "share", 0.1, _by_delay, control={"kind": "copa", "competes": False, "least_rtt_for": "100s"}, may=("delay",),
        delay_share=1 / 30, **_TWO,
    ),
    KnownBreak(
        "starvation of Vegas", "Arun, Alizadeh and Balakrishnan 2022", _STARVED,
        f"The theorem has no number (section 4). Asked for: {_TENTH}, by a delay of at most a fifteenth of the round trip.",
        "share", 0.1, _by_delay, control={"kind": "vegas"}, may=("delay",), delay_share=1 / 15, **_TWO,
    ),
    KnownBreak(
        "starvation of BBR", "Arun, Alizadeh and Balakrishnan 2022",
        "Round trips of which one is twice the other, with a little jitter, starve one of two flows with a model of the path.",
        "8.3 beside 107 Mbit/s in 60 s with 40 and 80 ms (section 5.2). Asked for: 8 % of the other flow's goodput, in runs of "
        "four times the length too, over a buffer of at least two products, with round trips of at most twice each other and a "
        "delay of at most a tenth.",
        "share", 0.08, lambda f: _has(f, "delay") or _has(f, "ratio"), control={"kind": "bbr1"}, may=("delay", "ratio"),
        delay_share=0.1, ratio=2.0, **_TWO,
    ),
    KnownBreak(
        "starvation of Vivace", "Arun, Alizadeh and Balakrishnan 2022",
        "Packets of one flow that come at multiples of a time starve it.",
        f"9.9 beside 99.4 Mbit/s in 60 s, with multiples of a round trip (section 5.3). Asked for: {_TENTH}, with multiples of at most a "
        "third of a round trip.",
        "share", 0.1, _by_delay, control={"kind": "vivace"}, may=("delay",), patterns=("none", "sawtooth"), delay_share=1 / 3, **_TWO,
    ),
    KnownBreak(
        "phase effects", "Floyd and Jacobson 1991",
        "Without noise a full queue may always drop the packets of the same one of two flows.",
        "Its figures cannot be read off. Asked for: 3 % of the other's goodput with round trips of at most 1.2 times each other, and gone "
        "with noise of a packet time.",
        "share", 0.03, lambda f: True, control={"kind": "reno"}, may=("ratio",), flows=(2, 2), ratio=1.2, noise="0",
        without=_with_noise,
    ),
    KnownBreak(
        "bursts of acknowledgements", "Cardwell et al. 2017 and later drafts of BBR",
        "Acknowledgements, or packets, in bursts leave BBR version 1 with too small a window.",
        "It has no number. Asked for: a half of the line. Linux mended it in 2019, and our BBR version 1 has that mend.",
        "goodput", 0.5, lambda f: _has(f, "ack_aggregation") or _has(f, "delay"), control={"kind": "bbr1"},
        may=("ack_aggregation", "delay"), patterns=("none", "sawtooth"),
    ),
    KnownBreak(
        "shallow buffers", "Hock, Bless and Zitterbart 2017; Cao et al. 2019",
        "In a buffer below a bandwidth-delay product BBR version 1 loses many times what others lose.",
        "Orders of magnitude more than CUBIC. Asked for: 10 % of its packets, and a hundred times CUBIC's share, in a buffer of at most a "
        "product.",
        "loss", 0.1, lambda f: f.candidate["buffer"] <= 1, control={"kind": "bbr1"}, margin=100.0, against=("cubic",),
    ),
    KnownBreak(
        "late comer", "Rossi et al. 2010; Carofiglio et al. 2010",
        "A flow of LEDBAT that starts later takes the delay of the first for the path's, and starves it.",
        "The late comer takes all in the end. Asked for: the first has a tenth of its goodput.",
        "share", 0.1, lambda f: _has(f, "offset"), control={"kind": "ledbat"}, may=("offset",), flows=(2, 2),
    ),
    KnownBreak(
        "rerouting", "La, Walrand and Anantharam 1999; Mo et al. 1999",
        "Vegas takes the longer round trip of a new route for a queue.",
        "It has no number that we could read. Asked for: a tenth of the line, by one change of at most a tenth of the round trip.",
        "goodput", 0.1, lambda f: _has(f, "delay") and len(f.candidate.times) == 1, control={"kind": "vegas"}, may=("delay",),
        flows=(1, 1), patterns=("none", "worst"), delay_share=0.1,
    ),
    KnownBreak(
        "RED and a flood", "Pan, Prabhakar and Psounis 2000; Nichols and Jacobson 2012",
        "Bursts without flow control fill RED's queue before its average follows.",
        "It has no number for the delay. Asked for: a call waits 150 ms, what ITU-T G.114 grants a whole path, and five times as long "
        "as in the best other queue, through bursts of at most 10 % of the line.",
        "victim-delay", 0.15, lambda f: _has(f, "burst_rate"), queue={"kind": "red"}, may=("burst_rate",), flows=(1, 1), margin=5.0,
        burst_share=0.1,
    ),
    KnownBreak(
        "CoDel and a flood", "Nichols and Jacobson 2012; RFC 8289",
        "CoDel's drops grow slower than a source without flow control sends.",
        "Its target is 5 ms. Asked for: a call waits thirty times that, 150 ms, and five times as long as in the best other queue, through "
        "bursts of at most 10 % of the line.",
        "victim-delay", 0.15, lambda f: _has(f, "burst_rate"), queue={"kind": "codel"}, may=("burst_rate",), flows=(1, 1), margin=5.0,
        burst_share=0.1,
    ),
    KnownBreak(
        "many flows", "Briscoe 2007",
        "A source with many flows has many shares of a queue that is fair to flows.",
        "Shares go with the number of flows. Asked for: a well-behaved source has 30 % of its half.",
        "unfairness", 0.3, lambda f: f.candidate["flows"] >= 3, queue={"kind": "fq"}, against=(),
    ),
    KnownBreak(
        "packet pairs and cross traffic", "Keshav 1991; Dovrolis, Ramanathan and Moore 2001",
        "Cross traffic between the packets of a pair spoils the estimate of the rate where queues do not separate flows.",
        "It has no number. Asked for: a half of what bursts leave.",
        "goodput", 0.5, lambda f: _has(f, "burst_rate") or f.candidate["flows"] > 1, control={"kind": "packet_pair"},
        may=("burst_rate",),
    ),
)  # fmt: skip


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
