"""What was measured of a flow control, and what follows from it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from .laws import LossLaw, exponent
from .places import DEEP, FROM

Verdict = Literal[
    "confirmed",
    "refuted",
    "none predicted, none seen",
    "none predicted, seen",
    "predicted, none seen",
    "beyond what was tried",
    "unequal without a delay",
]

#: Verdicts that say that a prediction does not hold.
FAILED: tuple[Verdict, ...] = ("refuted", "none predicted, seen", "predicted, none seen")

#: Why no delay is predicted from which on a flow is starved.
Reason = Literal["", "it fills any buffer", "it does not reach these rates"]


@dataclass(frozen=True)
class DelayPoint:
    """An equilibrium: `flows` flows on a line of `line` bit/s, which had `before` times that before.

    Goodput is that of one flow in bit/s, and `mean`, `p5` and `p95` are of the waits of the first in s. `settled` says whether wait and
    goodput had stopped drifting, in a run of `seconds`, which was made longer where they had not.
    """

    flows: int
    line: float
    buffer: float
    goodput: float
    mean: float
    p5: float
    p95: float
    before: float = 1.0
    settled: bool = True
    seconds: float = 40.0


@dataclass(frozen=True)
class LossPoint:
    """A loss rate; goodputs in bit/s, one a seed; whether the law is expected to hold there."""

    loss: float
    goodput: tuple[float, ...]
    counts: bool


@dataclass(frozen=True)
class Contract:
    """What was measured of a flow control, and what follows.

    Attributes:
        control: its name.
        delays: equilibria of one flow and of two.
        fills: whether two flows fill a buffer of any depth: the delay is then no signal.
        losses: goodput at loss rates.
        law: of theory, if it states one.
        slope: the measured exponent, and half of its 95 % interval; nan if fewer than two loss rates count.
        null_slope: the exponent of a fixed window in the same places.
        ratio: of rates from which on one flow counts as starved.
        predicted: bound of a delay of one flow from which on it does, in s; None if none is predicted.
        reason: why none is.
        rests: whether the waits on which the prediction rests have settled.
        drifting: delays with which the rates of a run have not settled.
        without: the ratio of the two without such a delay, the greater over the less.
        ratios: delays in s, and with each the typical goodput of the flow without it over that of the flow that has it: medians over
            intervals, since a flow recovers where its delay is absent for a moment.
        seen: the greatest delay before, and the least from which on all ratios are that great; None if there is none.
        runs: how many it took.
    """

    control: str
    delays: tuple[DelayPoint, ...]
    fills: bool
    losses: tuple[LossPoint, ...]
    law: LossLaw | None
    slope: tuple[float, float]
    null_slope: float
    ratio: float
    predicted: float | None
    reason: Reason
    rests: bool
    drifting: tuple[float, ...]
    without: float
    ratios: tuple[tuple[float, float], ...]
    seen: tuple[float, float] | None
    runs: int

    @property
    def verdict(self) -> Verdict:
        """Whether the runs are within a factor of two of the prediction."""
        if self.without >= self.ratio:
            # Then the delay is not what starves.
            return "unequal without a delay"
        if self.predicted is None:
            return "none predicted, none seen" if self.seen is None else "none predicted, seen"
        if self.seen is None:
            # A delay beyond what was tried can be neither confirmed nor refuted.
            return "predicted, none seen" if 2 * self.predicted < self.ratios[-1][0] else "beyond what was tried"
        low, high = self.seen
        return "confirmed" if low / 2 <= self.predicted <= high * 2 else "refuted"

    @property
    def keeps_law(self) -> bool | None:
        """Whether the exponent of theory is in the interval, or within a tenth of it; None without a law."""
        if self.law is None or math.isnan(self.slope[0]):
            return None
        # Of one run there is no interval.
        half = 0.0 if math.isnan(self.slope[1]) else self.slope[1]
        return abs(self.slope[0] - self.law.exponent) <= max(half, 0.1 * abs(self.law.exponent))

    def pairs(self, before: float) -> list[DelayPoint]:
        """The equilibria of two flows on lines that had `before` times their rate before, in the order of rates."""
        chosen = [p for p in self.delays if (p.flows, p.before, p.buffer) == (2, before, DEEP)]
        return sorted(chosen, key=lambda p: p.line)

    @property
    def delay_slope(self) -> float:
        """The exponent of the wait in the rate of each of two flows: -1 for a number of packets in the queue, 0 for a time."""
        both = zip(*(self.pairs(before) for before in FROM), strict=True)
        points = [(p.goodput, (p.mean + q.mean) / 2) for p, q in both if p.goodput > 0 and p.mean + q.mean > 0]
        return exponent([rate for rate, _ in points], [wait for _, wait in points])

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain data, for JSON; what is not known is None."""
        more = {"delay_slope": self.delay_slope, "verdict": self.verdict, "keeps_law": self.keeps_law}
        known: dict[str, Any] = _known({**asdict(self), **more})
        return known

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Contract:
        """The contract of which these are the data."""
        own: dict[str, Any] = {field.name: data[field.name] for field in fields(cls)}
        own["delays"] = tuple(DelayPoint(**{k: _number(v) for k, v in p.items()}) for p in data["delays"])
        own["losses"] = tuple(LossPoint(p["loss"], tuple(p["goodput"]), p["counts"]) for p in data["losses"])
        own["law"] = None if data["law"] is None else LossLaw(**data["law"])
        own["slope"] = tuple(_number(v) for v in data["slope"])
        own["null_slope"] = _number(data["null_slope"])
        own["drifting"] = tuple(data["drifting"])
        own["ratios"] = tuple((d, r) for d, r in data["ratios"])
        own["seen"] = None if data["seen"] is None else tuple(data["seen"])
        return cls(**own)


def _number(value: Any) -> Any:
    return math.nan if value is None else value


def _known(value: Any) -> Any:
    """Plain data without numbers that are none."""
    if isinstance(value, dict):
        return {k: _known(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_known(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
