"""Scenario 8: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed
from ..statements import claim
from .names import SEVEN

BOTH = ("1", "2")


@claim("K8a")
def _k8a(runs: Runs) -> Result:
    fcfs, fq = (_ratio(runs, p) for p in ("JK/FCFS", "JK/FQ"))
    held = (fcfs > 2.5) & (fq > 1.3) & (fcfs > fq)
    return int(held.sum()) > len(held) / 2, f"in {int(held.sum())} of {len(held)} runs; {ends(fcfs)} and {ends(fq)}"


@claim("K8b")
def _k8b(runs: Runs) -> Result:
    got = runs.over("DEC/FQbit", "throughput", "2")
    return bool((got < 0.2).all()), f"{ends(got, 3)} packets/s"


@claim("K8c")
def _k8c(runs: Runs) -> Result:
    ratio, lost = 1 / _ratio(runs, "PP/FQ"), float(runs.over("PP/FQ", "drop_rate", *BOTH).max())
    holds = bool((np.minimum(ratio, 1 / ratio) > 0.9).all()) and lost < 0.005
    return holds, f"source 2 over source 1 {ends(ratio, 3)}, at most {lost:.3f} drops/s"


@claim("C5-21", "scenario-8")
def _c5_21(runs: Runs) -> Result:
    ratio = {p: 1 / _ratio(runs, p) for p in ("PP/FQ", "PP/FQ 24 s")}
    got = ratio["PP/FQ"]
    text = "; ".join(f"{p} {ends(r, 3)}" for p, r in ratio.items())
    return bool((np.minimum(got, 1 / got) > 0.9).all()), text


@claim("K8d")
def _k8d(runs: Runs) -> Result:
    shares = {p: _sent_again(runs, p) for p in ("G/FCFS", "G/FQ", "G/FCFS go-back-N", "G/FQ go-back-N")}
    holds = all(float(np.median(shares[p])) > 60 for p in ("G/FCFS", "G/FQ"))
    return holds, "; ".join(f"{p} {ends(s, 0)} %" for p, s in shares.items())


@claim("K7x'")
def _k7x(runs: Runs) -> Result:
    own = runs.over("PP/FQ", "raw", *BOTH).sum(axis=1)
    used = np.array(
        [own + runs.over("PP/FQ", "raw", *(f"cross{line}{i}" for i in range(1, 5))).sum(axis=1) for line in (1, 2, 3)]
    )
    return bool((used >= 9.8).all()), f"{ends(10 * used, 1)} % over lines and runs"


@claim("K8y")
def _k8y(runs: Runs) -> Result:
    # The table's next best is JK/FQ with 0.62.
    rest = np.array([_ratio(runs, p)[0] for p in SEVEN])
    least = np.minimum(rest, 1 / rest)
    return bool((least[:-1] <= 0.7).all() and least[-1] > 0.9), listed(least)


def _ratio(runs: Runs, variant: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Source 1 over source 2 in every run; source 2 counts as 0.001 packets/s at least, because less may be left than was sent again."""
    over = runs.over(variant, "throughput", *BOTH)
    return np.maximum(over[:, 0], 0.001) / np.maximum(over[:, 1], 0.001)


def _sent_again(runs: Runs, variant: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Retransmissions of source 2 in per cent of what its sink received, in every run: the thesis's 0.43 of 0.05 + 0.43."""
    again, raw = (runs.over(variant, m, "2")[:, 0] for m in ("retransmission_rate", "raw"))
    return 100 * again / np.maximum(raw, 0.001)
