"""Closed forms of congestion control: theoretical windows, rates and queues for a loss rate, a path or a threshold.

Windows and queues are in packets, times in seconds, rates in packets a second; a loss rate is the share of the packets sent that is lost.

Sources: Mathis, Semke, Mahdavi and Ott 1997 (the law of the inverse square root); Padhye, Firoiu, Towsley and Kurose 1998, equation 30
(PFTK's approximation), and 2000 (IEEE/ACM Transactions on Networking 8(2)), equation 32 (the whole of it); RFC 9438, section 5.1 (CUBIC);
Alizadeh et al. 2010, section 3.3 (DCTCP); Brakmo and Peterson 1995 (Vegas).
"""

from __future__ import annotations

import math

#: CUBIC's constants (RFC 9438, section 4.6): the curve's scale in packets per cubic second, and the share of a window that a loss leaves.
CUBIC_C = 0.4
CUBIC_BETA = 0.7

#: Reno's mean window times the square root of the loss rate, as RFC 9438 rounds it for its tables.
RENO = 1.2


def mathis_window(loss: float, per_ack: int = 1) -> float:
    """Mean window of a source that adds a packet a round trip and halves at each loss: sqrt(3 / (2 b p)), b packets to an acknowledgement.

    It knows neither timeouts nor a bound of the window, and holds below about 1 % loss.

    >>> round(mathis_window(0.001), 2), round(mathis_window(0.001, per_ack=2), 2)
    (38.73, 27.39)

    Raises:
        ValueError: a loss rate that is not above 0 and at most 1, or less than one packet to an acknowledgement.
    """
    _loss(loss)
    _at_least("per_ack", per_ack, 1)
    return math.sqrt(1.5 / (per_ack * loss))


def pftk_rate(loss: float, rtt: float, timeout: float, per_ack: int = 1, most: float = math.inf) -> float:
    """Rate of Reno with its timeouts, in packets a second (PFTK's approximation): what is sent, lost packets included.

    Args:
        loss: loss rate of a source whose losses occur in bursts: after the first loss in a window the rest of the window is lost too.
        rtt: mean round trip.
        timeout: the first timeout, before it backs off.
        per_ack: packets to an acknowledgement.
        most: the receiver's window, the maximum.

    With 2 % loss, a round trip of 0.1 s and a timeout of 0.4 s the mean window is 7.32 packets:

    >>> round(0.1 * pftk_rate(0.02, 0.1, 0.4), 2)
    7.32
    >>> pftk_rate(0.0001, 0.1, 0.4, most=20)
    200.0

    Raises:
        ValueError: an argument outside of its range.
    """
    _loss(loss)
    _above_0("rtt", rtt)
    _above_0("timeout", timeout)
    _at_least("per_ack", per_ack, 1)
    _at_least("most", most, 1)
    repair = rtt * math.sqrt(2 * per_ack * loss / 3)
    wait = timeout * min(1.0, 3 * math.sqrt(3 * per_ack * loss / 8)) * loss * (1 + 32 * loss**2)
    return min(most / rtt, 1 / (repair + wait))


def pftk_full_rate(loss: float, rtt: float, timeout: float, per_ack: int = 1, most: float = math.inf) -> float:
    """Rate of Reno with its timeouts, in packets a second, by PFTK's whole model: what is sent, lost packets included.

    Arguments are those of `pftk_rate`, which approximates it: within 4 % for losses up to 5 %, if an acknowledgement is for one packet and
    a timeout is four round trips. Above that the approximation is too low: at 20 % loss it gives half of this or less.

    >>> round(pftk_full_rate(0.2, 0.1, 1.0, per_ack=2), 2), round(pftk_rate(0.2, 0.1, 1.0, per_ack=2), 2)
    (4.04, 1.97)

    Raises:
        ValueError: an argument outside of its range.
    """
    _loss(loss)
    _above_0("rtt", rtt)
    _above_0("timeout", timeout)
    _at_least("per_ack", per_ack, 1)
    _at_least("most", most, 1)
    arrives = 1 - loss
    if arrives == 0:
        return 1 / (64 * timeout)
    # Equation 13: the mean window when a loss occurs, if nothing bounds it.
    shift = (2 + per_ack) / (3 * per_ack)
    window = shift + math.sqrt(8 * arrives / (3 * per_ack * loss) + shift**2)
    if window < most:
        growing = per_ack / 2 * window + 1
    else:
        window = most
        growing = per_ack / 8 * window + arrives / (loss * window) + 2
    # Equation 24: the share of losses that end in a timeout. Of fewer than three packets all do.
    timed_out = 1.0
    if window > 3:
        first, others = _any_lost(loss, 3), _any_lost(loss, window - 3)
        timed_out = min(1.0, first * (1 + arrives**3 * others) / _any_lost(loss, window))
    # Equation 28: the mean length of a sequence of timeouts, each twice as long as the one before it up to the 64th part.
    backing_off = timeout * (1 + sum(2.0**k * loss ** (k + 1) for k in range(6)))
    sent = arrives / loss + window + timed_out / arrives
    return sent / (rtt * growing + timed_out * backing_off / arrives)


