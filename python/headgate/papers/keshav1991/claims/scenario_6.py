"""Scenario 6: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed, spread
from ..statements import claim


@claim("K6a")
def _k6a(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "1", "2", "3", "4") for p in ("G/FCFS", "JK/FCFS")])
    holds = bool((abs(got[:, :3] - 7.14) <= 0.01).all() and (abs(got[:, 3] - 2.86) <= 0.01).all())
    return holds, f"short {ends(got[:, :3], 3)}, long {ends(got[:, 3], 3)}"


@claim("K6b")
def _k6b(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "1", "2", "3", "4") for p in ("JK/FQ", "DEC/FQbit", "PP/FQ")])
    return bool((abs(got - 5) <= 0.02).all()), f"{ends(got, 3)} packets/s"


@claim("C5-21", "scenario-6")
def _c5_21a(runs: Runs) -> Result:
    got, delay = (runs.of("PP/FQ", m, "1", "2", "3", "4") for m in ("throughput", "delay"))
    return bool((abs(got - 5) <= 0.05).all()) and spread(delay) <= 1.1, f"{listed(got)} packets/s, {listed(delay)} s"


@claim("K6c")
def _k6c(runs: Runs) -> Result:
    got = runs.of("DEC/DEC", "throughput", "1", "2", "3", "4")
    waste = 100 * (1 - (got[:3].mean() + got[3]) / 10)
    holds = bool(8 <= waste <= 15 and (got[:3] >= 5.5).all() and (got[:3] <= 6.5).all() and 2.3 <= got[3] <= 3.5)
    return holds, f"waste {waste:.1f} %, short {listed(got[:3])}, long {got[3]:.2f}"
