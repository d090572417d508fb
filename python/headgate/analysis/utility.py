"""Utility of throughput and delay to a user."""

from __future__ import annotations


def utility(throughput: float, rtt: float, a: float = 0.5) -> float:
    """`a T - (1 - a) RTT` with T in packets per second and RTT in seconds (Keshav 1991, section 1.2).

    `a` near 1 is a user who wants throughput, near 0 one who wants short delays.

    >>> round(utility(4.99, 1.00, 0.9), 3)
    4.391
    """
    return a * throughput - (1 - a) * rtt


def power(throughput: float, rtt: float) -> float:
    """Throughput over round-trip time, in packets per second squared (Kleinrock 1979); nan without a round trip.

    >>> power(5.0, 0.5)
    10.0
    """
    return throughput / rtt if rtt > 0 else float("nan")