def _any_lost(loss: float, packets: float) -> float:
    """Probability that one of these packets or more are lost, exact where the loss rate is small."""
    return -math.expm1(packets * math.log1p(-loss))


def sawtooth_peak(loss: float) -> float:
    """Window at which each loss occurs, if one packet in 1 / p is lost and a loss halves the window: sqrt(8 / (3 p)).

    >>> round(sawtooth_peak(0.001), 2)
    51.64

    Raises:
        ValueError: a loss rate that is not above 0 and at most 1.
    """
    _loss(loss)
    return math.sqrt(8 / (3 * loss))


def sawtooth_mean(peak: float, beta: float = 0.5) -> float:
    """Mean window of a sawtooth over its round trips: halfway between the peak and what a loss leaves of it.

    Three quarters of the peak where that is a half; the mean over packets sent is greater, since more are sent at the top.

    >>> sawtooth_mean(40), round(sawtooth_mean(sawtooth_peak(0.001)), 2)
    (30.0, 38.73)

    Raises:
        ValueError: a peak that is not above 0, or a `beta` that is not above 0 and below 1.
    """
    _above_0("peak", peak)
    _share("beta", beta)
    return peak * (1 + beta) / 2


def slow_start_time(window: float, rtt: float, initial: float = 10, growth: float = 2.0) -> float:
    """Time in which slow start brings a window to a size, in seconds: growth by a factor in each round trip.

    Args:
        window: the size.
        rtt: the round trip, without the queue that the source itself fills.
        initial: the window at the start.
        growth: 2 where packets that are acknowledged count; 1.5 where acknowledgements count and each is for two packets.

    >>> round(slow_start_time(160, 0.1), 3)
    0.4
    >>> round(slow_start_time(160, 0.1, growth=1.5), 3)
    0.684

    Raises:
        ValueError: an argument outside of its range.
    """
    _above_0("initial", initial)
    _at_least("window", window, initial)
    _above_0("rtt", rtt)
    if not 1 < growth < math.inf:
        raise ValueError(f"growth {growth}; expected above 1")
    return rtt * math.log(window / initial) / math.log(growth)


def cubic_window(loss: float, rtt: float, c: float = CUBIC_C, beta: float = CUBIC_BETA) -> float:
    """Mean window of CUBIC alone, without its Reno-friendly region: (C (3 + beta) / (4 (1 - beta)))^(1/4) (RTT / p)^(3/4).

    It assumes that each loss occurs at the plateau. With losses spread evenly a source is within 12 % of it, or up to 25 % above it without
    fast convergence.

    >>> round(cubic_window(1e-5, 0.1), 1)
    1053.8

    Raises:
        ValueError: an argument outside of its range.
    """
    _loss(loss)
    _above_0("rtt", rtt)
    _above_0("c", c)
    _share("beta", beta)
    return float((c * (3 + beta) / (4 * (1 - beta))) ** 0.25 * (rtt / loss) ** 0.75)


def cubic_or_reno_window(loss: float, rtt: float) -> float:
    """Mean window of CUBIC with its Reno-friendly region: the greater one of CUBIC's and Reno's, as RFC 9438 has it in its tables.

    >>> round(cubic_or_reno_window(1e-4, 0.1), 1), round(cubic_or_reno_window(1e-4, 0.01), 1)
    (187.4, 120.0)

    Raises:
        ValueError: a loss rate that is not above 0 and at most 1, or a round trip that is not above 0.
    """
    return max(cubic_window(loss, rtt), RENO / math.sqrt(loss))


