"""Scenario 5: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

from ...claims import Claims, Runs, ends, listed
from .names import LATER, Result

CLAIMS = Claims()
claim = CLAIMS.claim


@claim("K5a", "scenario-5", "FCFS: G does better than JK (lesser G above 3), one JK segregated (below .6)")
def _k5a(runs: Runs) -> Result:
    over = runs.over("JK+G/FCFS", "throughput", "G1", "G2", "JK1", "JK2")
    held = (over[:, :2].min(axis=1) > 3) & (over[:, 2:].min(axis=1) < 0.6)
    return int(held.sum()) > len(
        held
    ) / 2, f"in {int(held.sum())} of {len(held)} runs; base run G {listed(over[0, :2])}, JK {listed(over[0, 2:])}"


@claim(
    "K5b",
    "scenario-5",
    "FQ: JK does better than G (means at least 20 % apart); one G in timer backoff (below 1.5, delay above 2 s)",
)
def _k5b(runs: Runs) -> Result:
    over = runs.over("JK+G/FQ", "throughput", "JK1", "JK2", "G1", "G2")
    delay = runs.over("JK+G/FQ", "delay", "G1", "G2")
    ratio = over[:, :2].mean(axis=1) / over[:, 2:].mean(axis=1)
    backoff = ((over[:, 2:] < 1.5) & (delay > 2)).any(axis=1)
    held = (ratio >= 1.2) & backoff
    return int(held.sum()) > len(
        held
    ) / 2, f"in {int(held.sum())} of {len(held)} runs; JK over G {ends(ratio)}, base run {listed(over[0])}"


CLAIMS.later("K5c", "scenario-5", "A packet-pair source gets more than JK did in the same place", LATER)


CLAIMS.later("K5d", "scenario-5", "Packet-pair and JK get equal raw shares of 2.5 packets/s", LATER)
