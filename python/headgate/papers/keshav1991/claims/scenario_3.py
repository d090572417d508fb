"""Scenario 3: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import math

import numpy as np

from ...claims import Result, Runs, ends, listed
from ..rates import reaches
from ..statements import claim
from .names import OFF, ON


@claim("K3a")
def _k3a(runs: Runs) -> Result:
    ftp = runs.of("G/FCFS", "throughput", "1", "2", span=ON)
    other = runs.of("G/FCFS", "throughput", "background", span=ON)[0]
    return bool((ftp > 4.7).all() and other < 0.5), f"FTP {listed(ftp)}, background {other:.2f} packets/s"


@claim("K3b")
def _k3b(runs: Runs) -> Result:
    got = runs.of("G/FQ", "throughput", "1", "2", "background", span=ON)
    return bool(got[2] > 4 and got[:2].min() < 2), f"{listed(got)} packets/s"


@claim("K3c")
def _k3c(runs: Runs) -> Result:
    got = runs.of("JK/FCFS", "throughput", "1", "2", "background", span=ON)
    holds = got[2] > 4.5 and (got[:2] > 1.8).all() and (got[:2] < 2.8).all()
    return bool(holds), f"{listed(got)} packets/s"


@claim("K3d")
def _k3d(runs: Runs) -> Result:
    got = {p: runs.of(p, "throughput", "1", "2", "background", span=ON) for p in ("JK/FQ", "DEC/FQbit", "PP/FQ")}
    return all((abs(v - 3.33) <= 0.35).all() for v in got.values()), "; ".join(
        f"{p} {listed(v)}" for p, v in got.items()
    )


@claim("K3e")
def _k3e(runs: Runs) -> Result:
    on = runs.of("DEC/DEC", "throughput", "1", "2", "background", span=ON)
    off = float(runs.of("DEC/DEC", "throughput", "1", "2", span=OFF).sum())
    return bool((on[:2] < 2).all() and abs(on[2] - 5) < 0.05 and off < 8), f"on {listed(on)}; off total {off:.2f}"


@claim("K3f")
def _k3f(runs: Runs) -> Result:
    bit, dec, pp = (
        float(runs.of(p, "throughput", "1", "2", span=OFF).sum()) for p in ("DEC/FQbit", "DEC/DEC", "PP/FQ")
    )
    return bit > 9.6 and dec < 8, f"DEC/FQbit {bit:.2f}, DEC/DEC {dec:.2f}; PP/FQ {pp:.2f}"


@claim("K3f-2")
def _k3f_time(runs: Runs) -> Result:
    after = {p: reaches(runs, p, *OFF, 4.5) for p in ("PP/FQ", "JK/FCFS", "JK/FQ", "DEC/FQbit", "DEC/DEC")}
    never = {p: math.inf if math.isnan(t) else t for p, t in after.items()}
    between = [never[p] for p in ("JK/FCFS", "JK/FQ", "DEC/FQbit")]
    holds = never["PP/FQ"] < min(between) and max(between) < never["DEC/DEC"]
    return holds, ", ".join(f"{p} {t:.1f} s" if math.isfinite(t) else f"{p} never" for p, t in never.items())


@claim("K3g")
def _k3g(runs: Runs) -> Result:
    found, flat = [], True
    for source in ("1", "2"):
        times, window = runs.trace("JK/FCFS", "window", source)
        before = window[times <= 500]
        inside = window[(times > 500) & (times < 600)]
        values = np.floor(np.append(before[-1:], inside))
        flat = flat and values.size > 0 and bool((values == 40).all())
        found.append(f"{values.min():g} to {values.max():g}" if values.size else "no trace")
    return flat, f"from 500 s to 600 s: {'; '.join(found)} packets"


@claim("K3g-2")
def _k3g_spike(runs: Runs) -> Result:
    times, spacing = runs.trace("PP/FQ", "packet_spacing", "1")
    level = float(np.median(spacing[(times > 400) & (times < 600)]))
    inside = (times >= 300) & (times < 600)
    beyond = inside & (spacing < level / 1.1)
    if not beyond.any():
        return False, f"level {level:.3f} s, never beyond"
    soon = times[beyond & (times < 350)]
    peak, lasts = float(spacing[beyond].min()), float(np.ptp(soon)) if soon.size else math.inf
    text = f"1/rate down to {peak:.3f} s, level {level:.3f} s, for {lasts:.1f} s: the rate overshoots by {100 * (level / peak - 1):.0f} %"
    return level / peak >= 1.5 and lasts < 30, text


@claim("K3g-3")
def _k3g_swing(runs: Runs) -> Result:
    times, probe = runs.trace("PP/FQ", "probe", "1")
    inside = probe[np.searchsorted(times, 600) - 1 : np.searchsorted(times, 900)]
    steps = np.maximum(inside[1:], inside[:-1]) / np.minimum(inside[1:], inside[:-1]) - 1
    most = float(steps.max(initial=0.0))
    at, spacing = runs.trace("PP/FQ", "packet_spacing", "1")
    late = spacing[(at > 700) & (at < 900)]
    text = (
        f"from 700 s on 1/rate between {ends(late, 3)} s, {late.size} changes"
        if late.size
        else "1/rate is still from 700 s on"
    )
    return most >= 0.95 and late.size > 20, f"probes by up to {100 * most:.0f} %; {text}"
