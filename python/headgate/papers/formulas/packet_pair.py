"""The deterministic chain of servers on which packet-pair is based, and its predictions of transients (Keshav 1991, chapter 4).

Packets are of one length; a server is known by its service time for this conversation. Where the thesis's rule fails as printed, the
corrected one is the default and `as_printed=True` gives the other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = [
    "BurstAtThrottle",
    "bottleneck",
    "buffers_needed",
    "burst_at_throttle",
    "burst_size",
    "chain_departures",
    "migration_loss",
    "mu_down_recovery",
    "packet_timeout",
    "pipeline_depth",
    "priming_loss",
    "priming_recovery",
    "probe_spacing",
    "proposition_1_start",
    "proposition_2_loss",
    "r_down_recovery",
    "rate_throttles",
    "round_trip_estimate",
    "skipped_slots",
]


def chain_departures(arrivals: Sequence[float], service: Sequence[float]) -> list[list[float]]:
    """Departure times in seconds at each server of a chain, one row per server, one column per packet (section 4.2).

    `arrivals` at the first server, in seconds, in order; `service` times in seconds. A packet leaves at `max(arrival, previous
    departure) + service time` and arrives at the next server at once.

    Raises `ValueError` where arrivals are out of order or a service time is negative.

    >>> chain_departures([0, 0], [1, 3, 2])
    [[1, 2], [4, 7], [6, 9]]
    """
    if any(b < a for a, b in itertools.pairwise(arrivals)):
        raise ValueError(f"arrivals: expected times in order, found {list(arrivals)}")
    if any(s < 0 for s in service):
        raise ValueError(f"service: expected times of at least 0 s, found {list(service)}")
    rows: list[list[float]] = []
    into = list(arrivals)
    for s in service:
        out: list[float] = []
        for arrival in into:
            out.append((max(arrival, out[-1]) if out else arrival) + s)
        rows.append(out)
        into = out
    return rows


def rate_throttles(s0: float, service: Sequence[float]) -> list[int]:
    """Servers, counted from 1, at which packets sent `s0` seconds apart can wait (Lemma 4).

    Those slower than the source and than all servers before them: a strict new maximum of the service times, since the printed
    "slower than some rate-throttle" gives negative differences of rates.

    >>> rate_throttles(0.5, [1, 3, 2, 5, 4, 5, 2])
    [1, 2, 4]
    """
    found, slowest = [], s0
    for i, s in enumerate(service, start=1):
        if s > slowest:
            found.append(i)
            slowest = s
    return found


def bottleneck(service: Sequence[float]) -> int:
    """The slowest server, counted from 1; of equally slow ones the first (Lemma 7: nothing waits after it).

    >>> bottleneck([1, 3, 2, 5, 4, 5, 2])
    4
    """
    return max(range(len(service)), key=lambda i: service[i]) + 1


def probe_spacing(s0: float, service: Sequence[float]) -> float:
    """Seconds between the acknowledgements of packets sent `s0` seconds apart: those of the slowest of all (Lemma 5).

    >>> probe_spacing(0, [1, 3, 2, 5, 4, 5, 2]), probe_spacing(6, [1, 3, 5])
    (5, 6)
    """
    return max(s0, *service)


#: Tolerance of a depth for floating-point errors, in packets.
_NOISE = 1e-9


@dataclass(frozen=True)
class BurstAtThrottle:
    """A burst at a rate-throttle (Lemma 6)."""

    first_s: float
    """First arrival, in seconds after the first packet was sent."""
    peak_s: float
    """Time of the largest number of packets."""
    peak_packets: int
    """This number, the packet in service included."""
    empty_s: float
    """Time at which the last packet leaves."""


def burst_at_throttle(
    packets: int, s0: float, service: Sequence[float], throttle: int, *, as_printed: bool = False
) -> BurstAtThrottle:
    """A burst of `packets`, sent `s0` seconds apart, at rate-throttle number `throttle` of the chain (Lemma 6).

    The printed time of the peak has K where it must be K - 1.
    Raises `ValueError` if nothing waits at that server.

    >>> burst_at_throttle(20, 0.5, [1, 3, 2, 5, 4, 5, 2], 4)
    BurstAtThrottle(first_s=6, peak_s=63, peak_packets=9, empty_s=106)
    >>> burst_at_throttle(20, 0.5, [1, 3, 2, 5, 4, 5, 2], 4, as_printed=True).peak_s
    66
    """
    if throttle not in rate_throttles(s0, service):
        raise ValueError(f"throttle: expected one of {rate_throttles(s0, service)}, found {throttle}")
    before = service[: throttle - 1]
    spacing, s = max([s0, *before]), service[throttle - 1]
    first = sum(before)
    return BurstAtThrottle(
        first_s=first,
        peak_s=first + (packets if as_printed else packets - 1) * spacing,
        peak_packets=packets - math.floor((packets - 1) * spacing / s),
        empty_s=first + packets * s,
    )


def pipeline_depth(round_trip: float, s_b: float) -> float:
    """V in packets: the round trip without queueing, in seconds, over the bottleneck's service time (section 4.4).

    >>> pipeline_depth(1.0, 0.1)
    10.0
    """
    return round_trip / s_b


def round_trip_estimate(measured: float, n_b: float, s_e: float) -> float:
    """R_e in seconds as printed: the measured round trip less the time that the packets wanted in the queue take (section 4.4).

    At a busy bottleneck the measured one is the packets outstanding, S, times the spacing (Little), and V_e = R_e/s_e = S - n_b,
    whatever R is.

    >>> round_trip_estimate(1.5, 5, 0.1)
    1.0
    """
    return measured - n_b * s_e


def packet_timeout(measured: float, timeouts: int = 0, times: float = 3) -> float:
    """Seconds until a packet counts as lost: `times` the round trip last measured, doubled at each timeout of it (section 4.4).

    >>> packet_timeout(1.5), packet_timeout(1.5, 3)
    (4.5, 36.0)
    """
    return times * measured * 2.0**timeouts


def skipped_slots(depth_old: float, depth_new: float) -> int:
    """Slots of two packets that the source skips when the pipeline depth falls, in packets (section 4.4).

    >>> skipped_slots(10, 6.25), skipped_slots(10, 13)
    (2, 0)
    """
    return max(math.ceil((depth_old - depth_new) / 2 - _NOISE), 0)


def burst_size(depth_old: float, depth_new: float) -> int:
    """Packets sent at once when the pipeline depth rises (section 4.4); whole packets, which the thesis leaves open.

    >>> burst_size(10, 12.5)
    2
    """
    return max(math.floor(depth_new - depth_old + _NOISE), 0)


def proposition_1_start(t0: float, round_trip: float) -> float:
    """Time from which flow control is optimal if nothing changes and no packets are primed, in seconds (Proposition 1).

    >>> proposition_1_start(10, 1)
    12
    """
    return t0 + 2 * round_trip


def proposition_2_loss(r_old: float, r_new: float, s_b: float, xi: float) -> float:
    """Packets of bandwidth lost when a pair straddles a rise of the delay and arrives `xi` seconds apart (Proposition 2).

    Round trips and the bottleneck's service time in seconds; a spacing of at most `s_b` has no effect.

    >>> round(proposition_2_loss(1.0, 1.4, 0.1, 0.4), 9)
    12.0
    """
    n = skipped_slots(r_old / s_b, r_new / xi) if xi > s_b else 0
    return 2 * n + xi / s_b


def buffers_needed(dv: float, *, as_printed: bool = False) -> float:
    """Buffers in packets with which no change of depth of at most `dv` loses a packet, with as many in the queue before (section 4.4).

    The printed 2 dv leaves out the pair that arrives at once; the packet in service is not counted in either.

    >>> buffers_needed(5), buffers_needed(5, as_printed=True)
    (12, 10)
    """
    return 2 * dv if as_printed else 2 * dv + 2


def priming_loss(dv: float, n_b: float, *, upstream: bool = True) -> float:
    """Packets of bandwidth lost when the depth rises by `dv` packets while `n_b` wait (table 4.1, R up and mu up, no migration).

    Changes behind the bottleneck cost nothing.

    >>> priming_loss(4, 5), priming_loss(4, 2), priming_loss(4, 0, upstream=False)
    (0.0, 2.0, 0.0)
    """
    return max(float(dv - n_b), 0.0) if upstream else 0.0


def migration_loss(dv: float, transit: float, s_new: float, *, upstream: bool) -> float:
    """Maximum number of packets of bandwidth lost when another server becomes the bottleneck (section 4.5.2.1).

    Upstream all `dv`, with any scheme; downstream what the new one, of service time `s_new`, could serve while the first packet
    crosses the `transit` seconds between the two.

    >>> migration_loss(2.5, 0.05, 0.08, upstream=True), migration_loss(2.5, 0.04, 0.08, upstream=False)
    (2.5, 0.5)
    """
    return dv if upstream else transit / s_new


def priming_recovery(t0: float, detection: float, before_bottleneck: float, dv: float, s_prev: float) -> float:
    """When a bottleneck is served again as before after the depth rose by `dv` packets, in seconds (table 4.1, R up and mu up).

    `detection` is the time until the source learns of the change; the burst then crosses servers of `before_bottleneck` seconds in
    all, and its packets reach the bottleneck `s_prev` seconds apart.

    >>> round(priming_recovery(20, 1.5, 0.45, 4, 0.01), 9)
    21.98
    """
    return t0 + detection + before_bottleneck + (dv - 1) * s_prev


def r_down_recovery(t0: float, r_old: float, r_new: float, *, waiting: float = 0.0, as_printed: bool = False) -> float:
    """When the queue is as before after the round trip fell, in seconds (section 4.5.3.2).

    It is the time until the source learns of it, then a skip of R_old - R_new.
    `waiting`: the wait of the packet that carries this information in the queue, which the thesis leaves out.
    The printed sum ends with R_old instead of the new round trip and the skip together.

    >>> r_down_recovery(20, 1.4, 1.0), round(r_down_recovery(20, 1.4, 1.0, as_printed=True), 9)
    (21.4, 21.8)
    """
    skip = r_old - r_new
    return t0 + waiting + r_old + (skip if as_printed else 0.0)


def mu_down_recovery(t0: float, round_trip: float, s_old: float, s_new: float, *, as_printed: bool = False) -> float:
    """When the queue is as before after the bottleneck became slower, in seconds (table 4.1, row 4).

    It is the time until the source learns of it, then the skip.

    The printed skip, `ceil(R / (2 s_old) - R / s_new) s_new`, is zero in every realistic case.

    >>> round(mu_down_recovery(20, 1.0, 0.1, 0.16), 9), mu_down_recovery(20, 1.0, 0.1, 0.16, as_printed=True)
    (21.64, 21.0)
    """
    if as_printed:
        skip = s_new * max(math.ceil(round_trip / (2 * s_old) - round_trip / s_new), 0)
    else:
        skip = 2 * s_new * skipped_slots(round_trip / s_old, round_trip / s_new)
    return t0 + round_trip + skip
