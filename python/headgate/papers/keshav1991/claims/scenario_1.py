"""Scenario 1: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed
from ..statements import claim
from .names import SEVEN, SIX

LOW = "PP/FQ set-point 2"


@claim("K1a")
def _k1a(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "1", "2") for p in SEVEN])
    lost = [
        sum(float(runs.of(p, m, *sources).sum()) for p in SEVEN for m in ("drop_rate", "retransmission_rate"))
        for sources in (("1", "2"), ("3", "4"))
    ]
    text = (
        f"{ends(got, 3)} packets/s; drops and retransmissions of all pairs: FTPs {lost[0]:g}/s, Telnets {lost[1]:.3f}/s"
    )
    return bool((abs(got - 4.99) <= 0.02).all()) and sum(lost) == 0, text


@claim("K1b")
def _k1b(runs: Runs) -> Result:
    telnet = [float(runs.of(p, "delay", "3", "4").mean()) for p in ("G/FCFS", "G/FQ")]
    ftp = [float(runs.of(p, "delay", "1", "2").mean()) for p in ("G/FCFS", "G/FQ")]
    holds = telnet[0] / telnet[1] > 12 and abs(ftp[1] / ftp[0] - 1) < 0.02
    return holds, f"Telnet {telnet[0]:.3f} to {telnet[1]:.3f} s, FTP {ftp[0]:.3f} to {ftp[1]:.3f} s"


@claim("K1c")
def _k1c(runs: Runs) -> Result:
    got = runs.of("DEC/DEC", "delay", "3", "4")
    return bool((abs(got - 0.14) <= 0.015).all()), f"{listed(got, 3)} s"


@claim("K1d")
def _k1d(runs: Runs) -> Result:
    five, two = (runs.of(p, "delay", "1", "2") for p in ("PP/FQ", LOW))
    others = max(float(runs.of(p, "delay", "1", "2").max()) for p in SIX)
    holds = bool((five > 1.1).all() and (two < 0.9).all() and five.min() > others)
    return holds, f"set-point 5: {listed(five, 3)} s, 2: {listed(two, 3)} s, the others at most {others:.3f} s"


@claim("C5-18")
def _c5_18(runs: Runs) -> Result:
    five, two = (runs.of(p, "delay", "1", "2") for p in ("PP/FQ", LOW))
    rates = np.array([runs.of(p, "throughput", "1", "2") for p in ("PP/FQ", LOW)])
    in_range = two.min() > 0.9 * 0.72 and two.max() < 1.1 * 0.85 and five.min() > 0.9 * 1.20 and five.max() < 1.1 * 1.48
    return bool(
        in_range and (abs(rates - 4.99) <= 0.01).all()
    ), f"{listed(two, 3)} against {listed(five, 3)} s; {ends(rates, 3)} packets/s"


@claim("E5-24")
def _e5_24(runs: Runs) -> Result:
    # In the thesis it is source 2 that overestimates R; with other starts it is the one whose first packet waited longer.
    found, holds = [], True
    for p in ("PP/FQ", LOW):
        delay = runs.of(p, "delay", "1", "2")
        r = np.array([runs.trace(p, "round_trip", s)[1][-1] for s in ("1", "2")])
        over = int(r[1] >= r[0])
        holds = holds and bool(r[over] > r[1 - over] and delay[over] < delay[1 - over])
        found.append(f"{p}: R {listed(r, 3)} s, delays {listed(delay, 3)} s")
    return holds, "; ".join(found)
