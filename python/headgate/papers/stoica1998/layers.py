"""Claims about figure 7: a TCP flow beside layered multicast."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs
from . import measures as m
from .measures import FRED, LAYERS
from .statements import claim

LATE = ", TCP last"


def levels(runs: Runs, scheme: str, when: str = "") -> list[int]:
    """The number of layers whose sum is nearest to what each session gets in each run, the least and the greatest."""
    got = m.shared(runs, scheme, when)[2]
    nearest = abs(got[..., None] - np.array(LAYERS)).argmin(axis=-1)
    return [int(nearest.min()), int(nearest.max())]


def _text(runs: Runs, when: str = "") -> str:
    parts = []
    for scheme in m.SCHEMES:
        tcp, rlm, _ = m.shared(runs, scheme, when)
        low, high = levels(runs, scheme, when)
        parts.append(f"{scheme} TCP {tcp.mean:.2f}, RLM {rlm.mean:.2f} ({low} to {high} layers)")
    return "; ".join(parts)


@claim("S10")
def _s10(runs: Runs) -> Result:
    drr, csfq = m.shared(runs, "DRR"), m.shared(runs, "CSFQ")
    even = abs(drr[0].mean - 1) <= 0.05 and bool((abs(drr[2] - 1) <= 0.05).all())
    near = csfq[1].mean >= 0.8 and 0.9 <= csfq[0].mean <= 1.5
    unfair = all(levels(runs, s) == [4, 4] and m.shared(runs, s)[0].mean > 1.7 for s in FRED)
    return even and near and unfair, _text(runs)


@claim("S11")
def _s11(runs: Runs) -> Result:
    tcp = m.shared(runs, "FIFO", LATE)[0]
    return tcp.mean < 0.5, _text(runs, LATE)
