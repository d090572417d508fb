"""A contract: what rate a flow control has at a delay and at a loss rate, and what follows from that, measured and held against a run.

1. One flow, and two, alone on lines of several rates with a deep buffer: goodput and the range of waits in equilibrium.
2. One flow on a line that loses packets at random and never limits it: the exponent of the loss rate, beside that of theory and of a fixed
   window.
3. The contract of delay of two flows predicts the bound of a delay of one flow alone at which two equal flows have very unequal rates.
4. Runs of two flows with such delays confirm that, or refute it.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ..base.errors import HeadgateError
from ..referee.runner import Progress, Runner
from ..referee.store import RefereeStore
from ..referee.subjects import NULLS, Judged
from ..referee.work import RunJob
from . import work
from .laws import LAWS, LEAST_WINDOW, MOST_OF_LINE, LossLaw, exponent, first_beyond, starving_delay
from .places import DEEP, PACKET, place

#: Rates of lines for the contract of delay, in bit/s, and its round trip, in s.
RATES, RTT = (1e6, 2e6, 5e6, 1e7, 2e7, 5e7), 0.04

#: Loss rates, the line that does not limit, in bit/s, and its round trip, in s.
LOSSES, LOSS_LINE, LOSS_RTT = (2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 3e-2), 2e8, 0.1

#: Delays of one flow alone, in s, and the rate of the line that two flows share, in bit/s.
DELAYS, SHARED = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.014, 0.02, 0.028, 0.04, 0.056, 0.08, 0.11, 0.16), 2e7

#: Rates of the line before, over the rate that is measured: an equilibrium reached from below, and one from above.
FROM = (0.25, 4.0)

#: Lengths of runs, in s.
LENGTH, LONG = 40.0, 80.0

#: How many times as much delay a buffer of twice the depth makes of a control that fills any buffer.
FILLS = 1.5

#: Student's quantile for 95 % and two degrees of freedom, of three seeds.
_T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}

Verdict = Literal[
    "confirmed",
    "refuted",
    "none predicted, none seen",
    "none predicted, seen",
    "predicted, none seen",
    "beyond what was tried",
]


@dataclass(frozen=True)
class DelayPoint:
    """An equilibrium: `flows` flows on a line of `line` bit/s, which had `before` times that before.

    Goodput is that of one flow in bit/s, and `mean`, `p5` and `p95` are of the waits of the first in s.
    """

    flows: int
    line: float
    buffer: float
    goodput: float
    mean: float
    p5: float
    p95: float
    before: float = 1.0


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
        fills: whether it fills a buffer of any depth: its delay is then no signal.
        losses: goodput at loss rates.
        law: of theory, if it states one.
        slope: the measured exponent, and half of its 95 % interval; nan if fewer than two loss rates count.
        null_slope: the exponent of a fixed window in the same places.
        ratio: of rates from which on one flow counts as starved.
        predicted: bound of a delay of one flow from which on it does, in s; None if none is predicted.
        ratios: delays in s, and the ratio of the two typical goodputs there, the greater over the less: medians over intervals, since a
            flow recovers where its delay is absent for a moment.
        seen: the greatest delay before, and the least from which on all ratios are that great; None if there is none.
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
    ratios: tuple[tuple[float, float], ...]
    seen: tuple[float, float] | None
    runs: int

    @property
    def verdict(self) -> Verdict:
        """Whether the runs are within a factor of two of the prediction."""
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
        return abs(self.slope[0] - self.law.exponent) <= max(self.slope[1], 0.1 * abs(self.law.exponent))

    def to_dict(self) -> dict[str, Any]:
        """The whole as plain data."""
        return {**asdict(self), "verdict": self.verdict, "keeps_law": self.keeps_law}


def contract(
    control: Judged,
    *,
    ratio: float = 10.0,
    seeds: int = 3,
    quick: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Contract:
    """Measures the contract of a flow control.

    Args:
        control: the flow control.
        ratio: of the rates of two equal flows, from which on one counts as starved; above 1 and at most 100.
        seeds: of each loss rate and each delay; 1 to 20.
        quick: a third of the places, shorter.
        workers: processes; one per processor unless given; with 0 all is run in this one.
        progress: called several times a second.

    Raises:
        HeadgateError: an argument is out of its range, or the control fails.
        KeyboardInterrupt: Ctrl-C.
    """
    if not 1 < ratio <= 100:
        raise HeadgateError(f"--ratio: found {ratio:g}; expected more than 1 and at most 100")
    if not 1 <= seeds <= 20:
        raise HeadgateError(f"--seeds: found {seeds}; expected 1 to 20")
    step, share = (3, 0.5) if quick else (1, 1.0)
    with Runner(RefereeStore(), workers=workers, progress=progress, do=work.do) as runner:
        bench = _Bench(runner, control, share)
        return bench.contract(
            RATES[::step] if not quick else (1e6, 5e6, 2e7), LOSSES[1::step], DELAYS[1::step], ratio, seeds
        )


class _Bench:
    """The runs of one contract."""

    def __init__(self, runner: Runner, control: Judged, share: float) -> None:
        self._runner, self._control, self._share = runner, control, share
        self.runs = 0

    def contract(
        self, rates: Sequence[float], losses: Sequence[float], delays: Sequence[float], ratio: float, seeds: int
    ) -> Contract:
        # Two flows share a line of twice the rate: each has about the rate of one alone.
        alone = [(1, r, DEEP, 1.0) for r in rates] + [(1, rates[-2], 2 * DEEP, 1.0)]
        # Equilibria are reached from lower and from higher rates: these may be two.
        pairs = [(2, 2 * r, DEEP, before) for before in (1.0, *FROM) for r in rates]
        long = LONG * self._share
        jobs: dict[Any, RunJob] = {
            p: self._job(1, LENGTH * self._share, p[1], RTT, flows=p[0], buffer=p[2], before=p[3])
            for p in (*alone, *pairs)
        }
        null = NULLS["control"][0]
        for seed in range(1, seeds + 1):
            for p in losses:
                jobs["loss", p, seed] = self._job(seed, long, LOSS_LINE, LOSS_RTT, loss=p)
            for d in delays:
                jobs["delay", d, seed] = self._job(seed, long, SHARED, RTT, flows=2, delay=d)
        for p in losses:
            jobs["null", p] = self._job(1, LENGTH * self._share / 2, LOSS_LINE, LOSS_RTT, control=null, loss=p)
        self._runner.make(jobs.values())
        self.runs = len(jobs)
        found = {key: self._found(job) for key, job in jobs.items()}
        points = [_point(key, found[key]) for key in (*alone, *pairs)]
        deep, deeper = (
            next(p for p in points if (p.flows, p.line, p.buffer) == (1, rates[-2], b)) for b in (DEEP, 2 * DEEP)
        )
        fills = deeper.mean > FILLS * deep.mean and deep.mean > RTT
        law = LAWS.get(str(self._control.table["kind"]))
        measured = [_loss(p, [found["loss", p, s]["goodput"][0] for s in range(1, seeds + 1)], law) for p in losses]
        counted = [p for p in measured if p.counts]
        slopes = [exponent([p.loss for p in counted], [p.goodput[k] for p in counted]) for k in range(seeds)]
        low, high = (sorted((p.goodput, p.mean) for p in points if p.flows == 2 and p.before == b) for b in FROM)
        predicted = None if fills else starving_delay(low, SHARED, ratio, high)
        ratios = [
            (d, statistics.median(_ratio(found["delay", d, s]["typical"]) for s in range(1, seeds + 1))) for d in delays
        ]
        return Contract(
            self._control.name, tuple(points), fills, tuple(measured), law, _interval(slopes),
            exponent(list(losses), [found["null", p]["goodput"][0] for p in losses]), ratio, predicted, tuple(ratios),
            first_beyond(ratios, ratio), self.runs,
        )  # fmt: skip

    def _job(
        self, seed: int, length: float, rate: float, rtt: float, *, control: Judged | None = None, **more: Any
    ) -> RunJob:
        data, where = place(control or self._control, rate, rtt, length, **more)
        return RunJob(json.dumps(data), seed, (), where)

    def _found(self, job: RunJob) -> dict[str, Any]:
        found = self._runner.get(job)
        if "fault" in found:
            raise HeadgateError(f"{self._control.name}: {found['fault']}")
        return found


def _point(key: tuple[int, float, float, float], found: dict[str, Any]) -> DelayPoint:
    flows, line, buffer, before = key
    p5, _, p95, mean = found["wait"] or [math.nan] * 4
    return DelayPoint(flows, line, buffer, sum(found["goodput"]) / flows, mean, p5, p95, before)


def _loss(loss: float, goodput: list[float], law: LossLaw | None) -> LossPoint:
    mean = sum(goodput) / len(goodput)
    window = mean * LOSS_RTT / (8 * PACKET)
    holds = law is None or loss <= law.greatest(LOSS_RTT)
    return LossPoint(loss, tuple(goodput), holds and window >= LEAST_WINDOW and mean < MOST_OF_LINE * LOSS_LINE)


def _ratio(goodput: Sequence[float]) -> float:
    return max(goodput) / max(min(goodput), 1e-3 * max(*goodput, 1.0))


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half of the 95 % interval; nan without values, and of one value."""
    known = [v for v in values if not math.isnan(v)]
    if not known:
        return math.nan, math.nan
    if len(known) == 1:
        return known[0], math.nan
    half = _T.get(len(known), 2.6) * statistics.stdev(known) / math.sqrt(len(known))
    return statistics.fmean(known), half
