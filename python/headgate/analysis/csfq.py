"""The fluid model of Core-Stateless Fair Queueing, and what its estimates may cost (Stoica, Shenker and Zhang 1998).

A line of capacity C serves flow i, which sends at a constant rate r_i and has the weight w_i, at min(r_i, alpha w_i). Rates and
capacities are in one unit, bit/s say; alpha, the fair share, is per unit of weight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from .fairness import Floats


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
        # Everybody from here on is at or above this label.
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
    """What each flow gets behind lines in a row, each with labels from the first router of its way.

    Args:
        capacities: of the lines, in the order in which they are crossed.
        routes: of each flow, the numbers of the lines that it crosses.
        rates: that the flows send at.
        weights: of the flows; 1 unless given.
        relabel: whether a line rewrites labels above its fair share (equation 7). If not, lines further on take a flow for what it once
            was: a line drops the share 1 - alpha / label of what is left of it.

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
    """Theorem 1 (equation 8): most bits that a flow gets in any interval beyond its share of it, r_a K (1 + ln(R / r_a)) + l_max.

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
