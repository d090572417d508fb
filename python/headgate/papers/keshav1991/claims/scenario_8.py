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
    return fcfs > 2.5 and fq > 1.3 and fcfs > fq, f"{fcfs:.2f} and {fq:.2f}"


@claim("K8b")
def _k8b(runs: Runs) -> Result:
    got = float(runs.of("DEC/FQbit", "throughput", "2")[0])
    return got < 0.2, f"{got:.3f} packets/s"


@claim("K8c")
def _k8c(runs: Runs) -> Result:
    ratio, lost = 1 / _ratio(runs, "PP/FQ"), float(runs.of("PP/FQ", "drop_rate", *BOTH).max())
    return min(
        ratio, 1 / ratio
    ) > 0.9 and lost < 0.005, f"source 2 over source 1 {ratio:.3f}, at most {lost:.3f} drops/s"


@claim("C5-21", "scenario-8")
def _c5_21(runs: Runs) -> Result:
    ratio = {p: 1 / _ratio(runs, p) for p in ("PP/FQ", "PP/FQ 24 s")}
    got = ratio["PP/FQ"]
    return min(got, 1 / got) > 0.9, "; ".join(f"{p} {r:.3f}" for p, r in ratio.items())


@claim("K8d")
def _k8d(runs: Runs) -> Result:
    shares = {p: _sent_again(runs, p) for p in ("G/FCFS", "G/FQ", "G/FCFS go-back-N", "G/FQ go-back-N")}
    holds = all(shares[p] > 60 for p in ("G/FCFS", "G/FQ"))
    return holds, "; ".join(f"{p} {s:.0f} %" for p, s in shares.items())


@claim("K7x'")
def _k7x(runs: Runs) -> Result:
    own = float(runs.of("PP/FQ", "raw", *BOTH).sum())
    used = np.array(
        [own + float(runs.of("PP/FQ", "raw", *(f"cross{line}{i}" for i in range(1, 5))).sum()) for line in (1, 2, 3)]
    )
    return bool((used >= 9.8).all()), f"{ends(10 * used, 1)} % over lines"


@claim("K8y")
def _k8y(runs: Runs) -> Result:
    # The table's next best is JK/FQ with 0.62.
    rest = np.array([_ratio(runs, p) for p in SEVEN])
    least = np.minimum(rest, 1 / rest)
    return bool((least[:-1] <= 0.7).all() and least[-1] > 0.9), listed(least)


def _ratio(runs: Runs, variant: str) -> float:
    """Source 1 over source 2; these count as 0.001 packets/s at least, because less may be left than was sent again."""
    one, two = np.maximum(runs.of(variant, "throughput", *BOTH), 0.001)
    return float(one / two)


def _sent_again(runs: Runs, variant: str) -> float:
    """Retransmissions of source 2 in per cent of what its sink received: the thesis's 0.43 of 0.05 + 0.43."""
    again, raw = (float(runs.of(variant, m, "2")[0]) for m in ("retransmission_rate", "raw"))
    return 100 * again / max(raw, 0.001)
