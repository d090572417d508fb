"""Scenario 2: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed, spread
from ..statements import claim
from .names import FTPS, TELNETS


@claim("K2a")
def _k2a(runs: Runs) -> Result:
    got, telnet = (runs.of("G/FCFS", "throughput", *who) for who in (FTPS, TELNETS))
    sd = float(runs.sd("G/FCFS", "throughput", *FTPS).max())
    holds = spread(got) > 3 and bool(np.median(telnet) < 0.1) and sd > 0.3
    return holds, f"{listed(got)}, Telnets {listed(telnet, 3)} packets/s, largest sd {sd:.2f}"


@claim("K2b")
def _k2b(runs: Runs) -> Result:
    got, drops = runs.of("G/FCFS", "throughput", *FTPS), runs.of("G/FCFS", "drop_rate", *FTPS)
    share = float(drops[np.argsort(got)[-2:]].sum() / drops.sum()) if drops.sum() > 0 else 1.0
    return share < 0.1, f"{100 * share:.1f} % of {drops.sum():.3f} drops/s"


@claim("K2c")
def _k2c(runs: Runs) -> Result:
    got, delay = runs.of("G/FQ", "throughput", *FTPS), runs.of("G/FQ", "delay", *TELNETS)
    ratio, total = spread(got), float(got.sum())
    holds = ratio < 2 and 9.0 <= total <= 9.8 and bool((abs(delay - 0.06) < 0.01).all())
    return holds, f"ratio {ratio:.2f}, total {total:.2f} packets/s, Telnets {listed(delay, 3)} s"


@claim("K2d")
def _k2d(runs: Runs) -> Result:
    delay, flow = runs.sd("JK/FCFS", "delay", *FTPS), runs.sd("JK/FCFS", "throughput", *FTPS)
    telnet = runs.of("JK/FCFS", "throughput", *TELNETS)
    holds = bool((delay < 0.15).all()) and float(flow.max()) > 0.3 and bool((telnet < 0.1).all())
    return holds, f"delay sd {ends(delay)}, throughput sd {ends(flow)}, Telnets {listed(telnet)} packets/s"


@claim("K2e")
def _k2e(runs: Runs) -> Result:
    got = runs.of("JK/FQ", "throughput", *FTPS)
    return bool((abs(got - 1.60) <= 0.05).all()), f"{ends(got, 3)} packets/s"


@claim("K2f")
def _k2f(runs: Runs) -> Result:
    got, delay = runs.of("DEC/DEC", "throughput", *FTPS), runs.of("DEC/DEC", "delay", *FTPS)
    lost = float(runs.of("DEC/DEC", "drop_rate", *FTPS).sum())
    holds = bool((abs(got - 1.66) <= 0.01).all() and (abs(delay - 0.6) <= 0.01).all()) and lost == 0
    return holds, f"{ends(got, 3)} packets/s, {ends(delay, 3)} s, {lost:g} drops/s"


@claim("K2g")
def _k2g(runs: Runs) -> Result:
    ratio = float(runs.of("DEC/DEC", "delay", *TELNETS).mean() / runs.of("DEC/FQbit", "delay", *TELNETS).mean())
    ftp, got = runs.of("DEC/FQbit", "delay", *FTPS), runs.of("DEC/FQbit", "throughput", *FTPS)
    holds = ratio > 8 and bool(((ftp >= 1.0) & (ftp <= 1.2)).all() and (abs(got - 1.66) <= 0.01).all())
    return holds, f"ratio {ratio:.1f}, FTP {ends(ftp, 3)} s, {ends(got, 3)} packets/s"


@claim("K2h")
def _k2h(runs: Runs) -> Result:
    got, delay = runs.of("PP/FQ", "throughput", *FTPS), runs.of("PP/FQ", "delay", *FTPS)
    lost = float(runs.of("PP/FQ", "drop_rate", *FTPS).sum())
    holds = bool((abs(got - 1.66) <= 0.01).all()) and spread(delay) <= 1.05 and lost == 0
    return holds, f"{ends(got, 3)} packets/s, {ends(delay, 3)} s, {lost:.3f} drops/s"


@claim("C5-19")
def _c5_19(runs: Runs) -> Result:
    means = np.array([_mean_service(runs, "PP/FQ", s) for s in FTPS])
    return bool((abs(means - 0.6) <= 0.03).all()), f"{listed(means, 3)} s on average"


def _mean_service(runs: Runs, variant: str, source: str) -> float:
    """Mean over time of the estimated service time, from the first interval's end on."""
    times, rate = runs.trace(variant, "service_rate", source)
    inside = times >= 300
    held = np.diff(np.append(times[inside], runs.end))
    return float((held / rate[inside]).sum() / held.sum())
