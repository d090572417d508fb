"""What the lines of `claims.toml` measure beside throughputs, and the claim that is none: throughputs as parts of the line's rate."""

from __future__ import annotations

import numpy as np

from ..claims import Claims, Result, Runs
from ..formulas.shrew import shrew_randomized, shrew_throughput

CLAIMS = Claims(__file__)
claim = CLAIMS.claim

#: Mbit/s of the line of most figures.
LINE = 1.5

#: Periods in s of figures 4, 6, 12 and 15, and 17.
FIGURE_4 = (0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.8, 0.9, 1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0)
FIGURE_12 = (0.5, 1.0, 1.1, 1.2, 1.5, 2.0)
FIGURE_17 = (0.8, 1.0, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0)

#: The minimum timeouts that stand for one drawn between a and b.
LOW, HIGH = 1.0, 1.2
TIMEOUTS = (1.02, 1.06, 1.1, 1.14, 1.18)

#: Kinds of TCP, and round trips in ms of the connections of figure 7.
KINDS = ("Reno", "New Reno", "Tahoe", "Sack")
ROUND_TRIPS = 20 + 440 * np.arange(20) / 19


def part(runs: Runs, variant: str) -> float:
    """What the one TCP connection gets."""
    return float(runs.of(variant, "throughput", "tcp1")[0] / LINE)


def _off(as_printed: bool) -> float:
    """How far the equations are from the mean of equation (2), at most, over periods from 0.2 to 3 s."""
    timeouts = LOW + (HIGH - LOW) * (np.arange(4000) + 0.5) / 4000
    found = []
    for t in np.arange(0.205, 3.0, 0.01):
        outage = np.ceil(timeouts / t) * t
        found.append(abs(((outage - timeouts) / outage).mean() - shrew_randomized(t, LOW, HIGH, as_printed=as_printed)))
    return float(max(found))


@CLAIMS.measure("distance of the equations")
def _distance(_runs: Runs, reading: str) -> float:
    return _off(as_printed=reading == "as printed")


@CLAIMS.measure("equation 2")
def _equation_2(_runs: Runs, period: str) -> float:
    return shrew_throughput(float(period))


@CLAIMS.measure("equations 4 to 7")
def _equations_4_to_7(_runs: Runs, period: str) -> float:
    return shrew_randomized(float(period), LOW, HIGH)


@claim("K4")
def _k4(runs: Runs) -> Result:
    found = [(t, part(runs, f"{t:g}"), shrew_throughput(t)) for t in FIGURE_4 if t >= 1.01]
    above = [f"{got:.3f} at {t:g} s for {said:.3f}" for t, got, said in found if got > said]
    return not above, f"above it: {', '.join(above) or 'nowhere'}"
