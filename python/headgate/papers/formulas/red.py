"""Throughput of TCP connections with different input links behind RED: Reno (equations 3 to 14), enhanced RED, and Vegas (15 to 32).

N connections come over input links of `access` packets/s each, and share a line of `line` packets/s; `delay` is the propagation one way,
tau, in s. All rates are in packets/s, windows and queues in packets, times in s. Arrays have a value for each connection, in the given
order, which has no effect.

Source: Hasegawa, Matsuo, Murata and Miyahara 2001, sections 3.2 and 4.2, with the equations corrected: as printed, units
or indices of equations 5, 6, 9 to 12 and 21 to 23 do not fit. `papers/hasegawa2001/errata.csv` lists all 23 places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from ...analysis.fairness import Floats, max_min

#: Which of the two meanings of equation 11 is taken.
Reading = Literal["time", "rates"]


@dataclass(frozen=True)
class Phases:
    """Service of windows that start to arrive at once (figure 9). Phases are in their order in time; N connections, up to N phases.

    Attributes:
        packets: W_ij, packets of each connection in each phase, shape (phases, N).
        service: S_j, the rate at which each phase is served, in packets/s (equation 9).
        duration: T_j, in s (equation 10, which is printed as a throughput).
    """

    packets: Floats
    service: Floats
    duration: Floats


@dataclass(frozen=True)
class RenoThroughput:
    """Reno behind RED. All arrays have shape (N,).

    Attributes:
        peak: W_max, the window at which a loss occurs, in packets (equation 7).
        window: W_a, the mean window (equation 8).
        phases: how the windows are served.
        rate: rho, throughput without timeouts, in packets/s (equation 11).
        timeout_share: P_to, the share of windows with two losses or more (equation 12).
        rtt: round trips in s (equation 13).
        timeout: RTO, twice the round trip.
        throughput: rho', throughput in packets/s (equation 14).
    """

    peak: Floats
    window: Floats
    phases: Phases
    rate: Floats
    timeout_share: Floats
    rtt: Floats
    timeout: Floats
    throughput: Floats


def red_reno(
    access: npt.ArrayLike, line: float, delay: float, loss: npt.ArrayLike, reading: Reading = "time"
) -> RenoThroughput:
    """Throughput of Reno connections of which RED drops each packet with a probability p (equations 3 to 14), for any number of them.

    It assumes that the average queue is always above RED's lower threshold, and leaves out slow start. It does not conserve the line: each
    burst is served at its own phases' rates, so that all throughputs together may exceed the line's (by 25 % in the paper's network at
    400 kbit/s). Timeouts cost 1.2 % at most with p = 0.02, although the text explains the loss of the fastest connection by them.

    Args:
        access: rates of the input links in packets/s, shape (N,).
        line: rate of the shared line in packets/s.
        delay: propagation delay one way in s.
        loss: p, one for all connections, or p_i for each, shape (N,).
        reading: of equation 11. `time`: a window over the time of its phases, as equations 13 and 14 need it. `rates`: the printed weights
            W_ij / W_a on the rates of the phases.

    The paper's network at 400 kbit/s, packets of 16 kbit:

    >>> found = red_reno([4, 8, 16, 32], line=25, delay=0.1, loss=0.02)
    >>> (16 * found.rate).round(2).tolist()
    [53.78, 92.75, 145.45, 213.33]
    >>> (16 * found.throughput).round(2).tolist()
    [53.29, 91.87, 144.0, 211.12]

    Raises:
        ValueError: no connection, a rate that is not above zero, a delay below zero, or a loss that is not above 0 and at most 1.
    """
    rates, p = _access(access, line, delay), _losses(loss, np.size(access))
    peak = np.sqrt(8 / (3 * p))
    window = 0.75 * peak
    phases = _phases(rates, line, window)
    if reading == "time":
        active = phases.packets > 0
        rate = window / (active * phases.duration[:, None]).sum(axis=0)
    elif reading == "rates":
        rate = (phases.packets / window * (phases.packets / phases.duration[:, None])).sum(axis=0)
    else:
        raise ValueError(f"reading {reading!r}; expected time or rates")
    none = (1 - p) ** window
    # With p = 1 nothing passes; 0 ** -0 would not say so.
    one = np.where(p < 1, window * p * (1 - p) ** (window - 1), 0.0)
    timeout_share = 1 - none - one
    own = window / rate
    rtt = 2 * delay + (window.sum() - window) / line + own
    timeout = 2 * rtt
    throughput = rate * (1 - timeout_share * timeout / (own + timeout))
    return RenoThroughput(peak, window, phases, rate, timeout_share, rtt, timeout, throughput)


def _phases(rates: Floats, line: float, window: Floats) -> Phases:
    """Windows of any sizes: each phase lasts, in arriving, until the next window has arrived."""
    left = window.copy()
    active = np.ones(rates.size, dtype=bool)
    packets, service = [], []
    while active.any():
        ends = np.where(active, left / rates, np.inf)
        arriving = float(ends.min())
        packets.append(np.where(active, rates * arriving, 0.0))
        service.append(min(line, float(rates[active].sum())))
        left = np.where(active, left - rates * arriving, 0.0)
        # Windows that end together differ by rounding at most.
        active = active & (ends > arriving * (1 + 1e-12)) & (left > 1e-12 * window)
    sent, speed = np.array(packets), np.array(service)
    return Phases(sent, speed, sent.sum(axis=1) / speed)


@dataclass(frozen=True)
class EnhancedRed:
    """Drop probabilities that give connections throughputs in proportion to their input links. Arrays have shape (N,).

    Attributes:
        loss: p_i.
        throughput: rho' with these, in packets/s.
        ideal: throughput due to each, in packets/s.
        steps: how many times a probability was changed.
        converged: whether all are within the tolerance of their ideal.
    """

    loss: Floats
    throughput: Floats
    ideal: Floats
    steps: int
    converged: bool


def enhanced_red(
    access: npt.ArrayLike,
    line: float,
    delay: float,
    initial: float = 0.005,
    increase: float = 1.1,
    decrease: float = 0.9,
    tolerance: float = 0.05,
    most: int = 5000,
    reading: Reading = "time",
) -> EnhancedRed:
    """The iteration of section 3.2: the p_i of the connection that is farthest from its ideal is changed until all are close enough.

    The paper gives neither the first p_i, on which the result depends, nor when to stop, nor whether differences are relative: they are
    here. Without timeouts any p_i in proportion to 1 / access^2 would do.

    Args:
        access: rates of the input links in packets/s, shape (N,).
        line: rate of the shared line in packets/s; of a queue of DRR+ its share of it.
        delay: propagation delay one way in s.
        initial: every p_i at the start.
        increase: factor a on the p_i of a connection above its ideal; p_i is at most 1.
        decrease: factor b on that of a connection below its ideal.
        tolerance: largest relative difference from the ideal that is close enough.
        most: maximum number of changes; `converged` is then False.
        reading: of equation 11, as in `red_reno`.

    >>> found = enhanced_red([4, 8, 16, 32], line=25, delay=0.1)
    >>> found.loss.round(4).tolist(), found.steps
    ([0.2057, 0.0655, 0.0173, 0.005], 79)

    Raises:
        ValueError: as `red_reno`, or a factor, tolerance or number of changes out of its range.
    """
    rates = _access(access, line, delay)
    if not (increase > 1 and 0 < decrease < 1):
        raise ValueError(f"factors {increase} and {decrease}; expected one above 1 and one between 0 and 1")
    if not (tolerance >= 0 and most >= 0):
        raise ValueError(f"tolerance {tolerance} and {most} changes; expected none below 0")
    p = _losses(initial, rates.size).copy()
    ideal = rates * min(1.0, line / float(rates.sum()))
    steps = 0
    while True:
        throughput = red_reno(rates, line, delay, p, reading).throughput
        difference = throughput / ideal - 1
        worst = int(np.abs(difference).argmax())
        close = bool(abs(difference[worst]) <= tolerance)
        if close or steps == most:
            return EnhancedRed(p, throughput, ideal, steps, close)
        p[worst] = min(1.0, p[worst] * (increase if difference[worst] > 0 else decrease))
        steps += 1


@dataclass(frozen=True)
class VegasThroughput:
    """Vegas behind RED. Arrays have shape (N,); those of the three phases of a cycle (figure 14) have shape (3, N).

    Attributes:
        capped: M, the number of connections that fill their input links.
        rate: rho, throughput without losses, in packets/s (equations 22, 23).
        queued: l, packets of each connection at the gateway (equation 20).
        rtt: round trips in s (equation 18).
        window: W, to which each window converges, in packets (equation 19). No p is in it.
        duration: T1, T2, T3 in s (equations 26, 27, 31).
        packets: A1, A2, A3 (equations 28 to 30).
        first_rate: throughput in the first phase, in packets/s (equation 24); rho where that phase is empty.
        throughput: rho-hat, with RED's losses, in packets/s (equation 32).
    """

    capped: int
    rate: Floats
    queued: Floats
    rtt: Floats
    window: Floats
    duration: Floats
    packets: Floats
    first_rate: Floats
    throughput: Floats


def red_vegas(
    access: npt.ArrayLike,
    line: float,
    delay: float,
    loss: npt.ArrayLike,
    alpha: float = 2.0,
    beta: float = 4.0,
    own_packet: bool = True,
) -> VegasThroughput:
    """Throughput of Vegas connections of which RED drops each packet with a probability p (equations 15 to 32), for any number of them.

    The paper leaves each l_i in an interval; here it is the middle, (alpha + beta) / 2 + rho_i / line. Then all connections below
    their input links have the same rate, so that rates are the max-min shares of the line, whatever alpha and beta are.

    Args:
        access: rates of the input links in packets/s, shape (N,).
        line: rate of the shared line in packets/s.
        delay: propagation delay one way in s.
        loss: p, one for all connections, or p_i for each, shape (N,).
        alpha: with fewer packets at the gateway a window grows.
        beta: with more it shrinks; at least alpha.
        own_packet: equation 24 as printed, with 1 / rho_i beside 2 tau; else with 1 / line, which is the least round trip of equation 17.

    The paper's network at 880 kbit/s, packets of 16 kbit:

    >>> found = red_vegas([4, 8, 16, 32], line=55, delay=0.1, loss=0.02)
    >>> (16 * found.rate).round(2).tolist(), (16 * found.throughput).round(2).tolist()
    ([64.0, 128.0, 256.0, 432.0], [64.0, 128.0, 256.0, 417.87])

    Raises:
        ValueError: as `red_reno`, or beta below alpha, or alpha below 0.
    """
    rates, p = _access(access, line, delay), _losses(loss, np.size(access))
    if not 0 <= alpha <= beta:
        raise ValueError(f"alpha {alpha} and beta {beta}; expected 0 <= alpha <= beta")
    rate = max_min(line, rates)
    queued = (alpha + beta) / 2 + rate / line
    rtt = 2 * delay + queued / rate
    window = rtt * rate
    path, half = 2 * delay * rate, window / 2
    # Phase 1 is empty where half a window fills the path; phase 2 starts where it ends.
    begins = np.maximum(path, half)
    times, sent = np.empty((3, rates.size)), np.empty((3, rates.size))
    times[0], sent[0] = (begins - half) * rtt, (begins + half) * (begins - half) / 2
    times[1], sent[1] = (window - begins) * rtt, (window + begins) * (window - begins) / 2
    # A loss may occur before the window has converged.
    sent[2] = np.maximum(1 / p - sent[0] - sent[1], 0)
    times[2] = sent[2] / window * rtt
    slow = (half + path) / 2 / (2 * delay + (1 / rate if own_packet else 1 / line))
    first = np.where(times[0] > 0, slow, rate)
    throughput = (times[0] * first + (times[1] + times[2]) * rate) / times.sum(axis=0)
    capped = int((rate >= rates * (1 - 1e-12)).sum())
    return VegasThroughput(capped, rate, queued, rtt, window, times, sent, first, throughput)


def _access(access: npt.ArrayLike, line: float, delay: float) -> Floats:
    rates = np.asarray(access, dtype=np.float64)
    if rates.ndim != 1 or rates.size == 0 or not ((rates > 0) & np.isfinite(rates)).all():
        raise ValueError(f"access {np.asarray(access)}; expected at least one rate, all above 0")
    if not 0 < line < np.inf:
        raise ValueError(f"line {line}; expected above 0")
    if not 0 <= delay < np.inf:
        raise ValueError(f"delay {delay}; expected at least 0")
    return rates


def _losses(loss: npt.ArrayLike, connections: int) -> Floats:
    p = np.asarray(loss, dtype=np.float64)
    if p.ndim > 1 or p.size not in (1, connections) or not ((p > 0) & (p <= 1)).all():
        raise ValueError(
            f"loss {np.asarray(loss)}; expected one, or one for each of {connections} connections, above 0 and at most 1"
        )
    return np.broadcast_to(p, (connections,)).astype(np.float64)
