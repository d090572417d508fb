"""Scenario 4: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed
from ..statements import claim
from .names import FQS


@claim("K4a", whole=True)
def _k4a(runs: Runs) -> Result:
    # Two steady states: the FTP keeps its places among 21, or the attacker takes each before the FTP's next packet comes.
    got = {p: runs.over(p, "throughput", "3")[:, 0] for p in ("G/FCFS", "JK/FCFS", "DEC/DEC")}
    most = all((v > 7.55).all() for v in got.values())
    near = (got["G/FCFS"] > 9.5, abs(got["JK/FCFS"] - 7.62) <= 0.05, abs(got["DEC/DEC"] - 9.52) <= 0.03)
    text = "; ".join(
        f"{p} {ends(v)}, in {int(n.sum())} of {len(n)} starts" for (p, v), n in zip(got.items(), near, strict=True)
    )
    return most and all(n.any() for n in near), f"two steady states, by phase: {text}"


@claim("K4b")
def _k4b(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "1", "3") for p in FQS])
    delay = np.array([runs.of(p, "delay", "2")[0] for p in FQS])
    return bool(
        (abs(got - 5) <= 0.2).all() and (abs(delay - 0.06) < 0.01).all()
    ), f"{ends(got, 3)} packets/s, Telnet {listed(delay, 3)} s"


@claim("K4d")
def _k4d(runs: Runs) -> Result:
    got = runs.of("PP/FQ", "throughput", "1", "2", "3")
    delay, lost = float(runs.of("PP/FQ", "delay", "2")[0]), float(runs.of("PP/FQ", "drop_rate", "1")[0])
    holds = abs(got[0] - 5) <= 0.1 and abs(got[2] - 5) <= 0.1 and abs(delay - 0.06) < 0.01 and lost == 0
    return bool(holds), f"{listed(got, 3)} packets/s, Telnet {delay:.3f} s, {lost:g} drops/s"


@claim("K4c")
def _k4c(runs: Runs) -> Result:
    got = float(runs.of("G/FQ charged", "throughput", "3")[0])
    return got < 0.05, f"{got:.4f} packets/s"
