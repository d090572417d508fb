"""Generalised Processor Sharing: the fluid that Fair Queueing and its relatives follow."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

Number = TypeVar("Number", float, Fraction)


def gps_finish_times(
    rate: Number, arrivals: Sequence[tuple[Number, int, Number]], weights: Sequence[int] | None = None
) -> list[Number]:
    """When each packet is finished in the fluid system, in which all backlogged flows are served at rates in proportion to their weights.

    Source: Demers, Keshav and Shenker 1989, section 2.2; Parekh and Gallager 1993, section II. In virtual time, which grows by the rate
    over the weight of the backlogged flows, a packet is finished at F = max(F of the flow's last packet, now) + size / weight.
    With `fractions.Fraction` the result is exact; with floats it is good to about 1e-12.

    Args:
        rate: of the line, in bit/s.
        arrivals: (time in s, number of the flow, size in bits), in the order of time.
        weights: of each flow; 1 unless given.

    Returns:
        The time of each arrival's finish, in s.

    Packets of 40 and 100 bits share a line; at 10 s each has 5 bits done and one of 30 arrives, which a third of the line serves in 90 s.

    >>> gps_finish_times(1.0, [(0.0, 1, 40.0), (0.0, 0, 100.0), (10.0, 2, 30.0)])
    [110.0, 170.0, 100.0]

    Raises:
        ValueError: arrivals that are not in the order of time, or a size, rate or weight that is not above zero.
    """
    flows = max((flow for _, flow, _ in arrivals), default=-1) + 1
    weight = list(weights) if weights is not None else [1] * flows
    if rate <= 0 or any(size <= 0 for _, _, size in arrivals) or any(w <= 0 for w in weight):
        raise ValueError("expected a rate, sizes and weights above zero")
    if any(a[0] > b[0] for a, b in pairwise(arrivals)):
        raise ValueError("expected arrivals in the order of time")
    if len(weight) < flows:
        raise ValueError(f"{len(weight)} weights; expected one for each of {flows} flows")
    last: dict[int, Number] = {}
    finish: list[Number] = [rate] * len(arrivals)
    waiting: list[tuple[Number, int]] = []
    virtual = now = rate * 0
    backlogged: set[int] = set()
    active = 0

    def serve(until: Number | None) -> None:
        nonlocal now, virtual, active
        while waiting:
            target, packet = waiting[0]
            at = now + (target - virtual) * active / rate
            if until is not None and at > until:
                virtual += (until - now) * rate / active
                break
            heapq.heappop(waiting)
            now, virtual, finish[packet] = at, target, at
            flow = arrivals[packet][1]
            if last[flow] == target:
                backlogged.remove(flow)
                active -= weight[flow]
        if until is not None:
            now = until

    for packet, (time, flow, size) in enumerate(arrivals):
        serve(time)
        if flow not in backlogged:
            backlogged.add(flow)
            active += weight[flow]
            last[flow] = virtual
        last[flow] += size / weight[flow]
        heapq.heappush(waiting, (last[flow], packet))
    serve(None)
    return finish
