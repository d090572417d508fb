"""A contract: what rate a flow control has at a delay and at a loss rate, and what follows from that, measured and held against a run.

1. One flow, and two, alone on lines of several rates with a deep buffer: goodput and the range of waits in equilibrium.
2. One flow on a line that loses packets at random and never limits it: the exponent of the loss rate, beside that of theory and of a fixed
   window.
3. The contract of delay of two flows predicts the bound of a delay of one flow alone at which two equal flows have very unequal rates.
4. Runs of two flows with such delays confirm that, or refute it.

A run of 1 or 4 that still drifts is made again, twice as long, and so is one of 2 with few losses.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from ...base.errors import HeadgateError
from ...stats.means import mean_of
from ..frame.jobs import Runner, Where, started
from ..frame.places import PACKET
from ..frame.subjects import NULLS, Judged
from ..frame.work import RunJob
from . import work
from .laws import LEAST_WINDOW, MOST_OF_LINE, LossLaw, exponent, first_beyond, law_of, reached, shares, starving_delay
from .places import DEEP, FROM, place
from .result import Contract, DelayPoint, LossPoint, Reason
from .steady import LONGEST

#: Rates of lines for the contract of delay, in bit/s, and its round trip, in s.
RATES, RTT = (1e6, 2e6, 5e6, 1e7, 2e7, 5e7), 0.04

#: Loss rates, the line that does not limit, in bit/s, and its round trip, in s.
LOSSES, LOSS_LINE, LOSS_RTT = (5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 3e-2), 2e8, 0.1

#: Delays of one flow alone, in s, and the rate of the line that two flows share, in bit/s.
DELAYS, SHARED = (0.001, 0.002, 0.003, 0.005, 0.007, 0.01, 0.014, 0.02, 0.028, 0.04, 0.056, 0.08, 0.11, 0.16), 2e7

#: The greatest ratio of two rates on that line of which both are among those of the contract.
MOST_RATIO = SHARED / RATES[0] - 1

#: Lengths of runs, in s: of those for a contract of delay, and of all others; longer ones follow where these are not enough.
LENGTH, LONG = 40.0, 80.0

#: How many times as much delay a buffer of twice the depth makes, at least, of a control that fills any buffer: in equilibrium it is
#: twice as much, but a sawtooth may take minutes.
FILLS = 1.25

#: Losses that a run with random losses is to have after its warm-up: with few of them chance decides the exponent.
ENOUGH = 40


def contract(
    control: Judged,
    *,
    ratio: float = 10.0,
    seeds: int = 3,
    quick: bool = False,
    **where: Unpack[Where],
) -> Contract:
    """Measures the contract of a flow control.

    Args:
        control: the flow control.
        ratio: of the rates of two equal flows, from which on one counts as starved; above 1 and at most 19, beyond which the less of the
            two rates is below all that are measured.
        seeds: of each loss rate and each delay; 1 to 20.
        quick: a third of the places, shorter.
        where: the folder, workers and engine of runs, and what is told of their progress; see `headgate.lab.frame.jobs.Where`.

    Raises:
        HeadgateError: an argument is out of its range, or the control fails.
        KeyboardInterrupt: Ctrl-C.
    """
    if not 1 < ratio <= MOST_RATIO:
        raise HeadgateError(f"--ratio: found {ratio:g}; expected more than 1 and at most {MOST_RATIO:g}")
    if not 1 <= seeds <= 20:
        raise HeadgateError(f"--seeds: found {seeds}; expected 1 to 20")
    asked = {"control": control.name, "table": control.table}
    with started("contract", asked, work.do, where) as runner:
        if quick:
            return _Bench(runner, control, 0.5).contract((1e6, 5e6, 2e7), LOSSES[::3], DELAYS[1::3], ratio, seeds)
        return _Bench(runner, control, 1.0).contract(RATES, LOSSES, DELAYS, ratio, seeds)


#: How many flows, the line in bit/s, its buffer in bandwidth-delay products, and how many times its rate it had before.
_Where = tuple[int, float, float, float]


@dataclass(frozen=True)
class _Places:
    """Places by names of their own; how long a run is at first, in s, and whether one of so many seconds is long enough."""

    where: Mapping[Any, dict[str, Any]]
    length: float
    done: Callable[[Any, dict[str, Any], float], bool]


#: The runs in places by their names, and their lengths in s.
_Found = dict[Any, tuple[dict[str, Any], float]]


class _Bench:
    """The runs of one contract."""

    def __init__(self, runner: Runner, control: Judged, share: float) -> None:
        self._runner, self._control, self._share = runner, control, share
        self.runs = 0

    def contract(
        self, rates: Sequence[float], losses: Sequence[float], delays: Sequence[float], ratio: float, seeds: int
    ) -> Contract:
        # Two flows share a line of twice the rate: each has about the rate of one alone.
        alone: list[_Where] = [(1, r, DEEP, 1.0) for r in rates]
        # Equilibria are reached from lower and from higher rates: these may be two.
        pairs: list[_Where] = [(2, 2 * r, DEEP, before) for before in (1.0, *FROM) for r in rates]
        deeper: _Where = (2, 2 * rates[-2], 2 * DEEP, 1.0)
        alike = {"rate": LOSS_LINE, "rtt": LOSS_RTT}
        waits, lossy, shared, null = self._long_enough(
            _Places(
                {w: {"rate": w[1], "rtt": RTT, "flows": w[0], "buffer": w[2], "before": w[3]} for w in [*alone, *pairs, deeper]},
                LENGTH, lambda _, own, __: bool(own["settled"]),
            ),
            _Places({(p, s): {"seed": s, "loss": p, **alike} for p in losses for s in _seeds(seeds)}, LONG, _losses_enough),
            _Places(
                {(d, s): {"seed": s, "rate": SHARED, "rtt": RTT, "flows": 2, "delay": d} for d in (0.0, *delays) for s in _seeds(seeds)},
                LONG, lambda _, own, __: bool(own["steady"]),
            ),
            _Places({p: {"control": NULLS["control"][0], "loss": p, **alike} for p in losses}, LENGTH / 2, lambda *_: True),
        )  # fmt: skip
        points = [_point(w, *waits[w]) for w in [*alone, *pairs, deeper]]
        deep = points[pairs.index((2, 2 * rates[-2], DEEP, 1.0)) + len(alone)]
        fills = points[-1].mean > FILLS * deep.mean and deep.mean > RTT
        low, high = ([p for p in points if p.flows == 2 and p.before == before] for before in FROM)
        predicted, reason = _predicted(low, high, ratio, fills)
        law = law_of(str(self._control.table["kind"]))
        measured = [_loss(p, [_goodput(lossy[p, s]) for s in _seeds(seeds)], law) for p in losses]
        counted = [p for p in measured if p.counts]
        slopes = [exponent([p.loss for p in counted], [p.goodput[k] for p in counted]) for k in range(seeds)]
        without, *ratios = found = [_unequal(d, [shared[d, s][0] for s in _seeds(seeds)]) for d in (0.0, *delays)]
        beyond = list(zip(delays, (r for r, _ in ratios), strict=True))
        drifting = tuple(d for d, (_, steady) in zip((0.0, *delays), found, strict=True) if not steady)
        return Contract(
            self._control.name, tuple(points), fills, tuple(measured), law, _interval(slopes),
            exponent(losses, [_goodput(null[p]) for p in losses]), ratio, predicted, reason, _rests([*low, *high], ratio), drifting,
            without[0], tuple(beyond), first_beyond(beyond, ratio), self.runs,
        )  # fmt: skip

    def _long_enough(self, *asked: _Places) -> list[_Found]:
        """The runs in all places: one that is not long enough is made again, twice as long, up to `LONGEST` times."""
        out: list[_Found] = [{} for _ in asked]
        left, times = [(i, key) for i, places in enumerate(asked) for key in places.where], 1
        while left and times <= LONGEST:
            seconds = [places.length * self._share * times for places in asked]
            made = self._made({(i, key): self._job(seconds[i], **asked[i].where[key]) for i, key in left})
            for (i, key), own in made.items():
                out[i][key] = own, seconds[i]
            left, times = [(i, key) for i, key in left if not asked[i].done(key, *out[i][key])], 2 * times
        return out

    def _made(self, jobs: Mapping[Any, RunJob]) -> dict[Any, dict[str, Any]]:
        self._runner.make(jobs.values())
        self.runs += len(jobs)
        return {key: self._found(job) for key, job in jobs.items()}

    def _job(self, length: float, *, seed: int = 1, control: Judged | None = None, **more: Any) -> RunJob:
        data, where = place(control or self._control, length=length, **more)
        return RunJob(json.dumps(data), seed, (), where)

    def _found(self, job: RunJob) -> dict[str, Any]:
        found = self._runner.get(job)
        if "fault" in found:
            raise HeadgateError(f"{self._control.name}: {found['fault']}")
        return found


def _seeds(number: int) -> range:
    return range(1, number + 1)


def _goodput(found: tuple[dict[str, Any], float]) -> float:
    return float(found[0]["goodput"][0])


def _losses_enough(key: tuple[float, int], own: dict[str, Any], seconds: float) -> bool:
    """Whether a run has so many losses that chance does not decide."""
    return bool(key[0] * own["goodput"][0] / (8 * PACKET) * seconds * 2 / 3 >= ENOUGH)


def _unequal(delay: float, rows: Sequence[dict[str, Any]]) -> tuple[float, bool]:
    """The median of the ratio of two flows over the seeds, and whether the rates of all these runs have settled."""
    return statistics.median(_ratio(r["typical"], delay) for r in rows), all(r["steady"] for r in rows)


def _point(where: _Where, found: dict[str, Any], seconds: float) -> DelayPoint:
    flows, line, buffer, before = where
    p5, p95, mean = found["wait"] or [math.nan] * 3
    goodput = sum(found["goodput"]) / flows
    return DelayPoint(flows, line, buffer, goodput, mean, p5, p95, before, bool(found["settled"]), seconds)


def _predicted(
    low: Sequence[DelayPoint], high: Sequence[DelayPoint], ratio: float, fills: bool
) -> tuple[float | None, Reason]:
    """The delay from which on one of two flows is starved, by their waits from lower and from higher rates; or why there is none.

    The flow that slows down keeps the greatest wait of the two, and the other one the least. A delay below all that are tried counts as
    the least of these.
    """
    if fills:
        return None, "it fills any buffer"
    known = [(p, q) for p, q in zip(low, high, strict=True) if not math.isnan(p.mean + q.mean)]
    pairs = sorted(((p.goodput + q.goodput) / 2, *sorted((p.mean, q.mean))) for p, q in known)
    fast, slow = [(rate, least) for rate, least, _ in pairs], [(rate, greatest) for rate, _, greatest in pairs]
    less, greater = shares(SHARED, ratio)
    if not (known and reached(fast, greater) and reached(slow, less)):
        return None, "it does not reach these rates"
    return max(starving_delay(fast, SHARED, ratio, slow), DELAYS[0]), ""


def _rests(points: Sequence[DelayPoint], ratio: float) -> bool:
    """Whether the waits beside the two rates of a prediction have settled."""
    sides = [[p for p in points if p.before == before] for before in FROM]
    return all(p.settled for side in sides for rate in shares(SHARED, ratio) for p in _beside(side, rate))


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


def _ratio(goodput: Sequence[float], delay: float) -> float:
    """The goodput of the flow without the delay over that of the one that has it, from 1/1000 to 1000; 1 where both have nothing.

    Without a delay it is the greater over the less.
    """
    own, other = (max(g, 1e-3 * max(goodput)) for g in goodput)
    ratio = other / own if own > 0 else 1.0
    return ratio if delay else max(ratio, 1 / ratio)


def _interval(values: Sequence[float]) -> tuple[float, float]:
    """Mean, and half of the 95 % interval; nan without values, and of one value."""
    mean = mean_of(values)
    return mean.mean, mean.half
