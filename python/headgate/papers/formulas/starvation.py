"""Equilibria of congestion controls that keep the delay small, and how far an error in measuring the delay moves them.

Source: Arun, Alizadeh and Balakrishnan 2022, "Starvation in End-to-End Congestion Control": sections 2.2, 4.1, 5.1 and 5.2. Rates are in
bit/s, windows and queues in bits, and times in seconds.
"""

from __future__ import annotations

import math


def queue_delay(queued_bits: float, rate_bps: float) -> float:
    """How long a fixed queue of `queued_bits` takes on a line, in seconds: alpha / C, which Vegas, FAST and Copa hold (section 4.1).

    >>> queue_delay(4 * 1500 * 8, 96e6)
    0.0005

    Raises:
        ValueError: a value is not positive.
    """
    _positive(queued_bits=queued_bits, rate_bps=rate_bps)
    return queued_bits / rate_bps


def rate_of_delay(queued_bits: float, delay_s: float) -> float:
    """The rate in bit/s at which such a control sends that measures a queueing delay: alpha / delay.

    Raises:
        ValueError: a value is not positive.
    """
    _positive(queued_bits=queued_bits, delay_s=delay_s)
    return queued_bits / delay_s


def rate_with_error(queued_bits: float, rate_bps: float, error_s: float) -> float:
    """The rate of a single flow that takes `error_s` more for queueing than there is: alpha / error, and at most that of the line.

    The flow believes that its alpha bits wait for error + queueing. On a line that it does not fill nothing waits.

    >>> rate_with_error(2 * 1500 * 8, 120e6, 0.001) / 1e6
    24.0

    Raises:
        ValueError: a size or a rate is not positive, or the error is negative.
    """
    _positive(queued_bits=queued_bits, rate_bps=rate_bps)
    if not (error_s >= 0 and math.isfinite(error_s)):
        raise ValueError(f"found an error of {error_s} s; expected a finite time of 0 s or more")
    return rate_bps if error_s == 0 else min(rate_bps, queued_bits / error_s)


def shared_with_error(queued_bits: float, rate_bps: float, error_s: float) -> tuple[float, float]:
    """The rates of two such flows on a full line, of which the first one takes `error_s` more for queueing than there is.

    With a queueing delay d the first sends alpha / (d + error) and the second alpha / d, together the line's rate C,
    so that d is the positive root of C d^2 + (C error - 2 alpha) d - alpha error = 0.

    >>> [round(r / 1e6, 1) for r in shared_with_error(2 * 1500 * 8, 120e6, 0.001)]
    [19.4, 100.6]

    Raises:
        ValueError: as `rate_with_error`.
    """
    rate_with_error(queued_bits, rate_bps, error_s)
    half = (rate_bps * error_s - 2 * queued_bits) / 2
    delay = (-half + math.sqrt(half * half + rate_bps * queued_bits * error_s)) / rate_bps
    return queued_bits / (delay + error_s), queued_bits / delay


def bbr_rates(rate_bps: float, rtts_s: tuple[float, float], quanta_bits: float) -> tuple[float, float]:
    """The rates in bit/s of two BBR flows that their windows limit, with round trips R1 and R2 without queueing, on one line.

    A flow's rate is alpha / (D - 2 R) with its own round trip D = R + q (section 5.2), q being the common queueing delay,
    so that it is alpha / (q - R). The flow with the shorter round trip is one that takes ``|R1 - R2|`` more for queueing than
    the other one does: `shared_with_error`.

    >>> [round(r / 1e6, 1) for r in bbr_rates(120e6, (0.04, 0.08), 30 * 1500 * 8)]
    [8.3, 111.7]

    Raises:
        ValueError: a value is not positive.
    """
    _positive(rate_bps=rate_bps, quanta_bits=quanta_bits, first=rtts_s[0], second=rtts_s[1])
    less, more = shared_with_error(quanta_bits, rate_bps, abs(rtts_s[0] - rtts_s[1]))
    return (less, more) if rtts_s[0] <= rtts_s[1] else (more, less)


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not (value > 0 and math.isfinite(value)):
            raise ValueError(f"found {name} = {value}; expected a finite value above 0")
