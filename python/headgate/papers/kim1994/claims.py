"""Claims of sections 4.2.1, 4.2.2 and 4.2.6 as predicates. Thresholds are the paper's words in numbers, fixed before these runs."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from ..measure import Floats
from . import extensions, ranges, stream
from .curves import bully, gigabit, reference
from .grid import LOADS
from .measures import BITS
from .statements import CLAIMS, claim

__all__ = ["CLAIMS", "extensions", "ranges", "stream"]

UP_TO_09 = LOADS[:10]


@claim("B01")
def _b01(runs: Runs) -> Result:
    s = reference(runs)
    ratio = s.tcp[30].values("response", UP_TO_09) / s.blt[30].values("response", UP_TO_09)
    return bool(ratio.min() > 1.5 and ratio.mean() > 1.9), f"{listed(ratio)} times, mean {ratio.mean():.2f}"


@claim("B02")
def _b02(runs: Runs) -> Result:
    tcp = reference(runs).tcp[30]
    response, rates = tcp.values("response"), np.array([tcp.curve.rate(x) for x in LOADS])
    at = float(np.interp(2 * response[0], response, rates)) if response[-1] > 2 * response[0] else np.inf
    return 15 <= at <= 27, f"twice its light-load value at {at:.1f} connections/s"


@claim("B03")
def _b03(runs: Runs) -> Result:
    s = reference(runs)
    offered = s.blt[30].curve.rate(0.9) * 200 * BITS / 1e6
    got = float(s.blt[30].values("throughput", (0.9,))[0]) / 1e6
    most = float(s.tcp[30].values("throughput").max()) / 1e6
    return got >= 0.93 * offered and got > most, f"{got:.1f} of {offered:.1f} Mbit/s at 33.75/s; TCP at most {most:.1f}"


@claim("B04")
def _b04(runs: Runs) -> Result:
    s = reference(runs)
    busy = [m.values("busy", UP_TO_09) for m in (s.blt[30], s.tcp[30])]
    return bool((busy[0] < busy[1]).all()), f"BLT {listed(busy[0])}; TCP {listed(busy[1])}"


def queue(runs: Runs, variant: str, step: float = 0.005) -> tuple[Floats, Floats]:
    """Packets that wait at the bottleneck at 20 connections/s, each 5 ms from the first arrival there to the last."""
    times, values = runs.port_trace(variant, "backlog", "bottleneck")
    at = np.arange(times[0], times[-1], step)
    return at - times[0], values[np.searchsorted(times, at, side="right") - 1]


def periodic(values: Floats, step: float = 0.005) -> float:
    """The maximum autocorrelation of a queue at lags of 1 to 10 round trips of 30 ms, beyond the first lag at which it is not positive."""
    x = values - values.mean()
    lags = range(1, round(0.3 / step) + 1)
    found = np.array([float((x[k:] * x[:-k]).mean()) for k in lags]) / float((x * x).mean())
    return float(found[round(0.03 / step) - 1 :].max())


@claim("B05")
def _b05(runs: Runs) -> Result:
    found = {v: queue(runs, v) for v in ("BLT", "TCP")}
    lag = {v: periodic(values) for v, (_, values) in found.items()}
    first = {v: float(at[np.argmax(values >= 37)]) / 0.03 for v, (at, values) in found.items()}
    holds = lag["TCP"] > lag["BLT"] and first["BLT"] < 2 and first["TCP"] > 5
    text = ", ".join(f"{v} {lag[v]:.2f}, half full after {first[v]:.1f} round trips" for v in found)
    return holds, f"autocorrelation at 1 to 10 round trips: {text}"


@claim("B06")
def _b06(runs: Runs) -> Result:
    s, holds, parts = reference(runs), True, []
    for b in s.bottlenecks:
        offered = 0.3 * b
        at = [float(m.values("throughput", (0.3,))[0]) / 1e6 for m in (s.blt[b], s.tcp[b])]
        most = [float(m.values("throughput").max()) / 1e6 for m in (s.blt[b], s.tcp[b])]
        holds = holds and all(abs(a / offered - 1) <= 0.05 for a in at) and most[0] > most[1]
        parts.append(f"{b}: {at[0]:.1f} and {at[1]:.1f} of {offered:.0f}, at most {most[0]:.1f} and {most[1]:.1f}")
    return holds, "BLT and TCP, Mbit/s, at 0.3 of the line " + "; ".join(parts)


@claim("B07")
def _b07(runs: Runs) -> Result:
    gaps = np.array(reference(runs).gaps())
    near = (abs(gaps - np.array([0.5, 0.8, 0.9])) <= 0.2).all()
    return bool(near and (np.diff(gaps) > 0).all()), f"decades {listed(gaps)}; the paper 0.5, 0.8, 0.9"


@claim("B08")
def _b08(runs: Runs) -> Result:
    s = reference(runs)
    blt, tcp = s.greatest("BLT")[1], s.greatest("TCP")[2]
    return blt > tcp, f"{blt:.2f} against {tcp:.2f}"


@claim("B09")
def _b09(runs: Runs) -> Result:
    s, at = reference(runs), (0.7, 0.8)
    fair = {b: [m.values("fair", at) for m in (s.blt[b], s.tcp[b])] for b in s.bottlenecks}
    mixed = all((x[0] > x[1]).all() for b, x in fair.items() if b != 90) and bool((fair[90][0] < fair[90][1]).all())
    first = all(m.values("fair").argmax() <= 1 for curves in s.schemes.values() for m in curves.values())
    text = "; ".join(f"{b}: BLT {listed(x[0])}, TCP {listed(x[1])}" for b, x in fair.items())
    return mixed and first, f"at 0.7 and 0.8 {text}; fairest at the lowest loads: {'yes' if first else 'no'}"


@claim("B26")
def _b26(runs: Runs) -> Result:
    s, bt = reference(runs), bully(runs)
    low, up = (0.05, 0.1, 0.2), (0.05, 0.1, 0.2, 0.3, 0.4)
    close = float(abs(bt.values("power", low) - s.blt[30].values("power", low)).max())
    above = bool((bt.values("power", up) > s.tcp[30].values("power", up)).all())
    fallen = bt.greatest.mean() - bt.values("power") > 1
    beyond = np.array(LOADS) > 0.3
    at = LOADS[int(np.argmax(fallen & beyond))] if (fallen & beyond).any() else np.inf
    kept = s.blt[30].greatest.mean() - float(s.blt[30].values("power", (at,))[0]) if at < 1 else np.nan
    holds = bool(close < 0.05 and above and kept < 0.3)
    return holds, f"within {close:.3f} up to 0.2; a decade down at {at:g}, where BLT is {kept:.2f} down"


@claim("B27")
def _b27(runs: Runs) -> Result:
    s, bt = reference(runs), bully(runs)
    found = [float(m.values("fair", (0.4,))[0]) for m in (bt, s.blt[30], s.tcp[30])]
    return found[0] < min(found[1:]), f"at 0.4: BT {found[0]:.3f}, BLT {found[1]:.3f}, TCP {found[2]:.3f}"


def _rises(powers: Floats) -> float:
    """By how much a curve rises again after it fell, or falls before it rises on: 0 where it has one maximum."""
    top = int(powers.argmax())
    before, after = np.maximum.accumulate(powers[: top + 1]), np.minimum.accumulate(powers[top:])
    return float(max((before - powers[: top + 1]).max(), (powers[top:] - after).max()))


@claim("B33")
def _b33(runs: Runs) -> Result:
    s = reference(runs)
    curves = [m for of in s.schemes.values() for m in of.values()]
    again = max(_rises(m.values("power")) for m in curves)
    best = [int(m.values("power").argmax()) for m in curves]
    response = np.array([m.values("response")[i] / m.values("response")[0] for m, i in zip(curves, best, strict=True)])
    gain = np.array(
        [m.values("throughput").max() / m.values("throughput")[i] for m, i in zip(curves, best, strict=True)]
    )
    holds = again < 0.02 and bool((response < 2).all() and (gain < 1.1).all())
    return holds, (
        f"besides its maximum power rises by {again:.3f} decades at most; there the response time is {listed(response)} times "
        f"that at light load (TCP, BLT at 30, 90, 150), and throughput grows by a factor of {listed(gain)} beyond"
    )


@claim("B28")
def _b28(runs: Runs) -> Result:
    s = reference(runs)
    inside = [m.values("inside", UP_TO_09) for m in (s.blt[30], s.tcp[30])]
    # Little's law counts the same connections by their number over the length of the run.
    away = 0.0
    for m in (s.blt[30], s.tcp[30]):
        for load in UP_TO_09:
            runs_of = m.points[load].runs
            little = [m.curve.files / r.span * r.response for r in runs_of]
            away = max(away, float(max(abs(r.inside / x - 1) for r, x in zip(runs_of, little, strict=True))))
    return bool((inside[0] < inside[1]).all() and away < 1e-9), (
        f"BLT {listed(inside[0], 1)}; TCP {listed(inside[1], 1)}; Little's law to {away:.0e}"
    )


#: Table 1 by scheme, and how near ours has to be: its rounding, three runs, and the length of a run, which is not given.
TABLE_1 = {"BLT": (6.9, 7.9, 8.3, 8.4, 9.2, 9.4), "TCP": (6.4, 7.1, 7.4, 7.5, 7.9, 8.1)}
NEAR = {"BLT": 0.15, "TCP": 0.25}


@claim("B10")
def _b10(runs: Runs) -> Result:
    sets, holds, parts = (reference(runs), gigabit(runs)), True, []
    for scheme, printed in TABLE_1.items():
        ours = np.array([x for s in sets for x in s.greatest(scheme)])
        holds = holds and bool((abs(ours - np.array(printed)) <= NEAR[scheme]).all())
        parts.append(f"{scheme} {listed(ours)}")
    return holds, "; ".join(parts)


@claim("B11")
def _b11(runs: Runs) -> Result:
    more = np.array(gigabit(runs).gaps()) - np.array(reference(runs).gaps())
    return bool((more >= 0.3).all()), f"{listed(more)} decades more"


@claim("B12")
def _b12(runs: Runs) -> Result:
    s = gigabit(runs)
    gaps = np.array(s.gaps())
    grow = all(np.all(np.diff(s.greatest(x)) > 0) for x in ("BLT", "TCP"))
    return bool(grow and (np.diff(gaps) > 0).all()), f"gaps {listed(gaps)}"


@claim("B13")
def _b13(runs: Runs) -> Result:
    s, at = gigabit(runs), (0.5, 0.6, 0.7, 0.8)
    fair = {b: [m.values("fair", at) for m in (s.blt[b], s.tcp[b])] for b in s.bottlenecks}
    fairer = all((fair[b][0] > fair[b][1]).all() for b in (600, 1000))
    apart = {b: float((x[0] - x[1]).mean()) for b, x in fair.items()}
    holds = fairer and abs(apart[200]) < min(apart[600], apart[1000])
    return holds, "; ".join(f"{b}: BLT {listed(x[0])}, TCP {listed(x[1])}" for b, x in fair.items())


@claim("B14")
def _b14(runs: Runs) -> Result:
    s, falls = gigabit(runs), []
    for curves in s.schemes.values():
        for m in curves.values():
            best = LOADS[int(m.values("power").argmax())]
            beyond = min(LOADS[-1], round(best + 0.2, 2))
            if beyond > best:
                falls.append(float(-np.diff(m.values("fair", (best, beyond)))[0]))
    return bool(np.mean(falls) > 0.03), f"falls by {listed(np.array(falls), 3)} within 0.2 of the line"


@claim("B29")
def _b29(runs: Runs) -> Result:
    blt = gigabit(runs).blt[1000]
    response, inside = (float(np.interp(0.72, LOADS, blt.values(name, LOADS))) for name in ("response", "inside"))
    return abs(response - 0.032) <= 0.001 and 27 <= inside <= 30, f"{response:.4f} s, {inside:.1f} connections"


@claim("B30")
def _b30(runs: Runs) -> Result:
    found = gigabit(runs).tcp[1000].at_best("response")
    return 0.24 <= found.mean() <= 0.31, f"{found.mean():.3f} s, from {found.min():.3f} to {found.max():.3f}"
