"""The genome of an attack: the numbers and choices of a scenario that the search may change, and their bounds.

Every genome within its bounds makes a scenario that could be a real path: nothing has to be repaired or thrown away.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...scenario.baselines import PLAIN

#: How the delay of the first flow varies within its bound.
PATTERNS = ("none", "uniform", "on-off", "sawtooth", "worst")

#: Maximum number of free times.
MOST_TIMES = 20

#: Share of the range of a gene that can be off in which it is off, and of a free time in which there is none.
OFF = 0.35


@dataclass(frozen=True)
class Gene:
    """One number of a genome.

    Attributes:
        name: in bounds files, tables and comments.
        kind: of the engine's quantities (`bps`, `s`), or empty for a plain number.
        meaning: one sentence.
        off: whether 0 is allowed beside the range: the property is then absent.
        whole: whether it is a whole number.
        scale: `log` or `linear`: what equal steps of the search are.
    """

    name: str
    kind: str
    meaning: str
    off: bool = False
    whole: bool = False
    scale: str = "log"


#: All numbers of a genome, in the order in which the shrinking tries to remove them.
GENES: dict[str, Gene] = {
    g.name: g
    for g in (
        Gene("burst_rate", "", "Rate of the bursts of a source without flow control, over the line's.", off=True),
        Gene("burst_length", "", "Part of the period in which the bursts are on."),
        Gene("period", "s", "Period of the bursts, and of a delay with the pattern on-off."),
        Gene("delay", "s", "Bound of the delay that the first flow's packets have beside the propagation.", off=True),
        Gene("loss", "", "Share of the packets that the line loses at random.", off=True),
        Gene("ack_aggregation", "s", "Time between bursts of acknowledgements.", off=True),
        Gene("offset", "s", "Time from the start of a flow to that of the next one.", off=True),
        Gene("ratio", "", "Propagation round trip of the other flows, over that of the first.", scale="linear"),
        Gene("flows", "", "Number of flows.", whole=True),
        Gene("buffer", "", "Buffer of the line, in bandwidth-delay products."),
        Gene("rtt", "s", "Propagation round trip of the first flow."),
        Gene("rate", "bps", "Rate of the line."),
    )
}

#: Where the shrinking goes: a plain path, on which nothing happens.
NEUTRAL = {
    "burst_rate": 0.0, "burst_length": 0.1, "period": 0.3, "delay": 0.0, "loss": 0.0, "ack_aggregation": 0.0, "offset": 0.0,
    "ratio": 1.0, "flows": 1.0, "buffer": 1.0, "rtt": 0.04, "rate": 1e7,
}  # fmt: skip


@dataclass(frozen=True)
class Candidate:
    """A genome: one scenario of the search, before the scheme is put into it.

    Attributes:
        numbers: of each gene; times in s, rates in bit/s, 0 for what is off.
        queue: discipline of the line.
        pattern: of the delay.
        times: at which a delay with the pattern `worst` changes between nothing and its bound, in s.
    """

    numbers: Mapping[str, float]
    queue: str
    pattern: str = "none"
    times: tuple[float, ...] = ()

    def __getitem__(self, name: str) -> float:
        return self.numbers[name]

    def put(self, **changes: Any) -> Candidate:
        """The candidate with other numbers, queue, pattern or times."""
        own = {name: changes.pop(name) for name in [*changes] if name in GENES}
        return replace(self, numbers={**self.numbers, **own}, **changes)

    def plain(self, neutral: Mapping[str, float] = NEUTRAL) -> Candidate:
        """The candidate without values that nothing reads: those of bursts, delays and flows that are not there."""
        own = dict(self.numbers)
        pattern, times = self.pattern, self.times
        if not own["delay"] or pattern == "none":
            pattern, own["delay"] = "none", 0.0
        if pattern != "worst":
            times = ()
        if not own["burst_rate"]:
            own["burst_length"] = neutral["burst_length"]
            if pattern != "on-off":
                own["period"] = neutral["period"]
        if own["flows"] < 2:
            own["ratio"], own["offset"] = neutral["ratio"], neutral["offset"]
        return Candidate(own, self.queue, pattern, times)

    def key(self) -> str:
        """Names it, the same for the same candidate."""
        numbers = " ".join(f"{name}={self.numbers[name]:.6g}" for name in GENES)
        return f"{numbers} {self.queue} {self.pattern} {' '.join(f'{t:g}' for t in self.times)}"

    def active(self, neutral: Mapping[str, float], queue: str) -> list[str]:
        """The names of what differs from a plain path."""
        found = [name for name in GENES if not math.isclose(self.numbers[name], neutral[name], rel_tol=1e-3)]
        return [*found, *(["pattern"] if self.pattern != "none" else []), *(["queue"] if self.queue != queue else [])]


@dataclass(frozen=True)
class Bounds:
    """What the search may do.

    Attributes:
        ranges: of each gene the least and the greatest value; equal ones hold it.
        queues: disciplines of the line.
        patterns: of the delay.
        times: number of free times.
        burst_share: maximum share of the line that bursts take on average.
        duration: of a run in s; `most_packets` makes it shorter on fast lines.
        most_packets: that the line carries in a run.
        title: for people.
        always: genes that can be off and are not.
        delay_share: maximum of the first flow's delay, over its round trip.
    """

    ranges: Mapping[str, tuple[float, float]]
    queues: tuple[str, ...]
    patterns: tuple[str, ...] = PATTERNS
    times: int = 3
    burst_share: float = 0.25
    duration: float = 20.0
    most_packets: int = 60_000
    title: str = ""
    neutral: Mapping[str, float] = field(default_factory=dict)
    always: tuple[str, ...] = ()
    delay_share: float = math.inf

    def __post_init__(self) -> None:
        # A plain path has to lie within the bounds.
        near = {name: min(max(NEUTRAL[name], low), high) for name, (low, high) in self.ranges.items()}
        off = {name: 0.0 for name, gene in GENES.items() if gene.off}
        object.__setattr__(self, "neutral", {**near, **off})

    @property
    def size(self) -> int:
        """Numbers of a genome, its free times included."""
        return len(GENES) + self.times

    @property
    def choices(self) -> list[int]:
        """How many values each choice has: queue and pattern."""
        return [len(self.queues), len(self.patterns)]

    def candidate(self, x: Sequence[float], chosen: Sequence[int]) -> Candidate:
        """The genome at a point of the unit cube, shape (`size`,), with the numbers of its queue and pattern.

        Values are rounded to two digits: people read them, and close points are one run.
        """
        numbers = {name: self._value(name, float(u)) for name, u in zip(GENES, x, strict=False)}
        most = self.burst_share / max(numbers["burst_length"], 1e-9)
        if numbers["burst_rate"] > most:
            low = self.ranges["burst_rate"][0]
            if most >= low:
                numbers["burst_rate"] = _digits(most, 2, down=True)
            elif self.can_be_off("burst_rate"):
                numbers["burst_rate"] = 0.0
            else:
                numbers |= {"burst_rate": low, "burst_length": _digits(self.burst_share / low, 2, down=True)}
        longest = self.delay_share * numbers["rtt"]
        if numbers["delay"] > longest:
            numbers["delay"] = _digits(longest, 2, down=True) if longest >= self.ranges["delay"][0] else 0.0
        length = self.length(numbers["rate"], numbers["rtt"])
        times = sorted(_digits(u / (1 - OFF) * length, 2) for u in map(float, x[len(GENES) :]) if u < 1 - OFF)
        pattern = self.patterns[chosen[1]]
        return Candidate(numbers, self.queues[chosen[0]], pattern, tuple(dict.fromkeys(times))).plain(self.neutral)

    def _value(self, name: str, u: float) -> float:
        gene, (low, high) = GENES[name], self.ranges[name]
        u = min(max(u, 0.0), 1.0)
        if high == 0:
            return 0.0
        if self.can_be_off(name):
            if u < OFF:
                return 0.0
            u = (u - OFF) / (1 - OFF)
        value = low * (high / low) ** u if gene.scale == "log" and low > 0 else low + (high - low) * u
        if gene.whole:
            return float(round(value))
        return min(max(_digits(value, 2), low), high)

    def point(self, candidate: Candidate) -> list[float]:
        """Where a candidate lies in the unit cube, without its times: the inverse of `candidate` up to rounding."""
        out = []
        for name, gene in GENES.items():
            value, (low, high) = candidate[name], self.ranges[name]
            if (gene.off and value <= 0) or high <= low:
                out.append(0.0)
                continue
            log = gene.scale == "log" and low > 0
            u = math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
            out.append(min(max(OFF + (1 - OFF) * u if self.can_be_off(name) else u, 0.0), 1.0))
        return out

    def can_be_off(self, name: str) -> bool:
        """Whether a gene may be absent."""
        return GENES[name].off and name not in self.always

    @property
    def plain_queue(self) -> str:
        """The plainest of the queues."""
        return PLAIN if PLAIN in self.queues else self.queues[0]

    def active(self, candidate: Candidate) -> tuple[str, ...]:
        """The names of what differs from a plain path within these bounds."""
        return tuple(candidate.active(self.neutral, self.plain_queue))

    def holds(self, candidate: Candidate) -> bool:
        """Whether a candidate lies within the bounds."""
        for name, (low, high) in self.ranges.items():
            value = candidate[name]
            absent = value == self.neutral[name] or (GENES[name].off and value == 0)
            if not absent and not low * 0.999 <= value <= high * 1.001:
                return False
        if candidate["delay"] > self.delay_share * candidate["rtt"] * 1.001:
            return False
        return candidate["burst_rate"] * candidate["burst_length"] <= self.burst_share * 1.001

    def length(self, rate: float, rtt: float) -> float:
        """How long a run is on a line of this rate (bit/s) with this round trip (s), in s: at least 40 round trips."""
        return _digits(max(40 * rtt, min(self.duration, self.most_packets * 12_000 / rate)), 2)


def _digits(value: float, digits: int, down: bool = False) -> float:
    """A number of a few digits.

    >>> _digits(0.03456, 2), _digits(0.0399, 1, down=True), _digits(0.0, 2)
    (0.035, 0.03, 0.0)
    """
    near = float(f"{value:.{digits}g}")
    if not down or near <= value:
        return near
    return float(f"{near - 10.0 ** (math.floor(math.log10(near)) - digits + 1):.{digits}g}")


def rounded(value: float) -> list[float]:
    """Rounder numbers near a value, the roundest first: of the digits 1, 2 and 5, then the nearest ones of one digit.

    >>> rounded(0.0374), rounded(0.46)
    ([0.05, 0.04, 0.03], [0.5, 0.4])
    """
    if value <= 0:
        return []
    ten = 10.0 ** math.floor(math.log10(value))
    first = min((c * ten for c in (1, 2, 5, 10)), key=lambda c: abs(math.log(c / value)))
    below = _digits(value, 1, down=True)
    near = sorted((below, below + ten), key=lambda c: abs(c - value))
    found = [float(f"{c:.3g}") for c in (first, *near)]
    return [c for c in dict.fromkeys(found) if c > 0 and not math.isclose(c, value, rel_tol=1e-6)]
