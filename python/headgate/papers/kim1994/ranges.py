"""Claims of sections 4.2.3 to 4.2.5, 4.3 and 5.1 as predicates: other delays, rates and sizes of files."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from .curves import LENGTHS, Set, everywhere, gigabit, lengths, readings, reference
from .grid import LOADS
from .measures import power
from .statements import claim

#: What the order of powers may be missed by where the buffer is 4 to 7 packets: its rounding decides.
SLACK = 0.1

UP_TO_07 = LOADS[:8]


def _both(s: Set) -> str:
    return f"BLT {listed(np.array(s.greatest('BLT')))}, TCP {listed(np.array(s.greatest('TCP')))}"


def _above(s: Set) -> bool:
    """BLT has more power at each bottleneck, with slack at the smallest."""
    gaps = s.gaps()
    return gaps[0] > -SLACK and min(gaps[1:]) > 0


@claim("B15")
def _b15(runs: Runs) -> Result:
    s, far = Set(runs, 150, 3), reference(runs)
    greater = all(
        x > y for scheme in ("BLT", "TCP") for x, y in zip(s.greatest(scheme), far.greatest(scheme), strict=True)
    )
    gaps = np.array(s.gaps())
    narrower = bool((gaps < np.array(far.gaps())).all())
    return greater and narrower and _above(s) and bool((np.diff(gaps) > 0).all()), f"{_both(s)}; gaps {listed(gaps)}"


@claim("B16")
def _b16(runs: Runs) -> Result:
    s, far = Set(runs, 150, 3), reference(runs)
    less = {b: far.blt[b].values("fair", UP_TO_07) - s.blt[b].values("fair", UP_TO_07) for b in s.bottlenecks}
    text = "; ".join(f"{b}: {listed(x)}" for b, x in less.items())
    return all((x > 0).all() for x in less.values()), f"less by {text}"


@claim("B17")
def _b17(runs: Runs) -> Result:
    s, near = Set(runs, 150, 1.8), Set(runs, 150, 3)
    up = all(
        x >= y - 0.05
        for scheme in ("BLT", "TCP")
        for x, y in zip(s.greatest(scheme), near.greatest(scheme), strict=True)
    )
    gaps = np.array(s.gaps()) - np.array(near.gaps())
    return up and float(gaps.mean()) < 0, f"{_both(s)}; gaps by {listed(gaps)} wider"


@claim("B18")
def _b18(runs: Runs) -> Result:
    slow, fast = Set(runs, 15), Set(runs, 150, 3)
    down = {x: np.array(slow.greatest(x)) - np.array(fast.greatest(x)) for x in ("BLT", "TCP")}
    holds = bool((abs(down["BLT"] + 2) <= 0.1).all() and (abs(down["TCP"] + 2) <= 0.25).all())
    return holds, f"BLT {listed(down['BLT'])}, TCP {listed(down['TCP'])} decades"


@claim("B19")
def _b19(runs: Runs) -> Result:
    s, at = Set(runs, 15), (0.05, 0.1, 0.2)
    more = s.tcp[3].values("power", at) - s.blt[3].values("power", at)
    return bool(
        (more > 0).all()
    ), f"TCP's power by {listed(more)} decades greater at {listed(np.array(at))} of the line"


@claim("B32")
def _b32(runs: Runs) -> Result:
    s = Set(runs, 150, 1.8)
    return _above(s), _both(s)


@claim("B20")
def _b20(runs: Runs) -> Result:
    large, small = Set(runs, 150, packets=2000), reference(runs)
    lost = {x: np.array(small.greatest(x)) - np.array(large.greatest(x)) for x in ("BLT", "TCP")}
    holds = bool(
        ((lost["BLT"] >= 0.7) & (lost["BLT"] <= 1.1)).all() and ((lost["TCP"] >= 0.3) & (lost["TCP"] <= 0.7)).all()
    )
    return holds, f"BLT {listed(lost['BLT'])}, TCP {listed(lost['TCP'])} decades"


@claim("B21")
def _b21(runs: Runs) -> Result:
    s, at = Set(runs, 150, packets=2000), (0.05, 0.1, 0.2, 0.3)
    ratio = {b: s.tcp[b].values("response", at) / s.blt[b].values("response", at) for b in s.bottlenecks}
    holds = bool((ratio[30] < 1).all() and (ratio[90] > 1).all() and (ratio[150] > 1).all())
    return holds, "TCP's response time over BLT's: " + "; ".join(f"{b}: {listed(x)}" for b, x in ratio.items())


@claim("B22")
def _b22(runs: Runs) -> Result:
    wide, narrow = np.array(Set(runs, 1000, packets=2000).gaps()), np.array(Set(runs, 150, packets=2000).gaps())
    return bool((wide > narrow).all()), f"gaps {listed(wide)} against {listed(narrow)}"


@claim("B23")
def _b23(runs: Runs) -> Result:
    s, far = Set(runs, 150, packets=20), reference(runs)
    gain = np.array(s.greatest("BLT")) - np.array(far.greatest("BLT"))
    response = np.array([m.at_best("response").mean() for m in s.blt.values()])
    holds = bool((gain < 1).all() and (response >= 0.03).all() and (response <= 1.4 * 0.03).all())
    return holds, f"gains {listed(gain)} decades; response time {listed(1e3 * response, 1)} ms"


@claim("B24")
def _b24(runs: Runs) -> Result:
    s = Set(runs, 150, packets=20)
    light = np.array([float(m.values("response", (0.05,))[0]) for m in s.tcp.values()])
    return bool(((light >= 0.15) & (light <= 0.155)).all()), f"{listed(1e3 * light, 2)} ms"


def without_ack(s: Set, scheme: str) -> list[float]:
    """Figure 26: log10 of the maximum power with the delay of the acknowledgement, D/2, taken out of the response time."""
    found = []
    for m in s.schemes[scheme].values():
        powers = [np.asarray(power(p.longest, p.mean("response") - s.delay / 2e3)) for p in m.points.values()]
        found.append(float(np.max(powers, axis=0).mean()))
    return found


@claim("B25")
def _b25(runs: Runs) -> Result:
    s = Set(runs, 150, packets=20)
    gains = {x: np.diff(without_ack(s, x)) for x in ("BLT", "TCP")}
    return bool((gains["BLT"] >= gains["TCP"]).all()), f"BLT {listed(gains['BLT'])}, TCP {listed(gains['TCP'])} decades"


@claim("B31")
def _b31(runs: Runs) -> Result:
    gaps = np.array([g for s in everywhere(runs).values() for g in s.gaps()])
    mean, most = 10 ** gaps.mean(), 10 ** gaps.max()
    best = 10 ** max(gigabit(runs).gaps())
    return bool(3 <= mean <= 15 and 15 <= best <= 30), (
        f"{mean:.1f} times in the geometric mean of {len(gaps)}, {best:.1f} at 1 Gbit/s with 100 KB, {most:.1f} at most"
    )


@claim("K01")
def _k01(runs: Runs) -> Result:
    found = {x: np.array([float(m.greatest.mean()) for m in ms]) for x, ms in lengths(runs).items()}
    rise = {x: float(v[-1] - v[1]) for x, v in found.items()}
    text = "; ".join(f"{x} {listed(v)}" for x, v in found.items())
    return rise["TCP"] > 0.2 > 2 * abs(rise["BLT"]), f"{', '.join(map(str, LENGTHS))} connections: {text}"


@claim("K02")
def _k02(runs: Runs) -> Result:
    found = readings(runs)
    both = [np.array([float(m.greatest.mean()) for m in found[x]]) for x in ("BLT", "BLT, corrected switch")]
    apart = both[1] - both[0]
    return bool((abs(apart) < 0.1).all()), f"by {listed(apart, 3)} decades"


@claim("K03")
def _k03(runs: Runs) -> Result:
    found, at = readings(runs), (0.7, 0.8)
    # The first three networks are those of figure 11: 30, 90, 150 Mbit/s.
    fair = [[m.values("fair", at) for m in found[x][:3]] for x in ("BLT", "TCP, old duplicates count")]
    more = [bool((blt > tcp).all()) for blt, tcp in zip(*fair, strict=True)]
    less = bool((fair[0][1] < fair[1][1]).all())
    text = "; ".join(f"{b}: BLT {listed(x)}, TCP {listed(y)}" for b, x, y in zip((30, 90, 150), *fair, strict=True))
    return more[0] and more[2] and less, f"at 0.7 and 0.8 {text}"
