"""Vivace and Allegro beside a second statement of each, made from what the authors' programs do and from their papers.

PCCproject/PCC-Uspace (branches master and NSDI-2018) and PCCproject/PCC-Kernel (branches master and vivace), `tcp_pcc.c`. Where they differ
from ours stands at each statement and in the headers of the two; no line of theirs is here.
"""

from __future__ import annotations

import math
import random
from collections import deque
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from ..restated import MS, Ours, S


@dataclass
class Interval:
    """Packets sent at one rate: their numbers with the time of sending, and what became of them."""

    rate: float
    start: int
    sent: dict[int, int] = field(default_factory=dict)
    rtts: dict[int, int] = field(default_factory=dict)
    lost: set[int] = field(default_factory=set)
    end: int | None = None

    def known(self) -> bool:
        return self.end is not None and len(self.rtts) + len(self.lost) == len(self.sent)

    def share(self) -> float:
        return len(self.lost) / len(self.sent)

    def slope(self) -> float:
        x = np.array([self.sent[pn] - self.start for pn in self.rtts], dtype=float)
        y = np.array(list(self.rtts.values()), dtype=float)
        return float(np.polyfit(x, y, 1)[0]) if len(x) > 2 else 0.0


@dataclass
class Vivace:
    """The paper's rules. The authors' programs differ: see `docs/reference/flow-controls.md`, vivace.

    Which rate of a pair comes first is chance: it is told.
    """

    window: int
    rate: float = 0.0
    smoothed: float = 0.0
    starting: bool = True
    best: float = -math.inf
    steps: int = 0
    direction: int = 1
    bound: int = 0
    intervals: list[Interval] = field(default_factory=list)

    def open(self) -> Interval | None:
        return next((i for i in self.intervals if i.end is None), None)

    def pacing(self) -> float:
        now = self.open()
        return now.rate if now else self.rate

    def begin(self, t: int, told: float) -> None:
        if self.starting:
            rate = self.rate
        else:
            options = [self.rate * 1.05, self.rate * 0.95]
            if self.intervals:
                options = [o for o in options if not math.isclose(o, self.intervals[0].rate, rel_tol=1e-6)]
            rate = min(options, key=lambda o: abs(o - told))
        self.intervals.append(Interval(rate, t))

    def sent(self, t: int, pn: int) -> None:
        if now := self.open():
            now.sent[pn] = t

    def lost(self, pn: int) -> None:
        for i in self.intervals:
            if pn in i.sent:
                i.lost.add(pn)

    def ack(self, t: int, pn: int, rtt: int, told: float) -> None:
        self.smoothed += (rtt - self.smoothed) / 8 if self.smoothed else rtt
        if not self.intervals:
            self.rate = self.window / (rtt / S)
            return self.begin(t, told)
        for i in self.intervals:
            if pn in i.sent:
                i.rtts[pn] = rtt
        whole = 1 if self.starting else 2
        now = self.open()
        if now and t - now.start >= self.smoothed and len(now.sent) >= 10:
            now.end = t
            if len(self.intervals) < whole:
                self.begin(t, told)
        if len(self.intervals) == whole and all(i.known() for i in self.intervals):
            self.decide()
            self.intervals = []
            self.begin(t, told)
        return None

    def utility(self, i: Interval) -> tuple[float, float]:
        x, slope = i.rate * 1500 * 8 / 1e6, i.slope()
        slope = 0.0 if abs(slope) < 0.01 else slope
        return x, x**0.9 - 900 * x * slope - 11.35 * x * i.share()

    def decide(self) -> None:
        if self.starting:
            _, u = self.utility(self.intervals[0])
            if u > self.best:
                self.best, self.rate = u, 2 * self.rate
            else:
                self.starting, self.rate = False, self.rate / 2
            return
        (x, u), (y, v) = (self.utility(i) for i in self.intervals)
        gradient = (v - u) / (y - x)
        direction = 1 if gradient > 0 else -1
        if direction != self.direction:
            self.direction, self.steps, self.bound = direction, 0, 0
        self.steps += 1
        amplified = abs(gradient) * (self.steps if self.steps <= 3 else 2 * self.steps - 3)
        part = amplified / (self.rate * 1500 * 8 / 1e6)
        if part > 0.05 + 0.1 * self.bound:
            part = 0.05 + 0.1 * self.bound
            self.bound += 1
        else:
            self.bound = min(k for k in range(self.bound + 1) if part <= 0.05 + 0.1 * k)
        self.rate = max(self.rate * (1 + direction * part), 10.0)


def over_a_line(ours: Ours, other: Any, seconds: float, capacity: float, room: int, loss: float, seed: int) -> int:
    """Paced packets over a line of so many packets a second with room for some, 40 ms away: all events into both, and the rates after
    each compared."""
    rng = random.Random(seed)
    t, pn, free, compared = S, 0, 0.0, 0
    way: deque[tuple[int, int, int, bool]] = deque()  # When it is known, number, when sent, whether lost.
    due, pacing = float(t), None
    end = t + int(seconds * S)
    while t < end:
        if pn < 10 if pacing is None else not way or due <= way[0][0]:
            t = max(t + 1, int(due))
            full = max(free - t, 0) * capacity / S >= room
            lost = full or rng.random() < loss
            if not lost:
                free = max(free, t) + S / capacity
            # A loss is known when the packet would have come.
            way.append((int(max(free, t)) + 40 * MS + rng.randrange(1000), pn, t, lost))
            ours(t, "sent")
            other.sent(t, pn)
            pn += 1
            due = max(due, t) + (S / pacing if pacing else 1000)
            continue
        at, number, sent, lost = way.popleft()
        t = max(t + 1, at)
        if lost:
            pacing = ours(t, "loss")["pacing"]
            other.lost(number)
        else:
            pacing = ours(t, "ack", pn=number, rtt=t - sent)["pacing"]
            other.ack(t, number, t - sent, pacing)
        if pacing is not None:
            compared += 1
            assert pacing == pytest.approx(other.pacing(), rel=1e-6), (t / S, number)
    return compared


