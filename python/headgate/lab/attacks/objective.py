"""What an attack looks for: the properties of a run, and when one of them has failed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...base.errors import HeadgateError, cut, nearest
from ...results.metrics import METRICS as LIST
from ...results.metrics import MetricLine
from ..frame.metrics import METRICS
from ..frame.part import Wanted
from .genome import Candidate

Values = Sequence[float | None]

#: When the line's rate rises, as a part of the run. Starts of measurements are such parts, too.
STEP = 1 / 3

#: Below this nothing is told apart.
_LEAST = 1e-4


def _first(values: Values, candidate: Candidate) -> float | None:
    return values[0]


@dataclass(frozen=True)
class Objective:
    """A property of a run.

    Attributes:
        name: on the command line and in files.
        judges: `control` or `queue`: what is attacked.
        meaning: one sentence.
        phrase: the words of the finding, with the value where `{}` stands.
        limit: the value from which on it has failed.
        wanted: what is measured, by the referee's metrics; the property is good or bad as the first of them is.
        value: the property of what was measured, if it is not the first metric itself; None if there is nothing to tell.
        multiple: whether the value is a multiple of something.
        flows: least number of the subject's flows.
        longer: how many times as long as the bounds say a run is.
        step: whether the line's rate rises to four times at a third of a run.
        calm: whether its reference is the scheme itself in the same place without bursts, which are then always there.
    """

    name: str
    judges: str
    meaning: str
    phrase: str
    limit: float
    wanted: tuple[Wanted, ...]
    value: Callable[[Values, Candidate], float | None] = _first
    multiple: bool = False
    flows: int = 1
    longer: float = 1.0
    step: bool = False
    calm: bool = False

    @property
    def unit(self) -> str:
        """Of the value; empty for a ratio, which is shown in per cent; `x` for a multiple."""
        return "x" if self.multiple else METRICS[self.wanted[0].metric].unit if self.value is _first else ""

    @property
    def more(self) -> bool:
        """Whether more is better. The share of a source that behaves well is one that it would like to have."""
        return METRICS[self.wanted[0].metric].better != "less"

    @property
    def always(self) -> tuple[str, ...]:
        """The genes that are never off: without them there is nothing to tell."""
        return ("burst_rate",) if self.calm else ()

    def badness(self, value: float | None, limit: float | None = None) -> float:
        """How far a value is beyond the limit: the logarithm of their ratio, above 0 for a failure; what cannot be told is none."""
        if value is None or math.isnan(value):
            return -4.0
        limit = self.limit if limit is None else limit
        ratio = max(limit, _LEAST) / max(value, _LEAST)
        return math.log(ratio if self.more else 1 / ratio)

    def gap(self, value: float | None, best: float | None, margin: float) -> float:
        """How far a value is from the best reference's beyond `margin` times: as `badness`."""
        if best is None or math.isnan(best):
            return -4.0
        return self.badness(value, best / margin if self.more else max(best, _LEAST) * margin)

    def best(self, values: Sequence[float | None]) -> float | None:
        """The best of several."""
        known = [v for v in values if v is not None and not math.isnan(v)]
        return None if not known else (max(known) if self.more else min(known))

    def amount(self, value: float | None) -> str:
        """A value with its unit."""
        if value is None or math.isnan(value):
            return "nothing"
        if self.unit == "s":
            return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
        if self.unit == "x":
            return f"{value:.3g} times"
        if self.unit:
            return f"{value:.3g} {self.unit}"
        return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.2g} %"


def left(candidate: Candidate) -> float:
    """What bursts leave of the line, in bit/s, on average."""
    return candidate["rate"] * max(0.01, 1 - candidate["burst_rate"] * candidate["burst_length"])


def _goodput(values: Values, candidate: Candidate) -> float | None:
    return None if values[0] is None else values[0] / left(candidate)


def _delay(values: Values, candidate: Candidate) -> float | None:
    # A queue that is full at an idle line is no failure, and neither is a delay that the path has.
    wait, goodput = values
    if wait is None or goodput is None or goodput < 0.7 * left(candidate):
        return None
    return wait / candidate["rtt"]


