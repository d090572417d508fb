"""Scenario 1: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Claims, Runs, ends, listed
from .names import LATER, SIX, Result

CLAIMS = Claims()
claim = CLAIMS.claim


@claim("K1a", "scenario-1", "All pairs are fair and full: FTPs 4.99 ± .02 packets/s each, no drops, no retransmissions")
def _k1a(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "1", "2") for p in SIX])
    lost = sum(
        float(runs.of(p, m, "1", "2", "3", "4").sum()) for p in SIX for m in ("drop_rate", "retransmission_rate")
    )
    return bool((abs(got - 4.99) <= 0.02).all()) and lost == 0, f"{ends(got, 3)} packets/s, losses {lost:g}/s"


@claim("K1b", "scenario-1", "FQ: Telnet delay more than 12 times lower, FTP delay within 2 %")
def _k1b(runs: Runs) -> Result:
    telnet = [float(runs.of(p, "delay", "3", "4").mean()) for p in ("G/FCFS", "G/FQ")]
    ftp = [float(runs.of(p, "delay", "1", "2").mean()) for p in ("G/FCFS", "G/FQ")]
    holds = telnet[0] / telnet[1] > 12 and abs(ftp[1] / ftp[0] - 1) < 0.02
    return holds, f"Telnet {telnet[0]:.3f} to {telnet[1]:.3f} s, FTP {ftp[0]:.3f} to {ftp[1]:.3f} s"


@claim("K1c", "scenario-1", "DEC/DEC: Telnet delay between, .14 ± .015 s")
def _k1c(runs: Runs) -> Result:
    got = runs.of("DEC/DEC", "delay", "3", "4")
    return bool((abs(got - 0.14) <= 0.015).all()), f"{listed(got, 3)} s"


CLAIMS.later(
    "K1d", "scenario-1", "Packet-pair delay is larger than the others', and lower with a lower setpoint", LATER
)
