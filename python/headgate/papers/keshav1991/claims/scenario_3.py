"""Scenario 3: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Claims, Runs, listed
from .names import OFF, ON, Result

CLAIMS = Claims()
claim = CLAIMS.claim


@claim("K3a", "scenario-3", "G/FCFS: FTPs unaffected by the background source (above 4.7), which is starved (below .5)")
def _k3a(runs: Runs) -> Result:
    ftp = runs.of("G/FCFS", "throughput", "1", "2", span=ON)
    other = runs.of("G/FCFS", "throughput", "background", span=ON)[0]
    return bool((ftp > 4.7).all() and other < 0.5), f"FTP {listed(ftp)}, background {other:.2f} packets/s"


@claim("K3b", "scenario-3", "G/FQ: skewed; the background takes more than 4, some FTP gets less than 2 packets/s")
def _k3b(runs: Runs) -> Result:
    over = runs.over("G/FQ", "throughput", "1", "2", "background", span=ON)
    held = (over[:, 2] > 4) & (over[:, :2].min(axis=1) < 2)
    return int(held.sum()) > len(held) / 2, f"in {int(held.sum())} of {len(held)} runs; base run {listed(over[0])}"


@claim(
    "K3c", "scenario-3", "JK/FCFS: the background gets nearly its rate (above 4.5), the FTPs about half (1.8 to 2.8)"
)
def _k3c(runs: Runs) -> Result:
    over = runs.over("JK/FCFS", "throughput", "1", "2", "background", span=ON)
    ftp = over[:, :2]
    held = (over[:, 2] > 4.5) & (ftp > 1.8).all(axis=1) & (ftp < 2.8).all(axis=1)
    return int(held.sum()) > len(held) / 2, f"in {int(held.sum())} of {len(held)} runs; base run {listed(over[0])}"


@claim("K3d", "scenario-3", "JK/FQ, DEC/FQbit and PP/FQ: three equal shares, 3.33 ± .35 packets/s each")
def _k3d(runs: Runs) -> Result:
    got = {p: runs.of(p, "throughput", "1", "2", "background", span=ON) for p in ("JK/FQ", "DEC/FQbit", "PP/FQ")}
    return all((abs(v - 3.33) <= 0.35).all() for v in got.values()), "; ".join(
        f"{p} {listed(v)}" for p, v in got.items()
    )


@claim(
    "K3e",
    "scenario-3",
    "DEC/DEC: the background takes all it wants (5.0), FTPs below 2; slow recovery: below 8 in total when it is off",
)
def _k3e(runs: Runs) -> Result:
    on = runs.of("DEC/DEC", "throughput", "1", "2", "background", span=ON)
    off = float(runs.of("DEC/DEC", "throughput", "1", "2", span=OFF).sum())
    return bool((on[:2] < 2).all() and abs(on[2] - 5) < 0.05 and off < 8), f"on {listed(on)}; off total {off:.2f}"


@claim("K3f", "scenario-3", "DEC/FQbit recovers faster than DEC/DEC: off-period totals above 9.6 and below 8 packets/s")
def _k3f(runs: Runs) -> Result:
    bit, dec = (float(runs.of(p, "throughput", "1", "2", span=OFF).sum()) for p in ("DEC/FQbit", "DEC/DEC"))
    return bit > 9.6 and dec < 8, f"DEC/FQbit {bit:.2f}, DEC/DEC {dec:.2f}; packet-pair not reproduced yet"


@claim("K3g", "scenario-3", "JK's window is flat at 40 packets at the end of the quiet period (figure 6.10)")
def _k3g(runs: Runs) -> Result:
    found, flat = [], True
    for source in ("1", "2"):
        times, window = runs.trace("JK/FCFS", "window", source)
        before = window[times <= 500]
        inside = window[(times > 500) & (times < 600)]
        values = np.floor(np.append(before[-1:], inside))
        flat = flat and values.size > 0 and bool((values == 40).all())
        found.append(f"{values.min():g} to {values.max():g}" if values.size else "no trace")
    return flat, f"from 500 s to 600 s: {'; '.join(found)} packets; packet-pair not reproduced yet"
