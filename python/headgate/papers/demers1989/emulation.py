"""How far Fair Queueing by packets is from bit-by-bit round robin: bits sent for each conversation, at every moment (section 2.2)."""

from __future__ import annotations

import heapq
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

RATE = 1e6
#: Longest and shortest packet, in bytes.
LONGEST, SHORTEST = 1000, 40


@dataclass(frozen=True)
class Trace:
    """Packets in the order of their arrival."""

    times: Floats
    flows: tuple[int, ...]
    sizes: Floats

    @classmethod
    def random(cls, seed: int, packets: int = 80) -> Trace:
        """Two to five conversations that ask for more than the line carries, with packets of all lengths."""
        random = np.random.default_rng(seed)
        flows = random.integers(0, random.integers(2, 6), packets)
        sizes = random.integers(SHORTEST, LONGEST + 1, packets)
        sizes[random.random(packets) < 0.3] = LONGEST
        gaps = random.exponential(8 * sizes.mean() / RATE / 1.3, packets)
        return cls(np.cumsum(gaps), tuple(int(f) for f in flows), (8 * sizes).astype(np.float64))


@dataclass
class Served:
    """Bits sent for each conversation at the moments at which that changes its pace."""

    at: list[float]
    bits: list[dict[int, float]]

    @classmethod
    def new(cls) -> Served:
        """Nothing yet."""
        return cls([0.0], [defaultdict(float)])

    def add(self, until: float, rates: dict[int, float]) -> None:
        """Advances to a moment, with a constant rate for each conversation."""
        now, before = self.at[-1], self.bits[-1]
        after = defaultdict(float, before)
        for flow, rate in rates.items():
            after[flow] += rate * (until - now)
        self.at.append(until)
        self.bits.append(after)

    def of(self, flow: int, moments: Floats) -> Floats:
        """Bits of one conversation at given moments."""
        return np.asarray(np.interp(moments, self.at, [b[flow] for b in self.bits]))


def bit_by_bit(trace: Trace) -> tuple[Served, Floats]:
    """Bit-by-bit round robin: what it has sent, and the finish number of each packet."""
    served, last, finish = Served.new(), dict.fromkeys(set(trace.flows), 0.0), np.zeros(len(trace.flows))
    now = rounds = 0.0

    def go_on(until: float) -> None:
        nonlocal now, rounds
        while (active := [f for f, end in last.items() if end > rounds + 1e-9]) and now < until:
            share = RATE / len(active)
            leave = now + (min(last[f] for f in active) - rounds) / share
            step = min(leave, until)
            served.add(step, dict.fromkeys(active, share))
            rounds = min(last[f] for f in active) if leave <= until else rounds + (step - now) * share
            now = step
        if np.isfinite(until) and now < until:
            served.add(until, {})
            now = until

    for k, (time, flow, size) in enumerate(zip(trace.times, trace.flows, trace.sizes, strict=True)):
        go_on(float(time))
        finish[k] = last[flow] = max(last[flow], rounds) + size
    go_on(np.inf)
    return served, finish


def by_numbers(trace: Trace, numbers: Floats) -> Served:
    """Of the packets that are there, the one with the smallest number is always in transmission: the preemptive rule by itself."""
    served, waiting, left = Served.new(), list[tuple[float, int]](), trace.sizes.copy()
    arrivals, now = [*trace.times, np.inf], 0.0
    for k, arrival in enumerate(arrivals):
        while waiting and now < arrival:
            packet = waiting[0][1]
            end = min(now + left[packet] / RATE, arrival)
            served.add(end, {trace.flows[packet]: RATE})
            left[packet] -= (end - now) * RATE
            now = end
            if left[packet] <= 1e-6:
                heapq.heappop(waiting)
        if k < len(trace.times):
            if now < arrival:
                served.add(float(arrival), {})
            now = float(arrival)
            heapq.heappush(waiting, (numbers[k], k))
    return served


def ends(trace: Trace, queue: str) -> Floats:
    """When each packet's last bit leaves a discipline of this package: a replay."""
    import pyarrow as pa

    from ...replays import replay

    table = pa.table(
        {"time_s": trace.times, "flow": [str(f) for f in trace.flows], "size_bytes": (trace.sizes / 8).astype(int)}
    )
    packets = replay(table, queue, "1Mbit/s", "100000pkt", series=False).packets(queue)
    return np.asarray(packets["departure_s"], dtype=np.float64)


def by_packets(trace: Trace, queue: str = "fq") -> Served:
    """What a discipline does with the trace that sends packets in one piece. Fair Queueing is the nonpreemptive algorithm."""
    left, served = ends(trace, queue), Served.new()
    for k in np.argsort(left):
        begin = left[k] - trace.sizes[k] / RATE
        if begin > served.at[-1] + 1e-12:
            served.add(float(begin), {})
        served.add(float(left[k]), {trace.flows[k]: RATE})
    return served


def in_parts(trace: Trace, queue: str = "fq_preemptive") -> Served:
    """What a discipline does that interrupts packets: of those that are there, the one that ends first is in transmission."""
    return by_numbers(trace, ends(trace, queue))


def farthest(one: Served, other: Served, flows: set[int]) -> float:
    """Most bits between the two, of any conversation at any moment: both grow in straight lines between their moments."""
    moments = np.union1d(one.at, other.at)
    return max(float(abs(one.of(f, moments) - other.of(f, moments)).max()) for f in flows)


def discrepancies(seeds: range) -> dict[str, float]:
    """The farthest that each two of the three algorithms were apart on random traces, in longest packets; FCFS for comparison."""
    worst: dict[str, float] = defaultdict(float)
    for seed in seeds:
        trace = Trace.random(seed)
        fluid, _ = bit_by_bit(trace)
        found = {
            "bit by bit": fluid,
            "preemptive": in_parts(trace),
            "nonpreemptive": by_packets(trace),
        }
        names = list(found)
        for i, a in enumerate(names):
            for b in names[i + 1 :]:
                apart = farthest(found[a], found[b], set(trace.flows)) / (8 * LONGEST)
                worst[f"{a}, {b}"] = max(worst[f"{a}, {b}"], apart)
        away = farthest(fluid, by_packets(trace, "fcfs"), set(trace.flows)) / (8 * LONGEST)
        worst["bit by bit, FCFS"] = max(worst["bit by bit, FCFS"], away)
    return dict(worst)
