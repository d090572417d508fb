"""The Fuzzball's preemption, or drop-tail, in a buffer for several lines: written apart from the engine, to hold it against."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headgate.papers.measure import Floats

#: Seconds that a packet takes of a line.
SERVICE = 0.01


@dataclass(frozen=True)
class Arrival:
    """A packet that arrives at the gateway."""

    time: float
    source: str
    line: int


@dataclass(frozen=True)
class Served:
    """When each packet has left, nan if it was dropped; and in order of time, who was dropped at which arrival: numbers of packets."""

    left: Floats
    dropped: list[tuple[int, int]]


def gateway(arrivals: Sequence[Arrival], places: int, *, preempts: bool) -> Served:
    """What becomes of the packets.

    Lines serve in order of arrival, and a packet in transmission takes no place. With preemption the last packet of the source with most
    of them in all buffers is dropped, the arrival counted; without it, the arrival is.
    """
    left = np.full(len(arrivals), np.nan)
    dropped: list[tuple[int, int]] = []
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
            dropped.append((victim, number))
            if victim == number:
                continue
            waiting[arrivals[victim].line].remove(victim)
        waiting[arrival.line].append(number)
    for line, queue in waiting.items():
        for number in queue:
            left[number] = free[line] = free[line] + SERVICE
    return Served(left, dropped)


def _victim(arrivals: Sequence[Arrival], waiting: dict[int, deque[int]], number: int) -> int:
    held = [*(n for queue in waiting.values() for n in queue), number]
    count = Counter(arrivals[n].source for n in held)
    most = max(count.values())
    # Among equals the one that got a packet last.
    return max(n for n in held if count[arrivals[n].source] == most)
