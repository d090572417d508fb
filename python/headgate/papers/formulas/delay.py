"""Closed forms for the delay of a light stream beside N always backlogged transfers at one Fair Queueing gateway.

Source: Demers, Keshav and Shenker 1989, section 2.3; the nonpreemptive block is complete in Keshav 1991, chapter 2. The line has
speed 1, so a packet of size P takes time P; sizes, delays and the promptness delta are in the same unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt


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
    return float(max(exact, half)), half * (1 + (whole**2 + whole * (2 * part - 1)) / n)


def fq_delay(
    alone: float,
    transfers: int,
    transfer_size: float,
    size: float,
    delta: float = 0.0,
    idle_density: Callable[[npt.NDArray[np.float64]], npt.ArrayLike] | None = None,
    idle_probability: float = 0.0,
    preemptive: bool = False,
    staggered: bool = True,
) -> float:
    """D_N(P): mean queueing delay of a stream with any arrivals, by its delay without the transfers (section 2.3).

    D_N(P) = D_0((N+1) P) + A(P) - integral over t of I_0(t) (A(P) - A(P - min(t/N, delta))): a packet that finds its own queue idle
    for t bids up to delta earlier. Exact where A has slope N: for sizes from `transfer_size` on, and with staggered transfers from
    half of it times 1 + 1/N on; below, an upper bound. (The scan prints a factor 1/2, D_0 for I_0 and a finite upper limit;
    only the form above leads to the printed Poisson formula.)

    Args:
        alone: D_0((N+1) P), the stream's delay alone at the gateway with packets N + 1 times as long.
        transfers: N.
        transfer_size: P_F.
        size: P, the size of the stream's packets.
        delta: promptness.
        idle_density: I_0(t), the density, per arriving packet, of finding the stream's queue idle for a time t when it is alone, with
            packets N + 1 times as long; takes and gives an array. Needed with `delta`.
        idle_probability: its integral over all t.
        preemptive: whether an arriving packet interrupts the one in transmission.
        staggered: the transfers' finish numbers are evenly staggered; else they coincide.

    A Poisson stream at half its fair share, packets of size 1, three transfers; compare `fq_poisson_delay`:

    >>> rate = 0.5 / 4
    >>> density = lambda t: 0.5 * rate * np.exp(-rate * t)
    >>> round(fq_delay(4 * 0.5, 3, 1, 1), 4), round(fq_delay(4 * 0.5, 3, 1, 1, 1, density, 0.5), 4)
    (3.5, 3.03)

    Raises:
        ValueError: as `telnet_delay_bounds`; or `delta` without `idle_density`.
    """

    def a(p: float) -> float:
        low, high = telnet_delay_bounds(transfers, transfer_size, p, preemptive)
        return low if staggered else high

    total = alone + a(size)
    if delta <= 0:
        return total
    if idle_density is None:
        raise ValueError(f"delta {delta}; expected an idle_density with it")
    # Below N delta by Simpson's rule; beyond, the gain is constant.
    steps = 2000
    t = np.linspace(0, transfers * delta, steps + 1)
    weights = np.ones(steps + 1)
    weights[1:-1:2], weights[2:-1:2] = 4, 2
    weights *= transfers * delta / steps / 3
    density = np.asarray(idle_density(t), dtype=np.float64)
    gain = np.array([a(size) - a(size - x / transfers) for x in t])
    beyond = idle_probability - float(weights @ density)
    return total - float(weights @ (density * gain)) - beyond * (a(size) - a(size - delta))


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
