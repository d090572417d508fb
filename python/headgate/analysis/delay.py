"""Closed forms for the delay of a light stream beside N always backlogged transfers at one Fair Queueing gateway.

Source: Demers, Keshav and Shenker 1989, section 2.3; the nonpreemptive block is complete in Keshav 1991, chapter 2. The line has
speed 1, so a packet of size P takes time P; sizes, delays and the promptness delta are in the same unit.
"""

from __future__ import annotations

import math


def telnet_delay_bounds(
    transfers: int, transfer_size: float, size: float, preemptive: bool = False
) -> tuple[float, float]:
    """Bounds of A(P): the mean queueing delay of a packet that arrives at a uniformly random time.

    The lower bound is attained when the transfers' finish numbers are evenly staggered, the upper one when they coincide.

    Args:
        transfers: N, the number of backlogged transfers.
        transfer_size: P_F, the size of their packets.
        size: P, the size of the light stream's packet less delta; may be negative.
        preemptive: whether an arriving packet interrupts the one in transmission.

    >>> telnet_delay_bounds(3, 1000, 1500)
    (3000.0, 3000.0)
    >>> telnet_delay_bounds(3, 1000, 700, preemptive=True)
    (600.0, 735.0)

    Raises:
        ValueError: fewer than one transfer, or a size of theirs that is not above zero.
    """
    if transfers < 1 or transfer_size <= 0:
        raise ValueError(f"transfers {transfers} of size {transfer_size}; expected at least 1, of a size above 0")
    n, pf, half = transfers, transfer_size, transfer_size / 2
    exact = n * (size - half)
    if size >= pf:
        return float(exact), float(exact)
    if preemptive:
        if size <= 0:
            return 0.0, 0.0
        if size >= half * (1 + 1 / n):
            low = exact
        elif size >= half * (1 - 1 / n):
            low = (half + exact) ** 2 / (2 * pf)
        else:
            low = 0.0
        return float(low), n * size**2 / (2 * pf)
    whole, part = divmod(max(0.0, n * size / pf), 1.0)
    low = max(exact, half) if size >= half * (1 + 1 / n) else half
    return float(low), half * (1 + (whole**2 + whole * (2 * part - 1)) / n)


def fq_poisson_delay(load: float, transfers: int, delta: float = 0.0, as_printed: bool = False) -> float:
    """Mean queueing delay of a Poisson stream under nonpreemptive FQ, in packet times (section 2.3, last formula; figure 1).

    All packets have size 1 and the transfers' finish numbers are evenly staggered.

    Args:
        load: rho, the stream's share of its fair share: arrivals per packet time times N + 1; from 0 to below 1.
        transfers: N.
        delta: promptness in packets.
        as_printed: the first term without the factor N + 1 that the paper's own relation asks for.

    >>> fq_poisson_delay(0.5, 3), round(fq_poisson_delay(0.5, 3, delta=1), 4)
    (3.5, 3.03)

    Raises:
        ValueError: a load outside of [0, 1).
    """
    if not 0 <= load < 1:
        raise ValueError(f"load {load}; expected from 0 to below 1")
    n = transfers
    m = min(delta, (1 - 1 / n) / 2)
    first = (1 if as_printed else n + 1) * load / (2 * (1 - load))
    prompt = m if load == 0 else (n + 1) / (n * load) * (1 - math.exp(-load * n * m / (n + 1)))
    return first + n * load / 2 + n * (1 - load) * (0.5 - prompt)


def fcfs_poisson_delay(load: float, transfers: int, window: int) -> float:
    """Mean queueing delay of a Poisson stream under FCFS beside transfers that keep their windows in the queue, in packet times.

    By PASTA and Little's law (ours): (N W - 1/2 + r) / (1 - r) with r = load / (N + 1), finite up to a load of N + 1.

    >>> fcfs_poisson_delay(2.0, 3, 5)
    30.0

    Raises:
        ValueError: a load outside of [0, N + 1).
    """
    if not 0 <= load < transfers + 1:
        raise ValueError(f"load {load}; expected from 0 to below {transfers + 1}")
    r = load / (transfers + 1)
    return (transfers * window - 0.5 + r) / (1 - r)
