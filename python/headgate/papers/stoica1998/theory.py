"""Section 2 by itself: the fluid's F, the estimate of a rate, theorem 1, and the label in eight bits."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache

import numpy as np

from ..claims import Result, Runs, listed
from ..formulas.csfq import csfq_accepted_rate, csfq_excess_bound
from ..measure import Floats
from .measures import said
from .statements import claim

#: The values of K that theorem 1 is tried with in whole runs, in ms.
KS = (50, 100, 200, 400)

#: The bursts' rate and the length of a packet, in bit/s and bits.
PEAK, LENGTH = 10e6, 8000.0


def estimated(rate: float, gap: float, bits: float, k: float) -> float:
    """The estimate after a packet (equation 3)."""
    weight = math.exp(-gap / k)
    return (1.0 - weight) * bits / gap + weight * rate


def excess(packets: Iterable[tuple[float, float]], share: float, k: float) -> float:
    """The largest number of bits that a flow gets over any interval beyond `share`, of packets given as (gap in s, bits).

    As in theorem 1 there is no buffer, the share is constant, and a packet counts with the part that its drop probability leaves.
    """
    rate, present, most = 0.0, 0.0, 0.0
    for gap, bits in packets:
        rate = estimated(rate, gap, bits, k)
        present = max(0.0, present - share * gap) + bits * min(1.0, share / rate)
        most = max(most, present)
    return most


def by_lot(packets: Iterable[tuple[float, float]], share: float, k: float, rng: np.random.Generator) -> float:
    """The same where each packet passes as a whole or not at all, by lot."""
    rate, present, most = 0.0, 0.0, 0.0
    for gap, bits in packets:
        rate = estimated(rate, gap, bits, k)
        present = max(0.0, present - share * gap) + bits * float(rng.random() < share / rate)
        most = max(most, present)
    return most


def bursts(rng: np.random.Generator, seconds: float = 20.0) -> list[tuple[float, float]]:
    """Packets of a flow that sends at the line's rate while it is on, as the bursts of the runs."""
    found, now = list[tuple[float, float]](), 0.0
    while now < seconds:
        on, off = rng.exponential(0.1), rng.exponential(1.9)
        gap = LENGTH / PEAK
        found += [(off + gap, LENGTH)] + [(gap, LENGTH)] * int(on / gap)
        now += on + off
    return found


@cache
def without_buffer(k: float, share: float = 1e6, runs: int = 20) -> tuple[Floats, Floats]:
    """What such bursts get beyond a constant share, counted with probabilities and by lot, in several runs."""
    found = []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        packets = bursts(rng)
        found.append((excess(packets, share, k), by_lot(packets, share, k, rng)))
    counted, lots = np.array(found).T
    return counted, lots


def patterns(seed: int, peak: float, k: float, share: float, number: int = 300) -> list[tuple[float, float]]:
    """A random flow that never sends above `peak`: bursts at that rate, idle times, and packets near the share."""
    rng = np.random.default_rng(seed)
    found = []
    for kind, part, bits in zip(
        rng.integers(0, 8, number), rng.random(number), rng.uniform(320, LENGTH, number), strict=True
    ):
        idle = {0: part * 3 * k, 1: part * bits / share}.get(int(kind), 0.0)
        found.append((float(bits / peak + idle), float(bits)))
    return found


#: The share of one of 32 flows on the line, in bit/s.
SHARE = 312_500.0


def random_flows(k: float, number: int = 40) -> list[float]:
    """What random flows get beyond their share, over the bound."""
    bound = csfq_excess_bound(SHARE, PEAK, k, LENGTH)
    return [excess(patterns(seed, PEAK, k, SHARE), SHARE, k) / bound for seed in range(number)]


def burst_from_idle(k: float) -> float:
    """The same of a burst without end, after silence."""
    packets = [(LENGTH / PEAK, LENGTH)] * int(20 * k * PEAK / LENGTH)
    return excess(packets, SHARE, k) / csfq_excess_bound(SHARE, PEAK, k, LENGTH)


def decoded(rate_kbps: float) -> float:
    """A rate as a label of four bits of mantissa and four of exponent has it, in kbit/s (section 2.7).

    >>> decoded(1000.0), decoded(1023.9), decoded(65_535.0)
    (992.0, 992.0, 63488.0)
    """
    exponent = math.floor(math.log2(rate_kbps))
    unit = 2.0**exponent
    return (1 + math.floor((rate_kbps / unit - 1) * 16) / 16) * unit


