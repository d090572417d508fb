"""A contract: what rate a flow control has at a delay and at a loss rate, and what follows from that, measured and held against a run.

1. One flow, and two, alone on lines of several rates with a deep buffer: goodput and the range of waits in equilibrium. A run whose wait
   still drifts is made again, twice as long.
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
from typing import Any

from ..base.errors import HeadgateError
from ..referee.runner import Progress, Runner
from ..referee.store import RefereeStore
from ..referee.subjects import NULLS, Judged
from ..referee.work import RunJob
from ..stats.means import mean_of
from . import work
from .found import Contract, DelayPoint, LossPoint, Reason
from .laws import LAWS, LEAST_WINDOW, MOST_OF_LINE, LossLaw, exponent, first_beyond, reached, shares, starving_delay
from .places import DEEP, FROM, PACKET, place
from .steady import LONGEST, settled

#: Rates of lines for the contract of delay, in bit/s, and its round trip, in s.
RATES, RTT = (1e6, 2e6, 5e6, 1e7, 2e7, 5e7), 0.04

#: Loss rates, the line that does not limit, in bit/s, and its round trip, in s.
LOSSES, LOSS_LINE, LOSS_RTT = (5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 3e-2), 2e8, 0.1

#: Delays of one flow alone, in s, and the rate of the line that two flows share, in bit/s.
DELAYS, SHARED = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.014, 0.02, 0.028, 0.04, 0.056, 0.08, 0.11, 0.16), 2e7

#: The greatest ratio of two rates on that line of which both are among those of the contract.
MOST_RATIO = SHARED / RATES[0] - 1

#: Lengths of runs, in s; of those with a contract of delay, where it settles at once.
LENGTH, LONG = 40.0, 80.0

#: How many times as much delay a buffer of twice the depth makes of a control that fills any buffer.
FILLS = 1.5


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
        ratio: of the rates of two equal flows, from which on one counts as starved; above 1 and at most 19, beyond which the less of the
            two rates is below all that are measured.
        seeds: of each loss rate and each delay; 1 to 20.
        quick: a third of the places, shorter.
        workers: processes; one per processor unless given; with 0 all is run in this one.
        progress: called several times a second.

    Raises:
        HeadgateError: an argument is out of its range, or the control fails.
        KeyboardInterrupt: Ctrl-C.
    """
    if not 1 < ratio <= MOST_RATIO:
        raise HeadgateError(f"--ratio: found {ratio:g}; expected more than 1 and at most {MOST_RATIO:g}")
    if not 1 <= seeds <= 20:
        raise HeadgateError(f"--seeds: found {seeds}; expected 1 to 20")
    with Runner(RefereeStore(), workers=workers, progress=progress, do=work.do) as runner:
        if quick:
            return _Bench(runner, control, 0.5).contract((1e6, 5e6, 2e7), LOSSES[::3], DELAYS[1::3], ratio, seeds)
        return _Bench(runner, control, 1.0).contract(RATES, LOSSES, DELAYS, ratio, seeds)


#: How many flows, the line in bit/s, its buffer in bandwidth-delay products, and how many times its rate it had before.
_Where = tuple[int, float, float, float]


