"""Section 5 on Random Drop: "greatly alleviates the problem of segregation", but neither fair nor protective nor prompt."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from .statements import claim

DROP = "G/random drop"
FTPS = ("1", "2", "3", "4", "5", "6")


@claim("D26", whole=True)
def _d26(runs: Runs) -> Result:
    over = {p: runs.over(p, "throughput", *FTPS) for p in ("G/FCFS", DROP)}
    apart = {p: sum(bool((r > 1000).sum() >= 3 and (r < 100).sum() >= 2) for r in rows) for p, rows in over.items()}
    low = {p: float((rows < 100).sum(axis=1).mean()) for p, rows in over.items()}
    many = len(over[DROP])
    text = "; ".join(
        f"{p} in {apart[p]} of {many}, {low[p]:.1f} FTPs below 100, the first {listed(rows[0], 0)} packets"
        for p, rows in over.items()
    )
    return apart[DROP] <= many / 4 and apart["G/FCFS"] > many / 2, text


@claim("D27")
def _d27(runs: Runs) -> Result:
    share = np.array([runs.of(p, "throughput", "4")[0] / 1750 for p in ("G/FCFS", DROP)])
    return bool(share[1] < 0.6), f"FCFS {share[0]:.3f}, Random Drop {share[1]:.3f} of the fair share"


@claim("D28")
def _d28(runs: Runs) -> Result:
    drop, fq = (float(runs.of(p, "throughput", "1")[0]) for p in (DROP, "G/FQ"))
    return drop < 875 and fq >= 1750, f"FTP {drop:.0f} packets; FQ {fq:.0f}"


@claim("D29")
def _d29(runs: Runs) -> Result:
    fcfs, drop, fq = (float(runs.of(p, "round_trip_time", "3", "4").mean()) for p in ("G/FCFS", DROP, "G/FQ"))
    return abs(drop / fcfs - 1) < 0.05 and drop > 10 * fq, f"Random Drop {drop:.3f} s, FCFS {fcfs:.3f} s, FQ {fq:.3f} s"
