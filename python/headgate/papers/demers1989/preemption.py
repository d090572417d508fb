"""Section 5 on the Fuzzball: a gateway whose outgoing lines share one buffer, which sources share by preemption."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...base.parallel import Progress
from ..claims import Result, Runs
from ..layout import Layouts
from ..measure import Floats
from ..study import Shown
from .statements import claim

#: Sources by the line that they go over, and packets/s.
FLOWS = {"flood": (0, 200.375), "light": (0, 30.0), "busy": (1, 60.0)}
#: Seconds that a packet takes of a line, places of the common buffer, and seconds of a trace.
SERVICE, PLACES, SPAN = 0.01, 20, 200.0

SHARED, PREEMPTIVE = RULES = ("one buffer, drop-tail", "one buffer, preemption")
OWN = ("own buffers, FCFS", "own buffers, FQ")


@dataclass(frozen=True)
class Arrival:
    """A packet that arrives at the gateway."""

    time: float
    source: str
    line: int


def traffic(seed: int) -> list[Arrival]:
    """The flood at a constant rate, the two others as Poisson sources."""
    random = np.random.default_rng(seed)
    found = []
    for source, (line, rate) in FLOWS.items():
        count = int(SPAN * rate)
        gaps = np.full(count, 1 / rate) if source == "flood" else random.exponential(1 / rate, count)
        found += [Arrival(float(t), source, line) for t in np.cumsum(gaps) + random.uniform(0, 1 / rate)]
    return sorted(found, key=lambda a: a.time)


def gateway(arrivals: Sequence[Arrival], places: int, *, preempts: bool) -> Floats:
    """When each packet has left; nan if it was dropped.

    Lines serve in order of arrival, and a packet in transmission takes no place. With preemption the last packet of the source with most
    of them in all buffers is dropped, the arrival counted; without it, the arrival is.
    """
    left = np.full(len(arrivals), np.nan)
    waiting: dict[int, deque[int]] = {a.line: deque() for a in arrivals}
    free = dict.fromkeys(waiting, 0.0)
    for number, arrival in enumerate(arrivals):
        for line, queue in waiting.items():
            while queue and free[line] <= arrival.time:
                left[queue.popleft()] = free[line] = free[line] + SERVICE
        if free[arrival.line] <= arrival.time:
            left[number] = free[arrival.line] = arrival.time + SERVICE
            continue
        if sum(map(len, waiting.values())) >= places:
            victim = _victim(arrivals, waiting, number) if preempts else number
            if victim == number:
                continue
            waiting[arrivals[victim].line].remove(victim)
        waiting[arrival.line].append(number)
    for line, queue in waiting.items():
        for number in queue:
            left[number] = free[line] = free[line] + SERVICE
    return left


def _victim(arrivals: Sequence[Arrival], waiting: dict[int, deque[int]], number: int) -> int:
    held = [*(n for queue in waiting.values() for n in queue), number]
    count = Counter(arrivals[n].source for n in held)
    most = max(count.values())
    # Among equals the one that got a packet last.
    return max(n for n in held if count[arrivals[n].source] == most)


@dataclass(frozen=True)
class Fate:
    """What becomes of a source's packets: the share that is lost, and the mean time of the others at the gateway in s."""

    lost: float
    delay: float


def emulated(rule: str) -> dict[str, Fate]:
    """The fate of each source's packets with one buffer for both lines."""
    arrivals = traffic(1)
    left = gateway(arrivals, PLACES, preempts=rule == PREEMPTIVE)
    found = {}
    for source in FLOWS:
        own = [n for n, a in enumerate(arrivals) if a.source == source]
        times = left[own] - [arrivals[n].time for n in own]
        found[source] = Fate(float(np.isnan(times).mean()), float(np.nanmean(times)))
    return found


def simulated(runs: Runs, variant: str) -> dict[str, Fate]:
    """The same where each line has a buffer of its own."""

    def of(metric: str, source: str) -> float:
        return float(runs.of(variant, metric, source)[0])

    return {s: Fate(of("dropped", s) / (of("dropped", s) + of("throughput", s)), of("owd", s)) for s in FLOWS}


def _exchanged(_: Runs) -> tuple[bool | None, bool | None]:
    """Fair shares lose nothing of what asks for less, whatever the rule; the wrong pair exchanges the rules."""
    nothing = {s: Fate(0.0, 0.0) for s in FLOWS}
    return _by_source(nothing, nothing), _by_source(emulated(PREEMPTIVE), emulated(SHARED))


def _by_source(shared: dict[str, Fate], fair: dict[str, Fate]) -> bool:
    kept = fair["busy"].lost < 0.01 and fair["light"].lost < 0.1
    return kept and min(shared[s].lost for s in ("light", "busy")) > 0.1


@claim("D39", nulls=_exchanged)
def _d39(_: Runs) -> Result:
    shared, fair = (emulated(rule) for rule in RULES)
    text = "; ".join(
        f"{name} {', '.join(f'{s} {100 * found[s].lost:.1f} %' for s in FLOWS)}"
        for name, found in (("preemption", fair), ("drop-tail", shared))
    )
    return _by_source(shared, fair), f"lost: {text}"


@claim("D40")
def _d40(runs: Runs) -> Result:
    fair, fq = emulated(PREEMPTIVE)["light"], simulated(runs, OWN[1])["light"]
    text = f"loss {100 * fair.lost:.1f} and {100 * fq.lost:.1f} %, delay {1000 * fair.delay:.0f} and {1000 * fq.delay:.0f} ms"
    return fair.lost > 0.01 > fq.lost and fair.delay > 5 * fq.delay, f"preemption and FQ: {text}"


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The fate of each source's packets."""
    found = {**{v: simulated(runs, v) for v in OWN}, **{rule: emulated(rule) for rule in RULES}}
    rows = [(name, *((100 * f.lost, 1000 * f.delay) for f in of.values())) for name, of in found.items()]
    return Shown((Layouts(__file__).section("preemption", rows),))
