"""What the runs gave: where the laws rest, how fast they react, and what set-points, windows, drift and a late first probe do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ....stats import Mean, mean_of
from ...claims import Runs
from ...formulas.estimators import FuzzySets
from ...formulas.step_response import StepResponse, step_response
from ...measure import Floats, Outcome
from . import walks as w
from .walks import Walks

SOURCE, LINE = "pp", "slow"

#: The bench: seconds from the source to the queue of the slow line, and from there to the source with 10 packets/s.
AHEAD, BACK, ROUND_TRIP = 0.01 + 0.4428, 0.1 + 0.4428 + 0.0044, 1.0
SETPOINT = 5.0

#: The steps of the bench, and the ends of its quiet parts with the rate in each.
CHANGES = ((0.0, 10.0), (60.0, 5.0), (120.0, 10.0))
QUIET = ((40.0, 60.0, 10.0), (90.0, 120.0, 5.0), (160.0, 180.0, 10.0))


def sampled(trace: tuple[Floats, Floats], times: Floats) -> Floats:
    """A trace's values at other times: what stood there, or nan before the first."""
    at, values = trace
    found = np.searchsorted(at, times, side="right") - 1
    return np.where(found >= 0, values[np.maximum(found, 0)], np.nan)


def grid(start: float, end: float, dt: float = 0.01) -> Floats:
    """Times in equal steps, by which averages over time are taken."""
    return np.arange(start, end, dt)


def mean_outstanding(outcome: Outcome, start: float, end: float) -> float:
    """S, averaged over time."""
    return float(sampled(outcome.trace("in_flight", SOURCE), grid(start, end)).mean())


def off_setpoint(outcome: Outcome) -> float:
    """The farthest that S is from where law 5.14 holds it in the quiet parts of the bench, in packets.

    That is set-point + R mu when a pair is acknowledged, and up to a pair more before that.
    """
    away = 0.0
    for start, end, mu in QUIET:
        rest = SETPOINT + ROUND_TRIP * mu
        s = sampled(outcome.trace("in_flight", SOURCE), grid(start, end))
        away = max(away, float((rest - s).max()), float((s - rest - 2).max()))
    return away


def fluid(*, fuzzy: bool = True) -> StepResponse:
    """The bench as a fluid."""
    return step_response(CHANGES, SETPOINT, AHEAD, BACK, 180.0, sets=FuzzySets() if fuzzy else None)


@dataclass(frozen=True)
class Reactions:
    """After each step, in round trips as they were before it: until lambda was within 10 % of the new rate or beyond it."""

    down: Floats
    up: Floats
    settled_down: Floats
    """Seconds after which lambda stays within 10 %."""
    settled_up: Floats

    @property
    def all(self) -> Floats:
        """Down and up together."""
        return np.concatenate([self.down, self.up])


def reactions(walks: Walks, law: str) -> Reactions:
    """Of one law, over the steps."""
    outcome = walks.of["steps", law, 0]
    times, rates = outcome.trace("rate", SOURCE)
    found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for i, at in enumerate(w.step_times()):
        down = i % 2 == 0
        new = w.SLOW if down else w.FAST
        chosen = (times > at) & (times < at + w.EVERY)
        t, x = times[chosen], rates[chosen]
        hit = t[x <= 1.1 * new] if down else t[x >= 0.9 * new]
        rtt = float(sampled(outcome.trace("rtt", SOURCE), np.array([at]))[0])
        away = t[abs(x - new) > 0.1 * new]
        first = (float(hit[0]) - at) / rtt if hit.size else float("inf")
        # The value that follows the last one outside stands from the next change on.
        later = t[t > away[-1]] if away.size else t[:1]
        found[down].append((first, float(later[0]) - at if later.size else float("inf")))
    down_, up_ = (np.array(found[d]) for d in (True, False))
    return Reactions(down_[:, 0], up_[:, 0], down_[:, 1], up_[:, 1])


def fluid_reactions(*, fuzzy: bool) -> tuple[float, float]:
    """What `Reactions` counts, of the fluid: a step down, a step up."""
    response = fluid(fuzzy=fuzzy)
    found = []
    for (at, new), before in zip(CHANGES[1:], CHANGES, strict=False):
        later = response.times > at
        reached = response.rate <= 1.1 * new if new < before[1] else response.rate >= 0.9 * new
        rtt = ROUND_TRIP + SETPOINT / before[1]
        found.append((float(response.times[later & reached][0]) - at) / rtt)
    return found[0], found[1]


def fluid_rest(*, fuzzy: bool) -> float:
    """The fluid's queue in the second quiet part, after the step down."""
    start, end, _ = QUIET[1]
    response = fluid(fuzzy=fuzzy)
    return float(response.queue[(response.times >= start) & (response.times < end)].mean())