@pytest.mark.parametrize(
    ("capacity", "room", "loss"), [(800, 40, 0.0), (800, 1000, 0.0), (300, 10, 0.02), (2000, 100, 0.001)]
)
def test_vivace_has_the_rates_of_the_second_statement(capacity: float, room: int, loss: float) -> None:
    other = Vivace(10)
    ours = Ours(10, kind="vivace")
    assert over_a_line(ours, other, 12, capacity, room, loss, 3) > 2000
    assert not other.starting


@dataclass
class Allegro:
    """The paper's rules over a line that loses what is beyond its capacity, so that the utility of a rate is known without its packets.

    PCC-Kernel has the same utility, the same trials and the same changes, but its part of the rate grows by 1 % at most to 5 %, in
    changes of one direction too,
    and only from the second trial in a row without a result on; its rate rises in the beginning by what arrived, while the utility is
    at least 3/4 of what the
    rise promised; and an equal utility ends a direction.
    """

    capacity: float
    rate: float
    mode: str = "start"
    before: float = 0.0
    best: float = -math.inf
    step: float = 0.01
    direction: int = 1
    changes: int = 0
    seen: list[str] = field(default_factory=list)

    def utility(self, rate: float) -> float:
        share = max(0.0, 1 - self.capacity / rate)
        return rate * (1 - share) / (1 + math.exp(100 * (share - 0.05))) - rate * share

    def allowed(self) -> list[float]:
        """What may be sent in this state."""
        return (
            [self.rate * (1 + d * self.step) for d in (-1, 1)] + [self.rate] if self.mode == "decide" else [self.rate]
        )

    def changed(self, rate: float, direction: int, changes: int) -> Allegro:
        """The rate was judged, and is changed for this time in that direction."""
        new = rate * (1 + direction * 0.01 * changes)
        rest = {"direction": direction, "changes": changes, "best": self.utility(rate), "before": rate}
        return replace(self, mode="adjust", rate=new, **rest)

    def next(self) -> list[Allegro]:
        """What the rules say of the next state; more than one where utilities with losses, counted in packets, may be equal."""

        def at_least(rate: float, best: float, strictly: bool = False) -> tuple[bool, bool]:
            """Whether a utility is as good, and whether it is not, as far as that can be told."""
            u = self.utility(rate)
            near = rate > self.capacity and abs(u - best) < 0.02 * abs(u)
            return (u > best if strictly else u >= best) or near, u < best or near

        if self.mode == "decide":
            down, up = (self.rate * (1 + d * self.step) for d in (-1, 1))
            rises, falls = at_least(up, self.utility(down), strictly=True)
            both = [replace(self, step=min(self.step + 0.01, 0.05))] if rises and falls else []
            return [self.changed(up, 1, 1)] * rises + [self.changed(down, -1, 1)] * falls + both
        better, worse = at_least(self.rate, self.best, strictly=self.mode == "start")
        back = replace(self, mode="decide", rate=self.before, step=0.01)
        if self.mode == "start":
            on = replace(self, best=self.utility(self.rate), before=self.rate, rate=2 * self.rate)
        else:
            on = self.changed(self.rate, self.direction, self.changes + 1)
        return [on] * better + [back] * worse

    def follow(self, pacing: float) -> list[Allegro]:
        """The rate that is sent now is another one than before: the states in which it may be, by the rules."""
        every = [self, *(replace(a, seen=[*self.seen, self.mode]) for a in self.next())]
        return [a for a in every if any(math.isclose(pacing, r, rel_tol=1e-9) for r in a.allowed())]


@pytest.mark.parametrize("capacity", [900.0, 2600.0])
def test_allegro_has_the_rates_of_the_second_statement(capacity: float) -> None:
    ours = Ours(10, kind="allegro", interval_packets=200)
    t, pn, excess = S, 0, 0.0
    way: deque[tuple[int, int, int, bool]] = deque()
    due, pacing, states = float(t), None, [Allegro(capacity, 10 / 0.04)]
    while t < 80 * S:
        if pn < 10 if pacing is None else not way or due <= way[0][0]:
            t = max(t + 1, int(due))
            excess += max(0.0, 1 - capacity / pacing) if pacing else 0.0
            lost, excess = excess >= 1, excess % 1
            way.append((t + 40 * MS, pn, t, lost))
            ours(t, "sent")
            pn, due = pn + 1, max(due, t) + (S / pacing if pacing else 1000)
            continue
        t, number, sent, lost = way.popleft()
        got = ours(t, "loss") if lost else ours(t, "ack", pn=number, rtt=t - sent)
        if got["pacing"] is not None and got["pacing"] != pacing:
            pacing = got["pacing"]
            after = [state for before in states for state in before.follow(pacing)]
            states = list({(s.mode, s.rate, s.before, s.step, s.changes): s for s in after}.values())
            assert 0 < len(states) < 20, (t / S, pacing)
    assert min(states[0].seen.count(mode) for mode in ("start", "decide", "adjust")) > 2
