"""Scenario 5: claims as predicates. Thresholds leave room around the thesis's tables; they do not come from our runs."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, listed
from ..statements import claim


@claim("K5a")
def _k5a(runs: Runs) -> Result:
    got = runs.of("JK+G/FCFS", "throughput", "G1", "G2", "JK1", "JK2")
    return bool(got[:2].min() > 3 and got[2:].min() < 0.6), f"G {listed(got[:2])}, JK {listed(got[2:])} packets/s"


@claim("K5b")
def _k5b(runs: Runs) -> Result:
    got = runs.of("JK+G/FQ", "throughput", "JK1", "JK2", "G1", "G2")
    delay = runs.of("JK+G/FQ", "delay", "G1", "G2")
    ratio = float(got[:2].mean() / got[2:].mean())
    backoff = bool(((got[2:] < 1.5) & (delay > 2)).any())
    return ratio >= 1.2 and backoff, f"JK over G {ratio:.2f}: {listed(got)} packets/s, G {listed(delay)} s"


@claim("K5c")
def _k5c(runs: Runs) -> Result:
    pp, jk = runs.of("PP+G/FQ", "throughput", "PP1", "PP2"), runs.of("JK+G/FQ", "throughput", "JK1", "JK2")
    return bool((pp > 3.2).all() and pp.min() > jk.max()), f"packet-pair {listed(pp)}, JK {listed(jk)} packets/s"


@claim("K5d")
def _k5d(runs: Runs) -> Result:
    got = runs.of("PP+JK/FQ", "raw", "PP1", "PP2", "JK1", "JK2")
    return bool((abs(got - 2.5) <= 0.05).all()), f"{listed(got, 3)} packets/s, retransmissions included"


@claim("C5-22")
def _c5_22(runs: Runs) -> Result:
    got = np.array([runs.of(p, "throughput", "PP1", "PP2") for p in ("PP+G/FQ", "PP+JK/FQ")])
    lost = np.array([runs.of(p, "drop_rate", "PP1", "PP2") for p in ("PP+G/FQ", "PP+JK/FQ")])
    text = "; ".join(
        f"beside {n} {listed(g)}, drops {listed(d)}" for n, g, d in zip(("G", "JK"), got, lost, strict=True)
    )
    return bool((got >= 2.4).all() and lost.sum() == 0), f"{text} packets/s"
