"""Section 5 on the Fuzzball: a gateway whose outgoing lines share one buffer, which sources share by preemption."""

from __future__ import annotations

from dataclasses import dataclass

from ...base.parallel import Progress
from ..claims import Result, Runs
from ..layout import Layouts
from ..study import Shown
from .statements import claim

SOURCES = ("flood", "light", "busy")

SHARED, PREEMPTIVE = "one buffer, drop-tail", "one buffer, preemption"
OWN = ("own buffers, FCFS", "own buffers, FQ")


@dataclass(frozen=True)
class Fate:
    """What becomes of a source's packets: the share that is lost, and the mean time of the others at the gateway in s."""

    lost: float
    delay: float


def simulated(runs: Runs, variant: str) -> dict[str, Fate]:
    """The fate of each source's packets in a run."""

    def of(metric: str, source: str) -> float:
        return float(runs.of(variant, metric, source)[0])

    return {s: Fate(of("dropped", s) / (of("dropped", s) + of("throughput", s)), of("owd", s)) for s in SOURCES}


def _exchanged(runs: Runs) -> tuple[bool | None, bool | None]:
    """Fair shares lose nothing of what asks for less, whatever the rule; the wrong pair exchanges the rules."""
    nothing = {s: Fate(0.0, 0.0) for s in SOURCES}
    return _by_source(nothing, nothing), _by_source(simulated(runs, PREEMPTIVE), simulated(runs, SHARED))


def _by_source(shared: dict[str, Fate], fair: dict[str, Fate]) -> bool:
    kept = fair["busy"].lost < 0.01 and fair["light"].lost < 0.1
    return kept and min(shared[s].lost for s in ("light", "busy")) > 0.1


@claim("D39", nulls=_exchanged)
def _d39(runs: Runs) -> Result:
    shared, fair = simulated(runs, SHARED), simulated(runs, PREEMPTIVE)
    text = "; ".join(
        f"{name} {', '.join(f'{s} {100 * found[s].lost:.1f} %' for s in SOURCES)}"
        for name, found in (("preemption", fair), ("drop-tail", shared))
    )
    return _by_source(shared, fair), f"lost: {text}"


@claim("D40")
def _d40(runs: Runs) -> Result:
    fair, fq = (simulated(runs, variant)["light"] for variant in (PREEMPTIVE, OWN[1]))
    text = f"loss {100 * fair.lost:.1f} and {100 * fq.lost:.1f} %, delay {1000 * fair.delay:.0f} and {1000 * fq.delay:.0f} ms"
    return fair.lost > 0.01 > fq.lost and fair.delay > 5 * fq.delay, f"preemption and FQ: {text}"


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The fate of each source's packets."""
    found = {variant: simulated(runs, variant) for variant in (*OWN, SHARED, PREEMPTIVE)}
    rows = [(name, *((100 * f.lost, 1000 * f.delay) for f in of.values())) for name, of in found.items()]
    return Shown((Layouts(__file__).section("preemption", rows),))