def cubic_crossover(rtt: float) -> float:
    """Loss rate below which CUBIC's window is above Reno's; it is proportional to the inverse cube of the round trip.

    >>> f"{cubic_crossover(0.1):.2e}"
    '5.95e-04'

    Raises:
        ValueError: a round trip that is not above 0.
    """
    return (cubic_window(1, rtt) / RENO) ** 4


def cubic_plateau_time(plateau: float, window: float, c: float = CUBIC_C) -> float:
    """Time K in which CUBIC's curve returns from a window to its plateau, in seconds: the cube root of their difference over C.

    >>> round(cubic_plateau_time(100, 70), 3)
    4.217

    Raises:
        ValueError: a window above the plateau, or C not above 0.
    """
    _above_0("c", c)
    _at_least("plateau", plateau, window)
    return math.cbrt((plateau - window) / c)


def dctcp_alpha(window: float) -> float:
    """DCTCP's share of marked packets in equilibrium, for one mark a period and a window at which marks begin.

    The solution of alpha^2 (1 - alpha / 4) = (2 W + 1) / (W + 1)^2; for large windows sqrt(2 / W).

    >>> round(dctcp_alpha(20), 4), round(dctcp_alpha(700), 4)
    (0.3178, 0.0538)

    Raises:
        ValueError: a window below 3, where there is none below 1.
    """
    _at_least("window", window, 3)
    due = (2 * window + 1) / (window + 1) ** 2
    low, high = 0.0, 1.0
    # The left side rises from 0 to 3/4.
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**2 * (1 - middle / 4) < due else (low, middle)
    return (low + high) / 2


def dctcp_queue(path: float, threshold: float, flows: int = 1) -> tuple[float, float]:
    """Least and greatest queue of DCTCP flows in step, at a gateway that marks above a threshold: the law of the square root.

    The greatest is K + N, and the amplitude sqrt(2 N (path + K)) / 2. It assumes that alpha is constant over a period, which needs a gain g
    below 1.386 / sqrt(2 (path + K)); the usual 1/16 is below that for path + K up to some 250 packets.

    >>> [round(q, 1) for q in dctcp_queue(path=100, threshold=65)]
    [56.9, 66.0]

    Raises:
        ValueError: an argument outside of its range.
    """
    _at_least("path", path, 0)
    _above_0("threshold", threshold)
    _at_least("flows", flows, 1)
    most = float(threshold + flows)
    return most - math.sqrt(2 * flows * (path + threshold)) / 2, most


def vegas_queue(alpha: float, beta: float, flows: int = 1, path: float = math.inf) -> tuple[float, float]:
    """Least and greatest queue of Vegas flows in equilibrium, all together: each has alpha to beta packets in it.

    With `path`, the packets that the path holds without a queue, it is Linux's rule, which takes the difference of the rates times the
    round trip with the queue: each flow's q solves q (1 + N q / path) = alpha or beta.

    >>> vegas_queue(1, 3, flows=4)
    (4.0, 12.0)
    >>> [round(q, 3) for q in vegas_queue(2, 4, path=50)]
    [1.926, 3.723]

    Raises:
        ValueError: an argument outside of its range.
    """
    _above_0("alpha", alpha)
    _at_least("beta", beta, alpha)
    _at_least("flows", flows, 1)
    _above_0("path", path)

    def total(packets: float) -> float:
        ratio = 4 * flows * packets / path
        # The root of N q^2 / path + q = packets, times N, in the form that loses nothing where the ratio is small.
        return flows * 2 * packets / (1 + math.sqrt(1 + ratio))

    return total(alpha), total(beta)


def _loss(loss: float) -> None:
    if not 0 < loss <= 1:
        raise ValueError(f"loss {loss}; expected above 0 and at most 1")


def _above_0(name: str, value: float) -> None:
    if not value > 0:
        raise ValueError(f"{name} {value}; expected above 0")


def _at_least(name: str, value: float, least: float) -> None:
    if not value >= least:
        raise ValueError(f"{name} {value}; expected at least {least}")


def _share(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name} {value}; expected above 0 and below 1")
