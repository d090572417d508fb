"""Scenario 4: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Claims, Runs, ends, listed
from .names import FQS, Result

CLAIMS = Claims()
claim = CLAIMS.claim


@claim(
    "K4a",
    "scenario-4",
    "FCFS: the attacker takes most: G above 9.5; JK 7.62 ± .05 and DEC/DEC 9.52 ± .03 packets/s in the runs where the FTP holds its places",
)
def _k4a(runs: Runs) -> Result:
    # Two steady states: the FTP keeps its places among 21, or the attacker takes each before the FTP's next packet comes.
    got = {p: runs.over(p, "throughput", "3")[:, 0] for p in ("G/FCFS", "JK/FCFS", "DEC/DEC")}
    most = all((v > 7.55).all() for v in got.values())
    seen = [
        (got["G/FCFS"] > 9.5).any(),
        (abs(got["JK/FCFS"] - 7.62) <= 0.05).any(),
        (abs(got["DEC/DEC"] - 9.52) <= 0.03).any(),
    ]
    text = "; ".join(f"{p} {listed(v)}" for p, v in got.items())
    return most and all(seen), f"two steady states, by phase: {text}"


@claim("K4b", "scenario-4", "FQ: FTP and attacker get 5.0 ± .2 each, the Telnet is unhurt (.06 s)")
def _k4b(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "1", "3") for p in FQS])
    delay = np.array([runs.of(p, "delay", "2")[0] for p in FQS])
    return bool(
        (abs(got - 5) <= 0.2).all() and (abs(delay - 0.06) < 0.01).all()
    ), f"{ends(got, 3)} packets/s, Telnet {listed(delay, 3)} s"


@claim(
    "K4d", "scenario-4", "PP/FQ: FTP 5.0 ± .1 packets/s without loss, the Telnet full (.06 s), the attacker the rest"
)
def _k4d(runs: Runs) -> Result:
    got = runs.of("PP/FQ", "throughput", "1", "2", "3")
    delay, lost = float(runs.of("PP/FQ", "delay", "2")[0]), float(runs.of("PP/FQ", "drop_rate", "1")[0])
    holds = abs(got[0] - 5) <= 0.1 and abs(got[2] - 5) <= 0.1 and abs(delay - 0.06) < 0.01 and lost == 0
    return bool(holds), f"{listed(got, 3)} packets/s, Telnet {delay:.3f} s, {lost:g} drops/s"


@claim("K4c", "scenario-4", "With dropped packets charged the attacker would get nearly nothing (below .05 packets/s)")
def _k4c(runs: Runs) -> Result:
    got = float(runs.of("G/FQ charged", "throughput", "3")[0])
    return got < 0.05, f"{got:.4f} packets/s"
