"""What short bursts, repeated in the time scale of TCP's minimum timeout, leave to TCP.

Source: Kuzmanovic and Knightly 2003, "Low-Rate TCP-Targeted Denial of Service Attacks": equation (2) in section 3.2,
(4) to (7) in 7.2 and (8) to (12) in 7.2 and the appendix. All throughputs are parts of the line's rate, and all times
are in seconds.

Deviations: equation (6) is said to hold "for k = 1" and (7) "for k >= 2", with k = floor(b/T). They are the mean of
(2) only where the case is chosen by whether one outage follows all timeouts: ceil(a/T) T >= b. For T above b/2 that
is the same. `as_printed` chooses as the paper says.
"""

from __future__ import annotations

import math

#: Quotients this close to a whole number are one: 1.2 / 0.4 is below 3 in floating point.
_CLOSE = 1e-9


def shrew_rate(peak_bps: float, burst_s: float, period_s: float) -> float:
    """The attacker's mean rate in bit/s: bursts of `peak_bps` for `burst_s` in each `period_s` (section 3.3).

    >>> round(shrew_rate(10e6, 0.1, 1.1))
    909091

    Raises:
        ValueError: a value is not positive, or the burst is longer than the period.
    """
    _positive(peak_bps=peak_bps, burst_s=burst_s, period_s=period_s)
    if burst_s > period_s:
        raise ValueError(f"found a burst of {burst_s} s in a period of {period_s} s; expected one that is not longer")
    return peak_bps * burst_s / period_s


def shrew_throughput(period_s: float, min_rto_s: float = 1.0) -> float:
    """Equation (2): TCP's part of the line under outages of period T: (ceil(m/T) T - m) / (ceil(m/T) T), m the minimum timeout.

    All flows time out at the first outage, are silent for m, and use the whole line until the next outage.

    >>> [round(shrew_throughput(t), 3) for t in (0.5, 0.75, 1.0, 2.0)]
    [0.0, 0.333, 0.0, 0.5]

    Raises:
        ValueError: a time is not positive.
    """
    _positive(period_s=period_s, min_rto_s=min_rto_s)
    outage = _ceil(min_rto_s / period_s) * period_s
    return (outage - min_rto_s) / outage


def shrew_nulls(min_rto_s: float = 1.0, count: int = 3) -> list[float]:
    """The periods at which equation (2) leaves nothing: m, m/2, m/3, ... (section 3.3), the longest first.

    >>> shrew_nulls(1.0, 2)
    [1.0, 0.5]

    Raises:
        ValueError: the time is not positive.
    """
    _positive(min_rto_s=min_rto_s)
    return [min_rto_s / n for n in range(1, count + 1)]


def shrew_randomized(period_s: float, low_s: float, high_s: float, *, as_printed: bool = False) -> float:
    """Equations (4) to (7): the mean throughput of a flow whose minimum timeout is uniform between a and b.

    It is the mean of equation (2) over that range. With `as_printed` the case is chosen by k = floor(b/T), as the paper has it: see the
    head of this module.

    >>> round(shrew_randomized(1.5, 1.0, 1.5), 3), round(shrew_randomized(3.0, 1.0, 1.2), 3)
    (0.167, 0.633)

    Raises:
        ValueError: a time is not positive, or the range is empty.
    """
    _range(low_s, high_s)
    _positive(period_s=period_s)
    t, a, b = period_s, low_s, high_s
    first, k = _ceil(a / t), _floor(b / t)
    whole = first * t
    if t >= b:
        return (t - (a + b) / 2) / t
    single = k == 1 if as_printed else whole >= b - _CLOSE
    if t < a and single:
        return (whole - (a + b) / 2) / whole
    # The timeout ends before the first outage after a, in the whole periods that follow, or in the last one that begins before b.
    found = (whole - a) / (b - a) * (whole - (a + whole) / 2) / whole
    found += sum(t / (b - a) * (t / 2) / ((i + 1) * t) for i in range(first, k))
    return found + (b - k * t) / (b - a) * ((k + 1) * t - (k * t + b) / 2) / ((k + 1) * t)


def shrew_first_timeout(low_s: float, high_s: float, flows: int) -> float:
    """Equation (12): the mean time in seconds until the first of `flows` timeouts ends, each uniform between a and b.

    It is a + (b - a)/(n + 1).

    >>> shrew_first_timeout(1.0, 1.5, 1)
    1.25

    Raises:
        ValueError: a time is not positive, the range is empty, or there is no flow.
    """
    _range(low_s, high_s)
    if flows < 1:
        raise ValueError(f"found {flows} flows; expected one or more")
    return low_s + (high_s - low_s) / (flows + 1)


def shrew_randomized_aggregate(low_s: float, high_s: float, flows: int) -> float:
    """Equation (8): what `flows` long flows with minimum timeouts uniform between a and b get together of outages with the period b.

    >>> [round(shrew_randomized_aggregate(1.0, 1.5, n), 3) for n in (1, 1000000)]
    [0.167, 0.333]

    Raises:
        ValueError: as `shrew_first_timeout`.
    """
    return (high_s - shrew_first_timeout(low_s, high_s, flows)) / high_s


def _ceil(quotient: float) -> int:
    return math.ceil(quotient - _CLOSE)


def _floor(quotient: float) -> int:
    return math.floor(quotient + _CLOSE)


def _range(low_s: float, high_s: float) -> None:
    _positive(low_s=low_s, high_s=high_s)
    if low_s >= high_s:
        raise ValueError(f"found a range from {low_s} s to {high_s} s; expected one that is not empty")


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"found {name} = {value}; expected a finite value above 0")
