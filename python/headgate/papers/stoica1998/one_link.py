"""Claims about figures 3a, 3b and 4: many flows on one congested link."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from ..measure import Floats
from . import measures as m
from .measures import FRED
from .statements import claim


def nearer(ours: float, drr: float, others: dict[str, float]) -> bool:
    """Whether CSFQ's value is nearer to DRR's than to each other one."""
    return all(abs(ours - drr) < abs(ours - other) for other in others.values())


def said(values: dict[str, float], digits: int = 2) -> str:
    """Values by name, as text."""
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def _nearer_in(values: dict[str, float], digits: int = 2) -> Result:
    found = nearer(values["CSFQ"], values["DRR"], {name: values[name] for name in ("RED", "FIFO")})
    return found, said(values, digits)


@claim("S4")
def _s4(runs: Runs) -> Result:
    got = {s: m.udp(runs, s).mean for s in m.SCHEMES}
    good = all(got[s] < 0.7 for s in ("DRR", "CSFQ"))
    bad = all(got[s] > 1.2 for s in ("FRED-1", "FRED-2", "RED", "FIFO"))
    return good and bad, f"{said(got)} Mbit/s"


@claim("S4a")
def _s4_fred(runs: Runs) -> Result:
    times = min(m.udp(runs, s).mean for s in FRED) / m.FAIR
    return 4 <= times <= 8, f"{times:.1f} times the fair share"


@claim("S1-3b")
def _s1_3b(runs: Runs) -> Result:
    return _nearer_in({s: m.udp(runs, s).mean for s in m.SCHEMES})


@claim("S2")
def _s2(runs: Runs) -> Result:
    found = {s: m.correlation(runs, s) for s in m.SCHEMES}
    return all(found[s] > 0.95 for s in ("FIFO", "RED", "FRED-1")), f"correlations: {said(found, 3)}"


@claim("S2a")
def _s2_drr(runs: Runs) -> Result:
    low, high = (float(of.mean()) for of in m.offs(runs, "DRR"))
    return low >= -8 and high <= 8, f"{low:+.1f} to {high:+.1f} %"


@claim("S3")
def _s3(runs: Runs) -> Result:
    low, high = m.offs(runs, "CSFQ")
    each = low.min() >= -20 and high.max() <= 20
    means = -16 <= low.mean() <= -8 and 5 <= high.mean() <= 15
    text = f"{low.mean():+.1f} to {high.mean():+.1f} % in the mean, {low.min():+.1f} to {high.max():+.1f} % in all runs"
    return bool(each and means), text


@claim("S3a")
def _s3_fred(runs: Runs) -> Result:
    low, ours = m.offs(runs, "FRED-2")[0].mean(), m.offs(runs, "CSFQ")[0].mean()
    return bool(-30 <= low <= -15 and low < ours), f"lowest flow {low:+.1f} %, with CSFQ {ours:+.1f} %"


@claim("S3b")
def _s3_long(runs: Runs) -> Result:
    low, high = (float(of.mean()) for of in m.offs(runs, "CSFQ for 100 s"))
    return low >= -8 and high <= 8, f"{low:+.1f} to {high:+.1f} % in the mean"


@claim("S1-3a")
def _s1_3a(runs: Runs) -> Result:
    return _nearer_in({s: m.unevenness(runs, s) for s in m.SCHEMES}, 1)


def _curve(runs: Runs, scheme: str, first: int = 2, last: int = 32) -> Floats:
    return np.array([m.normalised(runs, scheme, n).mean for n in range(first, last + 1)])


@claim("S5")
def _s5(runs: Runs) -> Result:
    few, many = _curve(runs, "DRR", last=21), _curve(runs, "DRR", first=24)
    at = said({str(n): m.normalised(runs, "DRR", n).mean for n in (21, 22, 23, 24, 26, 32)})
    return bool(few.min() >= 0.93 and many.max() <= 0.75), f"least below 22 flows {few.min():.2f}; {at}"


@claim("S6")
def _s6(runs: Runs) -> Result:
    gain = _curve(runs, "CSFQ", 26) - _curve(runs, "DRR", 26)
    return bool((gain > 0).all()), f"better by {gain.min():.2f} to {gain.max():.2f}"


def _over_fred(runs: Runs, first: int) -> Floats:
    better: Floats = np.maximum(*(_curve(runs, s, first) for s in FRED))
    return _curve(runs, "CSFQ", first) - better


@claim("S7")
def _s7(runs: Runs) -> Result:
    gain = _over_fred(runs, 2)
    worse = [n for n, more in zip(m.NUMBERS, gain, strict=True) if more < -0.05]
    where = f"; below by more at {listed(np.array(worse), 0)} flows" if worse else ""
    return not worse, f"{gain.min():+.2f} to {gain.max():+.2f}{where}"


@claim("S7a")
def _s7_many(runs: Runs) -> Result:
    gain = _over_fred(runs, 16)
    return bool((gain > 0).all()), f"better by {gain.min():.2f} to {gain.max():.2f}"


@claim("S1-4")
def _s1_4(runs: Runs) -> Result:
    at = {s: _curve(runs, s) for s in m.SCHEMES}
    far = [
        n
        for i, n in enumerate(m.NUMBERS)
        if not nearer(at["CSFQ"][i], at["DRR"][i], {s: at[s][i] for s in ("RED", "FIFO")})
    ]
    return not far, f"not so at {listed(np.array(far), 0)} flows" if far else "at all 31"