class _Bench:
    """The runs of one contract."""

    def __init__(self, runner: Runner, control: Judged, share: float) -> None:
        self._runner, self._control, self._share = runner, control, share
        self.runs = 0

    def contract(
        self, rates: Sequence[float], losses: Sequence[float], delays: Sequence[float], ratio: float, seeds: int
    ) -> Contract:
        # Two flows share a line of twice the rate: each has about the rate of one alone.
        alone: list[_Where] = [(1, r, DEEP, 1.0) for r in rates] + [(1, rates[-2], 2 * DEEP, 1.0)]
        # Equilibria are reached from lower and from higher rates: these may be two.
        pairs: list[_Where] = [(2, 2 * r, DEEP, before) for before in (1.0, *FROM) for r in rates]
        points = self._equilibria([*alone, *pairs])
        long = LONG * self._share
        jobs: dict[Any, RunJob] = {}
        null = NULLS["control"][0]
        for seed in range(1, seeds + 1):
            for p in losses:
                jobs["loss", p, seed] = self._job(seed, long, LOSS_LINE, LOSS_RTT, loss=p)
            for d in (0.0, *delays):
                jobs["delay", d, seed] = self._job(seed, long, SHARED, RTT, flows=2, delay=d)
        for p in losses:
            jobs["null", p] = self._job(1, LENGTH * self._share / 2, LOSS_LINE, LOSS_RTT, control=null, loss=p)
        found = self._made(jobs)
        deep, deeper = (
            next(p for p in points if (p.flows, p.line, p.buffer) == (1, rates[-2], b)) for b in (DEEP, 2 * DEEP)
        )
        fills = deeper.mean > FILLS * deep.mean and deep.mean > RTT
        law = LAWS.get(str(self._control.table["kind"]))
        measured = [_loss(p, [found["loss", p, s]["goodput"][0] for s in range(1, seeds + 1)], law) for p in losses]
        counted = [p for p in measured if p.counts]
        slopes = [exponent([p.loss for p in counted], [p.goodput[k] for p in counted]) for k in range(seeds)]
        low, high = ([p for p in points if p.flows == 2 and p.before == before] for before in FROM)
        predicted, reason = _predicted(low, high, ratio, fills)
        without, *ratios = (
            statistics.median(_ratio(found["delay", d, s]["typical"]) for s in range(1, seeds + 1))
            for d in (0.0, *delays)
        )
        beyond = list(zip(delays, ratios, strict=True))
        return Contract(
            self._control.name, tuple(points), fills, tuple(measured), law, _interval(slopes),
            exponent(list(losses), [found["null", p]["goodput"][0] for p in losses]), ratio, predicted, reason,
            _rests(low, high, ratio), without, tuple(beyond), first_beyond(beyond, ratio), self.runs,
        )  # fmt: skip

    def _equilibria(self, places: Sequence[_Where]) -> list[DelayPoint]:
        """Goodput and waits in these places; a run whose wait drifts is made again, twice as long, and so on."""
        points: dict[_Where, DelayPoint] = {}
        left, times = list(places), 1
        while left and times <= LONGEST:
            seconds = LENGTH * self._share * times
            jobs = {p: self._job(1, seconds, p[1], RTT, flows=p[0], buffer=p[2], before=p[3]) for p in left}
            points |= {p: _point(p, found, seconds) for p, found in self._made(jobs).items()}
            left, times = [p for p in left if not points[p].settled], 2 * times
        return [points[p] for p in places]

    def _made(self, jobs: dict[Any, RunJob]) -> dict[Any, dict[str, Any]]:
        self._runner.make(jobs.values())
        self.runs += len(jobs)
        return {key: self._found(job) for key, job in jobs.items()}

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


def _point(where: _Where, found: dict[str, Any], seconds: float) -> DelayPoint:
    flows, line, buffer, before = where
    p5, p95, mean, change, spread = found["wait"] or [math.nan] * 5
    goodput = sum(found["goodput"]) / flows
    steady = settled(mean, change, spread)
    return DelayPoint(flows, line, buffer, goodput, mean, p5, p95, before, steady, seconds)


def _predicted(
    low: Sequence[DelayPoint], high: Sequence[DelayPoint], ratio: float, fills: bool
) -> tuple[float | None, Reason]:
    """The delay from which on one of two flows is starved, by their waits from lower and from higher rates; or why there is none."""
    if fills:
        return None, "it fills any buffer"
    fast, slow = (sorted((p.goodput, p.mean) for p in points) for points in (low, high))
    less, greater = shares(SHARED, ratio)
    if not (reached(fast, greater) and reached(slow, less)):
        return None, "it does not reach these rates"
    found = starving_delay(fast, SHARED, ratio, slow)
    return (None, "its wait does not fall with the rate") if found is None else (found, "")


def _rests(low: Sequence[DelayPoint], high: Sequence[DelayPoint], ratio: float) -> bool:
    """Whether the waits beside the two rates of a prediction have settled: of what came from lower rates, and from higher ones."""
    less, greater = shares(SHARED, ratio)
    return all(p.settled for points, rate in ((low, greater), (high, less)) for p in _beside(points, rate))


def _beside(points: Sequence[DelayPoint], rate: float) -> list[DelayPoint]:
    """The points between which a rate lies."""
    ordered = sorted(points, key=lambda p: p.goodput)
    at = min(max(sum(p.goodput <= rate for p in ordered), 1), len(ordered) - 1)
    return ordered[at - 1 : at + 1]


def _loss(loss: float, goodput: list[float], law: LossLaw | None) -> LossPoint:
    mean = sum(goodput) / len(goodput)
    window = mean * LOSS_RTT / (8 * PACKET)
    holds = law is None or loss <= law.greatest(LOSS_RTT)
    return LossPoint(loss, tuple(goodput), holds and window >= LEAST_WINDOW and mean < MOST_OF_LINE * LOSS_LINE)


def _ratio(goodput: Sequence[float]) -> float:
    return max(goodput) / max(min(goodput), 1e-3 * max(*goodput, 1.0))


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half of the 95 % interval; nan without values, and of one value."""
    mean = mean_of(values)
    return mean.mean, mean.half
