"""Utility of throughput and delay to a user, and whether a network is congested for him."""

from __future__ import annotations


def utility(throughput: float, rtt: float, a: float = 0.5, *, tolerated: float = 0.0) -> float:
    """`a T - (1 - a) RTT` with T in packets per second and RTT in seconds (Keshav 1991, section 1.3).

    `a` near 1 is a user who wants throughput, near 0 one who wants short delays. Delays up to `tolerated` are all the same to him.

    >>> round(utility(4.99, 1.00, 0.9), 3)
    4.391
    >>> utility(0.2, 0.05, 0.1, tolerated=0.1) == utility(0.2, 0.06, 0.1, tolerated=0.1)
    True
    """
    return a * throughput - (1 - a) * max(rtt - tolerated, 0.0)


def congested(light: float, heavy: float, *, tolerance: float = 0.0) -> bool:
    """Whether a network is congested for a user: his utility is less at a heavier load (Keshav 1991, section 1.3).

    All but the load has to be the same. Differences up to `tolerance`, that of the measurement, do not count. Utilities of different
    users cannot be compared, so that this is a statement about one of them.

    >>> congested(utility(0.2, 0.05, 0.1), utility(0.2, 0.06, 0.1))
    True
    >>> congested(utility(0.2, 0.05, 0.1, tolerated=0.1), utility(0.2, 0.06, 0.1, tolerated=0.1))
    False
    """
    return heavy < light - tolerance


def power(throughput: float, rtt: float) -> float:
    """Throughput over round-trip time, in packets per second squared (Kleinrock 1979); nan without a round trip.

    >>> power(5.0, 0.5)
    10.0
    """
    return throughput / rtt if rtt > 0 else float("nan")
