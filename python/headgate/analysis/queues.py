"""Closed forms of the single-server queue with Poisson arrivals, which a simulator must reproduce.

Waits do not count the packet's own transmission. `load` is the share of the time the line is busy, `service` the mean transmission time;
times come in its unit. Lengths are in packets and count those that wait, not the one in transmission (Little's law).

Sources: Kleinrock 1975, Queueing Systems I, sections 3.2 to 3.6 and 5.6; Gross and Harris 1998, section 5.1.
"""

from __future__ import annotations

import math


def mg1_wait(load: float, service: float, square: float) -> float:
    """Mean wait of M/G/1 by Pollaczek and Khinchine: load E[S^2] / (2 (1 - load) E[S]).

    Args:
        load: from 0 to below 1.
        service: E[S], the mean transmission time, above 0.
        square: E[S^2], the mean of its square; at least `service` squared.

    Packets of 1 ms and 3 ms, as many of each, half the time busy:

    >>> mg1_wait(0.5, 2.0, (1 + 9) / 2)
    1.25

    Raises:
        ValueError: an argument outside of its range.
    """
    if not 0 <= load < 1 or service <= 0 or square < service**2 * (1 - 1e-12):
        raise ValueError(
            f"load {load}, service {service}, square {square}; expected [0, 1), above 0, and at least service squared"
        )
    return load * square / (2 * (1 - load) * service)


def mm1_wait(load: float, service: float = 1.0) -> float:
    """Mean wait of M/M/1: exponential transmission times.

    >>> mm1_wait(0.5), round(mm1_wait(0.8), 6)
    (1.0, 4.0)
    """
    return mg1_wait(load, service, 2 * service**2)


def md1_wait(load: float, service: float = 1.0) -> float:
    """Mean wait of M/D/1: all packets of one length. Half of M/M/1's.

    >>> md1_wait(0.5), round(md1_wait(0.8), 6)
    (0.5, 2.0)
    """
    return mg1_wait(load, service, service**2)


def mg1_length(load: float, service: float, square: float) -> float:
    """Mean number of packets that wait in M/G/1, by Little's law.

    >>> mg1_length(0.5, 2.0, 5.0)
    0.3125
    """
    return load / service * mg1_wait(load, service, square)


def mm1_length(load: float) -> float:
    """Mean number of packets that wait in M/M/1: load^2 / (1 - load).

    >>> mm1_length(0.5)
    0.5
    """
    return mg1_length(load, 1.0, 2.0)


def md1_length(load: float) -> float:
    """Mean number of packets that wait in M/D/1.

    >>> md1_length(0.5)
    0.25
    """
    return mg1_length(load, 1.0, 1.0)


def mm1_wait_quantile(load: float, service: float, q: float) -> float:
    """The `q`-quantile of the wait in M/M/1: P(wait > t) = load exp(-(1 - load) t / service); 0 for the share that does not wait.

    >>> round(mm1_wait_quantile(0.8, 1.0, 0.99), 3), mm1_wait_quantile(0.3, 1.0, 0.5)
    (21.91, 0.0)

    Raises:
        ValueError: a load or a quantile outside of [0, 1), or a service time that is not above zero.
    """
    if not 0 <= load < 1 or not 0 <= q < 1 or service <= 0:
        raise ValueError(f"load {load}, service {service}, q {q}; expected [0, 1), above 0, and [0, 1)")
    return 0.0 if q <= 1 - load else service / (1 - load) * math.log(load / (1 - q))


def mm1k_loss(load: float, places: int) -> float:
    """Share of packets lost in M/M/1/K.

    Args:
        load: offered, from 0; may be above 1.
        places: K, the maximum number of packets, with the one in transmission: in headgate one more than the buffer.

    >>> round(mm1k_loss(0.5, 2), 6), mm1k_loss(1.0, 4)  # 0.5^2 0.5 / (1 - 0.5^3)
    (0.142857, 0.2)

    Raises:
        ValueError: a negative load, or no place.
    """
    _check(load, places)
    if load > 1:  # in powers of 1/load, which do not overflow
        r = 1 / load
        return (1 - r) / (1 - r ** (places + 1))
    return 1 / (places + 1) if load == 1 else (1 - load) * load**places / (1 - load ** (places + 1))


def md1k_loss(load: float, places: int) -> float:
    """Share of packets lost in M/D/1/K, by the chain that a departing packet leaves behind.

    With a_k the Poisson probability of k arrivals in a transmission and A_k that of more than k, upward and downward crossings of level j
    are equally frequent: q_(j+1) a_0 = q_0 A_j + the sum over i = 1..j of q_i A_(j-i+1); all terms are positive, so no digits are lost.
    Then the loss is 1 - 1 / (q_0 + load), q normed over 0..K-1 (Gross and Harris 1998, section 5.1.8), to 1e-15.

    Args:
        load: offered, from 0 to 500; may be above 1.
        places: K, as in `mm1k_loss`.

    >>> round(md1k_loss(0.5, 1), 6)  # Erlang: load / (1 + load)
    0.333333
    >>> round(md1k_loss(0.8, 5), 6)
    0.03529

    Raises:
        ValueError: a load outside of its range, or no place.
    """
    _check(load, places)
    if load > 500:
        raise ValueError(f"load {load}; expected at most 500")
    none, more = math.exp(-load), [_tail(load, k) for k in range(places)]
    chain = [1.0]
    for j in range(places - 1):
        up = chain[0] * more[j] + math.fsum(chain[i] * more[j - i + 1] for i in range(1, j + 1))
        chain.append(up / none)
    return 1 - 1 / (chain[0] / math.fsum(chain) + load)


def _tail(load: float, k: int) -> float:
    """Probability of more than `k` Poisson arrivals, by its series."""
    term = math.exp((k + 1) * math.log(load) - load - math.lgamma(k + 2)) if load > 0 else 0.0
    total, n = 0.0, k + 1
    while term > 1e-17 * total:
        total += term
        n += 1
        term *= load / n
    return total


def _check(load: float, places: int) -> None:
    if not load >= 0 or places < 1:
        raise ValueError(f"load {load}, places {places}; expected from 0, and at least 1")
