"""Readings of ours where the thesis contradicts itself: what it prints decides between two."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from .statements import claim

LOW = "PP/FQ set-point 2"


@claim("R1")
def _r1(runs: Runs) -> Result:
    five, two = (runs.of(p, "delay", "1", "2") for p in ("PP/FQ", LOW))
    estimates = [float(runs.trace("PP/FQ", "round_trip", s)[1][-1]) for s in ("1", "2")]
    more = float(np.sign(estimates[1] - estimates[0]))
    holds = 0.15 <= more * (five[1] - five[0]) <= 0.35 and 0.03 <= more * (two[1] - two[0]) <= 0.10
    return (
        holds,
        f"R {listed(np.array(estimates), 4)} s; source 2 waits {five[1] - five[0]:+.3f} s and {two[1] - two[0]:+.3f} s",
    )


@claim("R2")
def _r2(runs: Runs) -> Result:
    def fits(suffix: str) -> tuple[bool, str]:
        dec, delay = (float(runs.of(f"DEC/DEC{suffix}", m, "2")[0]) for m in ("throughput", "delay"))
        jk = float(runs.of(f"JK/FQ{suffix}", "delay", "2")[0])
        good = abs(dec - 0.03) < 0.005 and abs(delay - 12.32) <= 0.15 and abs(jk - 36.88) <= 1
        return good, f"{dec:.3f}, {delay:.2f} s, {jk:.2f} s"

    (long, first), (short, second) = fits(""), fits(" 24 s")
    return long and not short, f"36 s: {first}; 24 s: {second}"
