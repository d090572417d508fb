"""The fluid model of Core-Stateless Fair Queueing, its estimator and labels, and the errors of estimates (Stoica, Shenker and Zhang 1998).

A line of capacity C serves flow i, which sends at a constant rate r_i and has the weight w_i, at min(r_i, alpha w_i). Rates and
capacities are in one unit, bit/s say; alpha, the fair share, is per unit of weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...analysis.fairness import Floats


def _rates(rates: npt.ArrayLike, weights: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    r = np.asarray(rates, dtype=np.float64)
    w = np.ones(r.size) if weights is None else np.asarray(weights, dtype=np.float64)
    if r.size == 0 or r.size != w.size or (r < 0).any() or (w <= 0).any():
        raise ValueError("expected at least one rate, none below zero, and as many weights above zero")
    return r, w


def csfq_accepted_rate(share: float, rates: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """F(share), what all flows together get if the fair share is `share` (equation 4): sum of min(r, w share).

    >>> csfq_accepted_rate(2.0, [1, 3, 5])
    5.0
    """
    r, w = _rates(rates, weights)
    return float(np.minimum(r, w * share).sum())


def csfq_fair_share(capacity: float, rates: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> float:
    """Alpha (equation 1): F(alpha) = C where more arrives than C, else the largest r / w.

    >>> csfq_fair_share(10, [8, 6, 2]), csfq_fair_share(10, [1, 2])
    (4.0, 2.0)

    Raises:
        ValueError: a capacity that is not above zero, no flows, or a weight that is not above zero.
    """
    r, w = _rates(rates, weights)
    if capacity <= 0:
        raise ValueError(f"capacity {capacity}; expected above 0")
    labels = r / w
    order = np.argsort(labels, kind="stable")
    left, weight = capacity, float(w.sum())
    for i in order:
        # All flows from here on are at or above this label.
        if labels[i] * weight > left:
            return left / weight
        left -= float(r[i])
        weight -= float(w[i])
    return float(labels.max())


def csfq_shares(capacity: float, rates: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
    """What each flow gets on one line: min(r, alpha w), which is max-min fair.

    >>> csfq_shares(10, [8, 8, 8, 8], weights=[1, 2, 4, 8]).round(3).tolist()
    [0.667, 1.333, 2.667, 5.333]
    """
    r, w = _rates(rates, weights)
    return np.minimum(r, w * csfq_fair_share(capacity, r, w))


def csfq_chain(
    capacities: Sequence[float],
    routes: Sequence[Sequence[int]],
    rates: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    relabel: bool = True,
) -> Floats:
    """What each flow gets behind lines in a row, each with labels from the first router of its path.

    Args:
        capacities: of the lines, in the order in which they are crossed.
        routes: of each flow, the numbers of the lines that it crosses.
        rates: sending rates of the flows.
        weights: of the flows; 1 unless given.
        relabel: whether a line rewrites labels above its fair share (equation 7). If not, lines further on take a flow for what it
            was before: a line drops the share 1 - alpha / label of what is left of it.

    Figure 8 of the paper: two flows cross both lines, the third one the second line only.

    >>> csfq_chain([10, 10], [[0, 1], [0, 1], [1]], [10, 10, 10]).round(3).tolist()
    [3.333, 3.333, 3.333]
    >>> csfq_chain([10, 10], [[0, 1], [0, 1], [1]], [10, 10, 10], relabel=False).tolist()
    [2.5, 2.5, 5.0]

    Raises:
        ValueError: no flow, a capacity or a weight that is not above zero, or a route for not every flow.
    """
    sent, w = _rates(rates, weights)
    if len(routes) != sent.size:
        raise ValueError(f"{len(routes)} routes; expected one for each of {sent.size} flows")
    label, rate = sent / w, sent.copy()
    for line, capacity in enumerate(capacities):
        here = np.array([line in route for route in routes])
        if not here.any():
            continue
        # A flow of label L passes the share min(1, alpha / L) of its rate: as one of weight rate / L that sends at its rate.
        moving = here & (rate > 0)
        if not moving.any():
            continue
        as_weight = rate[moving] / label[moving]
        alpha = csfq_fair_share(capacity, rate[moving], as_weight)
        rate[moving] = np.minimum(rate[moving], as_weight * alpha)
        if relabel:
            label[moving] = np.minimum(label[moving], alpha)
    return rate


def csfq_excess_bound(share: float, peak: float, k: float, longest: float, weight: float = 1.0) -> float:
    """Theorem 1 (equation 8): maximum excess in bits of a flow over its share in any interval, r_a K (1 + ln(R / r_a)) + l_max.

    Args:
        share: alpha in bit/s, constant, per unit of weight; r_a = alpha w.
        peak: R, in bit/s: the flow never arrives faster. At most r_a, it has nothing to gain and the bound is that for R = r_a.
        k: K, the time constant of the flow's estimate, in s.
        longest: l_max, in bits.
        weight: w.

    Returns:
        Bits.

    >>> round(csfq_excess_bound(312_500, 10e6, 0.1, 8000), 1)
    147554.2

    Raises:
        ValueError: an argument that is not above zero.
    """
    if min(share, peak, k, longest, weight) <= 0:
        raise ValueError("expected rates, K, the length and the weight above zero")
    own = share * weight
    return own * k * (1 + math.log(max(1.0, peak / own))) + longest


def csfq_labelled_shares(capacity: float, rates: npt.ArrayLike, labels: npt.ArrayLike) -> Floats:
    """What each flow gets on a line that drops by labels, which may be right or wrong.

    A packet passes with probability min(1, alpha / label), alpha such that the line is full. With labels that are the rates this is
    `csfq_shares`. A flow that claims less gets up to all that it sends; the paper does not consider this case.

    >>> csfq_labelled_shares(10, [4, 4, 4, 4], [4, 4, 4, 4]).tolist()
    [2.5, 2.5, 2.5, 2.5]
    >>> csfq_labelled_shares(10, [4, 4, 4, 4], [0.001, 4, 4, 4]).tolist()
    [4.0, 2.0, 2.0, 2.0]

    Raises:
        ValueError: a capacity or a label that is not above zero, no flow, or a label for not every flow.
    """
    sent, claimed = _rates(rates, labels)
    # A flow of rate r and label L is served as one of weight r / L that sends at its rate: min(r, alpha r / L).
    moving = sent > 0
    got = np.zeros_like(sent)
    if moving.any():
        got[moving] = csfq_shares(capacity, sent[moving], sent[moving] / claimed[moving])
    return got


def csfq_rate_estimates(times: npt.ArrayLike, lengths: npt.ArrayLike, k: float, first: str = "l/K") -> Floats:
    """The edge's estimate of a flow's rate after each packet (equation 3): (1 - exp(-T / K)) l / T + exp(-T / K) of the one before.

    Args:
        times: of the arrivals in s, in order. Packets at one instant count together with the next later one.
        lengths: in bits.
        k: K in s.
        first: the estimate after the first packet: `"l/K"`, the limit of the formula for T = 0 from a rate of 0, or `"0"`.

    Returns:
        Bit/s, as many as packets.

    If every packet has the same l / T, whatever its length, the estimate is rho + (r(0) - rho) exp(-t / K):

    >>> csfq_rate_estimates([0, 1, 3, 4], [100, 100, 200, 100], k=2.0).round(3).tolist()
    [50.0, 69.673, 88.843, 93.233]

    Raises:
        ValueError: times that are not in order, other numbers of lengths than of times, a K that is not above zero, or another `first`.
    """
    t, bits = np.asarray(times, dtype=np.float64), np.asarray(lengths, dtype=np.float64)
    if t.ndim != 1 or t.shape != bits.shape or (np.diff(t) < 0).any() or (bits <= 0).any() or k <= 0:
        raise ValueError("expected as many times as lengths, times that do not fall, lengths and K above zero")
    if first not in ("l/K", "0"):
        raise ValueError(f"first packet {first!r}; expected 'l/K' or '0'")
    estimates = np.empty_like(t)
    rate, pending = 0.0, 0.0
    for i, length in enumerate(bits):
        gap = t[i] - t[i - 1] if i else 0.0
        if i == 0:
            rate = length / k if first == "l/K" else 0.0
        elif gap > 0:
            rate = -math.expm1(-gap / k) * (pending + length) / gap + math.exp(-gap / k) * rate
            pending = 0.0
        else:
            pending += length
        estimates[i] = rate
    return estimates


def csfq_greatest_excess(times: npt.ArrayLike, bits: npt.ArrayLike, rate: float) -> float:
    """Maximum number of bits that were served in any interval beyond `rate` times its length, which Theorem 1 bounds.

    Args:
        times: of the departures in s, in order.
        bits: served at each of them.
        rate: r_a, in bit/s.

    Returns:
        Bits; the interval may hold one departure alone, and 0 is the answer without any.

    >>> csfq_greatest_excess([0, 1, 2, 9], [10, 10, 10, 10], rate=4)
    22.0

    Raises:
        ValueError: not as many times as bits, times that fall, or a rate below zero.
    """
    t, served = np.asarray(times, dtype=np.float64), np.asarray(bits, dtype=np.float64)
    if t.ndim != 1 or t.shape != served.shape or (np.diff(t) < 0).any() or rate < 0:
        raise ValueError("expected as many times as bits, times that do not fall, and no rate below zero")
    if t.size == 0:
        return 0.0
    # From each departure i to each j: (total up to j - rate t_j) - (total before i - rate t_i), the greatest of all (Kadane).
    total = np.cumsum(served)
    after, before = total - rate * t, total - served - rate * t
    return float((after - np.minimum.accumulate(before)).max())


def csfq_burst_excess(share: float, peak: float, k: float) -> float:
    """Bits beyond its share that a flow gets in the fluid model which was idle for long and then always sends at its peak rate.

    Until its estimate has reached r_a all is forwarded, then the part r_a / estimate: (R - r_a) K ln(R / (R - r_a)) + r_a K ln(R / r_a).
    The first term is at most r_a K, which gives Theorem 1 without its packet.

    Args:
        share: r_a in bit/s.
        peak: R in bit/s, above r_a.
        k: K in s.

    >>> round(csfq_burst_excess(312_500, 10e6, 0.1), 1)
    139060.8

    Raises:
        ValueError: a share or K that is not above zero, or a peak that is not above the share.
    """
    if share <= 0 or k <= 0 or peak <= share:
        raise ValueError("expected a share and K above zero, and a peak above the share")
    return (peak - share) * k * math.log(peak / (peak - share)) + share * k * math.log(peak / share)


def csfq_lottery_deviation(share: float, rate: float, time: float, length: float) -> float:
    """Standard deviation, over the mean, of what a flow above its share gets in a time when each packet is dropped independently.

    Of n = rate time / length packets each passes with probability p = share / rate: sqrt((1 - p) / (n p)).

    Args:
        share: in bit/s; a flow that sends no more loses nothing.
        rate: at which it sends.
        time: in s.
        length: of a packet in bits.

    Figure 3a of the paper: the flow at twice its share, over 10 s.

    >>> round(csfq_lottery_deviation(312_500, 625_000, 10, 8000), 5)
    0.03578

    Raises:
        ValueError: an argument that is not above zero.
    """
    if min(share, rate, time, length) <= 0:
        raise ValueError("expected rates, time and length above zero")
    return math.sqrt(max(0.0, 1.0 - share / rate) * length / (share * time))


def csfq_label_encode(rate: float) -> int:
    """The 8 bits of a label (section 2.7): 4 of exponent e and 4 of mantissa m for (1 + m / 16) 2^e kbit/s, rounded down.

    Args:
        rate: in bit/s. Below 1 kbit/s the code is 0, above 63.488 Mbit/s it is 255; the paper leaves both open.

    >>> csfq_label_encode(1_000_000), csfq_label_encode(0), csfq_label_encode(1e9)
    (159, 0, 255)

    Raises:
        ValueError: a rate below zero, or none.
    """
    if not rate >= 0:
        raise ValueError(f"rate {rate}; expected one of at least 0")
    kbps = rate / 1000
    if kbps < 1:
        return 0
    if kbps >= 65536:
        return 255
    fraction, exponent = math.frexp(kbps)
    return 16 * (exponent - 1) + int((2 * fraction - 1) * 16)


def csfq_label_decode(code: int) -> float:
    """The rate in bit/s that a label of 8 bits stands for. The rate before rounding is above it by less than a sixteenth.

    >>> csfq_label_decode(159), csfq_label_decode(255)
    (992000.0, 63488000.0)

    Raises:
        ValueError: a number that is no code from 0 to 255.
    """
    if not 0 <= code <= 255:
        raise ValueError(f"code {code}; expected 0 to 255")
    exponent, mantissa = divmod(code, 16)
    return (1 + mantissa / 16) * 2.0**exponent * 1000