def _recovery(values: Values, candidate: Candidate) -> float | None:
    return None if values[0] is None else values[0] / candidate["rtt"]


def _unfair(values: Values, candidate: Candidate) -> float | None:
    # A source has half of the line beside another one, however many flows that one has.
    return None if values[0] is None else 2 * values[0]


def _of(m: MetricLine) -> Objective:
    """The objective of a metric of the list that has a limit."""
    name = m.referee or m.name
    phrase = f"its {m.words or m.heading} is {{}}"
    return Objective(name, "control", METRICS[name].meaning, phrase, m.limit or 0.0, (Wanted(name),))


#: All objectives.
OBJECTIVES: dict[str, Objective] = {
    o.name: o
    for o in (
        Objective(
            "goodput", "control", "Goodput over what bursts leave of the line.", "its goodput is {} of what is left of the line",
            0.5, (Wanted("goodput"),), _goodput,
        ),
        Objective(
            "bursts", "control", "Goodput over what bursts leave of the line, beside the same without bursts.",
            "its goodput is {} of what bursts leave of the line", 0.5, (Wanted("goodput"),), _goodput, calm=True,
        ),
        Objective(
            "share", "control", "The least goodput of its equal flows over the greatest.",
            "one of its flows has {} of the goodput of another", 0.2, (Wanted("evenness"),), flows=2,
        ),
        Objective(
            "starvation", "control", "The least goodput of its equal flows over their mean, in a run of four times the length.",
            "one of its flows has {} of its share for {time}", 0.1, (Wanted("least_share"),),
            flows=2, longer=4.0,
        ),
        Objective(
            "delay", "control", "95 % quantile of its wait in queues over the propagation round trip, with the line in use.",
            "95 % of its packets wait up to {} the round trip", 3.0,
            (Wanted("queueing_p95"), Wanted("goodput")), _delay, multiple=True,
        ),
        Objective(
            "loss", "control", "Packets lost over packets sent.", "it loses {} of its packets", 0.1,
            (Wanted("loss"),),
        ),
        Objective(
            "stall", "control", "The longest time without progress.", "nothing new arrives for {}", 3.0,
            (Wanted("stall"),),
        ),
        Objective(
            "recovery", "control", "Round trips until the line is in use again after its rate has risen to four times.",
            "it takes {} the round trip to use a line whose rate has risen to four times", 100.0,
            (Wanted("recovery", start=STEP),), _recovery, multiple=True, longer=1.5, step=True,
        ),
        Objective(
            "victim-delay", "queue", "95 % quantile of the wait of a call of 64 kbit/s beside the aggressor.",
            "95 % of the packets of a call of 64 kbit/s wait up to {}", 0.1,
            (Wanted("queueing_p95", of="call"),),
        ),
        Objective(
            "wrong-drops", "queue", "Packets that a call of 64 kbit/s, far below its share, loses to the queue.",
            "a call of 64 kbit/s loses {} of its packets", 0.05, (Wanted("loss", of="call"),),
        ),
        Objective(
            "unfairness", "queue", "Goodput of a well-behaved source over its half of the line.",
            "a well-behaved source has {} of its half of the line", 0.3, (Wanted("share", of="honest"),), _unfair,
        ),
        *(_of(m) for m in LIST if m.limit is not None),
    )
}  # fmt: skip


def objective(name: str, judges: str) -> Objective:
    """An objective by its name.

    Raises:
        HeadgateError: there is none, or it is one of the other kind.
    """
    known = [o.name for o in OBJECTIVES.values() if o.judges == judges]
    if name not in known:
        other = f" {cut(name)} is one of a {OBJECTIVES[name].judges}." if name in OBJECTIVES else ""
        raise HeadgateError(
            f"--objective: found {cut(repr(name))}; expected one of {', '.join(known)}.{other}{nearest(name, known)}"
        )
    found = OBJECTIVES[name]
    assert all(w.metric in METRICS for w in found.wanted)
    return found