@dataclass(frozen=True)
class Tradeoff:
    """The results of a set-point in each walk, without the warm-up. Shares are of time, losses of packets."""

    empty: Floats
    full: Floats
    waiting: Floats
    idle: Floats
    lost: Floats


def tradeoff(walks: Walks, setpoint: float) -> Tradeoff:
    """Of one set-point, over the walks."""
    found = []
    for o in walks.over_seeds("setpoint", f"{setpoint:g}"):
        waiting = sampled(o.port_trace("backlog", LINE), grid(60, w.SECONDS))
        lost = o.link(LINE, "drops_full") + o.link(LINE, "drops_evicted")
        found.append(
            (
                float((waiting == 0).mean()),
                float((waiting == w.BUFFER).mean()),
                float(waiting.mean()),
                max(1 - o.link(LINE, "utilisation"), 0.0),
                lost / o.link(LINE, "offered"),
            )
        )
    return Tradeoff(*np.array(found).T)


def losses(walks: Walks, window: str) -> list[int]:
    """Packets lost at the slow line in each walk."""
    return [
        round(o.link(LINE, "drops_full") + o.link(LINE, "drops_evicted")) for o in walks.over_seeds("window", window)
    ]


def most_waiting(walks: Walks, window: str) -> int:
    """The longest queue of all walks."""
    return round(max(o.link(LINE, "backlog_max") for o in walks.over_seeds("window", window)))


@dataclass(frozen=True)
class Drift:
    """How far law 5.9's count of its queue is from what waits, and what setting it right costs, per walk."""

    offset: Floats
    """Count less queue, averaged over the epochs."""
    spread: Floats
    """Root mean square of that."""
    idle: Floats
    """Share of the time that the line is idle."""
    times: Floats
    """Resynchronisations."""
    left: Floats
    """Most packets at the line when the count was set to 0."""

    @property
    def cost(self) -> Mean:
        """Seconds of the line for each resynchronisation."""
        return mean_of(self.idle * (w.SECONDS - 60) / self.times)


def drift(outcomes: Sequence[Outcome]) -> Drift:
    """Of several runs. The count belongs to the beginning of an epoch, which is at the line `AHEAD` later.

    It is compared with what waits then, with which it agrees while mu is constant: see `steady_offset`.
    """
    found = []
    for o in outcomes:
        times, count = o.trace("queue", SOURCE)
        times, count = times[times > 60], count[times > 60]
        off = count - sampled(o.port_trace("backlog", LINE), times + AHEAD)
        # Reset: the count is 0 and the first pair after a pause is all that is outstanding.
        first = times[(count == 0) & (sampled(o.trace("in_flight", SOURCE), times) <= 2)]
        left = sampled(o.port_trace("backlog", LINE), first)
        found.append(
            (
                float(off.mean()),
                float(np.sqrt((off**2).mean())),
                max(1 - o.link(LINE, "utilisation"), 0.0),
                len(first),
                float(left.max(initial=0.0)),
            )
        )
    return Drift(*np.array(found).T)


@dataclass(frozen=True)
class FirstProbe:
    """What an over-estimate of R does: means over set-points the width of a pair apart."""

    outstanding: float
    delay: float
    at_five: float
    """S at the set-point 5 alone."""


def first_probe(walks: Walks, over: float) -> FirstProbe:
    """Of one over-estimate, after a minute."""
    outcomes = [walks.of["first probe", f"{over:g}", i] for i in range(len(w.AROUND))]
    s = [mean_outstanding(o, 60, 180) for o in outcomes]
    delays = []
    for o in outcomes:
        times, rtt = o.trace("rtt", SOURCE)
        delays.append(float(rtt[times > 60].mean()))
    return FirstProbe(float(np.mean(s)), float(np.mean(delays)), s[w.AROUND.index(SETPOINT)])


def rest(runs: Runs, variant: str) -> float:
    """What the law calls n_b, averaged over the first quiet part of the bench.

    By 5.3 that is all packets at the line; by 5.12 those that wait, since R holds the service of the one that is served.
    """
    start, end, _ = QUIET[0]
    waiting = sampled(runs.base[variant].port_trace("backlog", LINE), grid(start, end))
    return float((waiting if variant == "per probe" else waiting + (waiting > 0)).mean())


def steady_offset(runs: Runs, variant: str) -> float:
    """Law 5.9's count less what waits at the beginning of an epoch, while mu is constant."""
    start, end, _ = QUIET[0]
    times, count = runs.base[variant].trace("queue", SOURCE)
    chosen = (times >= start) & (times < end)
    waiting = sampled(runs.base[variant].port_trace("backlog", LINE), times[chosen] + AHEAD)
    return float((count[chosen] - waiting).mean())
