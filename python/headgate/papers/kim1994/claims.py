"""The claims: what the lines of `claims.toml` measure of curves, and those that are no lines.

Thresholds are the paper's words in numbers, fixed before these runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np

from ..claims import Result, Runs, listed
from ..measure import Floats
from . import extensions, stream
from .curves import Set, bully, gigabit, lengths, readings, reference, without_ack
from .grid import LOADS, Measured
from .statements import CLAIMS, claim

__all__ = ["CLAIMS", "extensions", "stream"]

UP_TO_09 = LOADS[:10]


@lru_cache(maxsize=8)
def set_of(runs: Runs, name: str) -> Set:
    """The curves that lines call so."""
    sets: dict[str, Callable[[], Set]] = {
        "reference": lambda: reference(runs),
        "gigabit": lambda: gigabit(runs),
        "3 ms": lambda: Set(runs, 150, 3),
        "1.8 ms": lambda: Set(runs, 150, 1.8),
        "slow": lambda: Set(runs, 15),
        "1 MB": lambda: Set(runs, 150, packets=2000),
        "gigabit, 1 MB": lambda: Set(runs, 1000, packets=2000),
        "10 KB": lambda: Set(runs, 150, packets=20),
    }
    return sets[name]()


def curve_of(runs: Runs, scheme: str) -> Measured:
    """The curve of a set, a scheme and a bottleneck, such as "3 ms BLT 30"."""
    name, scheme, bottleneck = scheme.rsplit(" ", 2)
    return bully(runs) if name == "bully" else set_of(runs, name).schemes[scheme][int(bottleneck)]


def _at(measure: str, runs: Runs, point: str) -> float:
    """A measure of a curve at a load, such as "3 ms BLT 30 0.5"."""
    curve, load = point.rsplit(" ", 1)
    return float(curve_of(runs, curve).values(measure, (float(load),))[0])


for _measure in ("response", "throughput", "busy", "fair", "power"):
    CLAIMS.measure(_measure)(partial(_at, _measure))


@CLAIMS.measure("gaps")
def _gaps(runs: Runs, name: str) -> list[float]:
    return set_of(runs, name).gaps()


@CLAIMS.measure("greatest")
def _greatest(runs: Runs, scheme: str) -> list[float]:
    name, scheme = scheme.rsplit(" ", 1)
    return set_of(runs, name).greatest(scheme)


@CLAIMS.measure("greatest without the acknowledgement")
def _without_ack(runs: Runs, scheme: str) -> list[float]:
    name, scheme = scheme.rsplit(" ", 1)
    return without_ack(set_of(runs, name), scheme)


@CLAIMS.measure("response at the greatest power")
def _at_best(runs: Runs, curve: str) -> Floats:
    return curve_of(runs, curve).at_best("response")


@CLAIMS.measure("greatest by number of connections")
def _by_length(runs: Runs, scheme: str) -> list[float]:
    return [float(m.greatest.mean()) for m in lengths(runs)[scheme]]


@CLAIMS.measure("greatest of a reading")
def _of_reading(runs: Runs, reading: str) -> list[float]:
    return [float(m.greatest.mean()) for m in readings(runs)[reading]]


@CLAIMS.measure("fair of a reading")
def _fair(runs: Runs, reading: str) -> Floats:
    """At 0.7 and 0.8 on the first three networks, which are those of figure 11: 30, 90, 150 Mbit/s."""
    return np.array([m.values("fair", (0.7, 0.8)) for m in readings(runs)[reading][:3]])


for (_, _name), _lines in CLAIMS.lines.items():
    claim(_name)(_lines)


@claim("B02")
def _b02(runs: Runs) -> Result:
    tcp = reference(runs).tcp[30]
    response, rates = tcp.values("response"), np.array([tcp.curve.rate(x) for x in LOADS])
    at = float(np.interp(2 * response[0], response, rates)) if response[-1] > 2 * response[0] else np.inf
    return 15 <= at <= 27, f"twice its light-load value at {at:.1f} connections/s"


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
