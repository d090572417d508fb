"""The arrivals at the queues that are compared: made from whole numbers alone, so that every machine has the same."""

from __future__ import annotations

from collections.abc import Callable

#: A packet: its time in nanoseconds, its flow, its bytes, and 1 if it may be marked.
Packet = tuple[int, int, int, int]

MS = 1_000_000


def chance(seed: int) -> Callable[[int], int]:
    """Numbers below a bound, from a linear congruential generator."""
    state = seed

    def number(bound: int) -> int:
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (state >> 33) % bound

    return number


def overload(count: int, capable: int = 0) -> list[Packet]:
    """1.2 times what a line of 10 Mbit/s carries, in packets of 1500 bytes."""
    number, now, out = chance(1), 0, []
    for _ in range(count):
        now += MS // 2 + number(MS)
        out.append((now, 0, 1500, capable))
    return out


def phases(count: int, capable: int = 0) -> list[Packet]:
    """Of each 800 packets the first half comes faster than a line of 10 Mbit/s sends them, the second half slower."""
    number, now, out = chance(2), 0, []
    for k in range(count):
        gap = 900_000 if k // 400 % 2 == 0 else 1_600_000
        now += gap // 2 + number(gap)
        out.append((now, 0, 1500, capable))
    return out


def bursts(count: int, capable: int = 0) -> list[Packet]:
    """Groups of 60 packets, faster than the line, and pauses of half a second."""
    number, now, out = chance(4), 0, []
    for k in range(count):
        now += 400_000 + number(600_000) + (500 * MS if k % 60 == 0 else 0)
        out.append((now, 0, 1500, capable))
    return out


def flows(count: int) -> list[Packet]:
    """Four flows that all send more than their share of 10 Mbit/s, and one that sends little."""
    number, now, out = chance(3), 0, []
    for _ in range(count):
        now += 300_000 + number(600_000)
        flow = [0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4][number(16)]
        out.append((now, flow, [1500, 900, 1200, 1400, 300][flow], 0))
    return out


STREAMS: dict[str, list[Packet]] = {
    "overload": overload(3000),
    "overload-marks": overload(3000, 1),
    "phases": phases(4000),
    "bursts": bursts(2000),
    "bursts-marks": bursts(2000, 1),
    "flows": flows(3000),
}