def measured_excess(runs: Runs, k: int) -> tuple[float, float]:
    """In a whole run: the most bits that the bursts got beyond alpha over any interval, and theorem 1's bound at the mean alpha."""
    variant = f"K {k} ms"
    bits = runs.intervals(variant, "bits", "bursts")
    times, alpha = runs.gauge(variant, "bottleneck", "alpha_bps")
    known = np.where(np.isfinite(alpha), alpha, PEAK)[-bits.size :]
    step = float(times[1] - times[0])
    return kadane(bits - known * step), csfq_excess_bound(float(known.mean()), PEAK, k / 1e3, LENGTH)


def kadane(steps: Floats) -> float:
    """The greatest sum of neighbours.

    >>> kadane(np.array([-1.0, 2.0, 3.0, -4.0, 1.0]))
    5.0
    """
    sums = np.concatenate([[0.0], np.cumsum(steps)])
    return float((sums - np.minimum.accumulate(sums)).max())


@claim("S19")
def _s19(runs: Runs) -> Result:
    del runs
    ratios = [ratio for k in (0.1, 0.25, 0.4) for ratio in random_flows(k)]
    burst = [burst_from_idle(k) for k in (0.1, 0.25, 0.4)]
    holds = max(ratios + burst) <= 1 and min(burst) > 0.9
    return (
        holds,
        f"of the bound: 120 random flows {max(ratios):.2f} or less, bursts from idle {listed(np.array(burst))}",
    )


@claim("S19a")
def _s19_runs(runs: Runs) -> Result:
    found = {f"K {k} ms": measured_excess(runs, k) for k in KS}
    ratios = {name: got / bound for name, (got, bound) in found.items()}
    return max(ratios.values()) <= 1, f"of the bound: {said(ratios)}"


@claim("S19b")
def _s19_lot(runs: Runs) -> Result:
    del runs
    k = 0.05
    bound = csfq_excess_bound(1e6, PEAK, k, LENGTH)
    counted, lots = (found / bound for found in without_buffer(k))
    text = f"of the bound: counted {counted.max():.2f} or less, by lot {lots.mean():.2f} in the mean, {lots.max():.2f} at most"
    return bool(counted.max() <= 1 and lots.mean() > 1), text


@claim("S20")
def _s20(runs: Runs) -> Result:
    del runs
    rng = np.random.default_rng(1)
    good = True
    for _ in range(20):
        rates = rng.uniform(0.1, 10, rng.integers(1, 40))
        grid = np.linspace(0, 12, 1201)
        f = np.array([csfq_accepted_rate(x, rates) for x in grid])
        slopes = np.diff(f) / 0.01
        good &= bool(f[0] == 0 and abs(f[-1] - rates.sum()) < 1e-9 and (slopes >= -1e-9).all())
        # Concave and without jumps: slopes fall from the number of flows, in steps at their rates only.
        good &= bool((np.diff(slopes) <= 1e-6).all() and slopes[0] <= rates.size + 1e-6)
        bends = grid[1:-1][abs(np.diff(slopes)) > 1e-6]
        good &= all(abs(rates - b).min() <= 0.0101 for b in bends)
    return good, "20 random sets of up to 39 flows"


@claim("S21")
def _s21(runs: Runs) -> Result:
    del runs
    rho, k, far = 2e6, 0.1, 0.0
    for seed in range(5):
        sizes = np.random.default_rng(seed).uniform(320, 12_000, 400)
        rate, now = 0.0, 0.0
        for bits in sizes:
            now += bits / rho
            rate = estimated(rate, bits / rho, bits, k)
            far = max(far, abs(rate / (rho - rho * math.exp(-now / k)) - 1))
    return far < 1e-9, f"within {far:.0e} of the closed form, for lengths of 40 to 1500 bytes"


@claim("S24")
def _s24(runs: Runs) -> Result:
    del runs
    rates = np.geomspace(1, 65_535, 20_000)
    off = np.array([x / decoded(x) - 1 for x in rates])
    return bool(off.min() >= 0 and off.max() <= 1 / 16), f"the label is at most {100 * off.max():.2f} % too low"
