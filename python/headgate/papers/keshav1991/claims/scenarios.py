"""Claims about traces of the scenarios, and about what ranks the sources; the others are lines of `claims.toml`, with these measures."""

from __future__ import annotations

import math

import numpy as np

from ...claims import Result, Runs, ends, listed
from ...measure import Floats
from ..evidence.requirements import busy
from ..rates import reaches
from ..statements import CLAIMS, claim

BOTH = ("1", "2")
FTPS = ("1", "2", "3", "4", "5", "6")
OFF = (300.0, 600.0)
LOW = "PP/FQ set-point 2"
CHARGED = "PP/FQ charged"


@claim("E5-24")
def _e5_24(runs: Runs) -> Result:
    # In the thesis it is source 2 that overestimates R; with other starts it is the one whose first packet waited longer.
    found, holds = [], True
    for p in ("PP/FQ", LOW):
        delay = runs.of(p, "delay", "1", "2")
        r = np.array([runs.trace(p, "round_trip", s)[1][-1] for s in ("1", "2")])
        over = int(r[1] >= r[0])
        holds = holds and bool(r[over] > r[1 - over] and delay[over] < delay[1 - over])
        found.append(f"{p}: R {listed(r, 3)} s, delays {listed(delay, 3)} s")
    return holds, "; ".join(found)


@claim("K2b")
def _k2b(runs: Runs) -> Result:
    got, drops = runs.of("G/FCFS", "throughput", *FTPS), runs.of("G/FCFS", "drop_rate", *FTPS)
    share = float(drops[np.argsort(got)[-2:]].sum() / drops.sum()) if drops.sum() > 0 else 1.0
    return share < 0.1, f"{100 * share:.1f} % of {drops.sum():.3f} drops/s"


@claim("K3f-2")
def _k3f_time(runs: Runs) -> Result:
    after = {p: reaches(runs, p, *OFF, 4.5) for p in ("PP/FQ", "JK/FCFS", "JK/FQ", "DEC/FQbit", "DEC/DEC")}
    never = {p: math.inf if math.isnan(t) else t for p, t in after.items()}
    between = [never[p] for p in ("JK/FCFS", "JK/FQ", "DEC/FQbit")]
    holds = never["PP/FQ"] < min(between) and max(between) < never["DEC/DEC"]
    return holds, ", ".join(f"{p} {t:.1f} s" if math.isfinite(t) else f"{p} never" for p, t in never.items())


@claim("K3g")
def _k3g(runs: Runs) -> Result:
    found, flat = [], True
    for source in ("1", "2"):
        times, window = runs.trace("JK/FCFS", "window", source)
        before = window[times <= 500]
        inside = window[(times > 500) & (times < 600)]
        values = np.floor(np.append(before[-1:], inside))
        flat = flat and values.size > 0 and bool((values == 40).all())
        found.append(f"{values.min():g} to {values.max():g}" if values.size else "no trace")
    return flat, f"from 500 s to 600 s: {'; '.join(found)} packets"


@claim("K3g-2")
def _k3g_spike(runs: Runs) -> Result:
    times, spacing = runs.trace("PP/FQ", "packet_spacing", "1")
    level = float(np.median(spacing[(times > 400) & (times < 600)]))
    inside = (times >= 300) & (times < 600)
    beyond = inside & (spacing < level / 1.1)
    if not beyond.any():
        return False, f"level {level:.3f} s, never beyond"
    soon = times[beyond & (times < 350)]
    peak, lasts = float(spacing[beyond].min()), float(np.ptp(soon)) if soon.size else math.inf
    text = f"1/rate down to {peak:.3f} s, level {level:.3f} s, for {lasts:.1f} s: the rate overshoots by {100 * (level / peak - 1):.0f} %"
    return level / peak >= 1.5 and lasts < 30, text


@claim("K3g-3")
def _k3g_swing(runs: Runs) -> Result:
    times, probe = runs.trace("PP/FQ", "probe", "1")
    inside = probe[np.searchsorted(times, 600) - 1 : np.searchsorted(times, 900)]
    steps = np.maximum(inside[1:], inside[:-1]) / np.minimum(inside[1:], inside[:-1]) - 1
    most = float(steps.max(initial=0.0))
    at, spacing = runs.trace("PP/FQ", "packet_spacing", "1")
    late = spacing[(at > 700) & (at < 900)]
    text = (
        f"from 700 s on 1/rate between {ends(late, 3)} s, {late.size} changes"
        if late.size
        else "1/rate is still from 700 s on"
    )
    return most >= 0.95 and late.size > 20, f"probes by up to {100 * most:.0f} %; {text}"


@claim("K7e")
def _k7e(runs: Runs) -> Result:
    found = {p: _moves(runs, p) for p in ("PP/FQ", CHARGED)}
    text = "; ".join(
        f"{p}: {changes} changes, {100 * share:.0f} % within 0.01 s of a multiple, middle half {low:.1f} to {high:.1f} s, most {most:.0f}"
        for p, (changes, share, low, high, most) in found.items()
    )
    changes, share, _, _, most = found["PP/FQ"]
    return changes > 10 and share > 0.9 and most >= 59, text


@claim("C5-20")
def _c5_20(runs: Runs) -> Result:
    text, verdicts = [], []
    for pair, free in (("PP/FQ", "PP/FQ no window"), (CHARGED, f"{CHARGED}, no window")):
        limited, unlimited = _lost(runs, pair), _lost(runs, free)
        most = max(_most(runs, free, "in_flight", s) for s in BOTH)
        verdicts.append(limited < 0.001 and unlimited > 10 * limited and most > 100)
        text.append(f"{pair}: {100 * limited:.2f} % lost, without {100 * unlimited:.2f} % and {most:.0f} outstanding")
    return verdicts[0], "; ".join(text)


def _lost(runs: Runs, variant: str) -> float:
    """Share of the packets that were dropped, over both sources."""
    dropped = float(runs.of(variant, "drop_rate", *BOTH).sum())
    return dropped / (dropped + float(runs.of(variant, "raw", *BOTH).sum()))


def _most(runs: Runs, variant: str, kind: str, source: str) -> float:
    """The highest value of a trace after the first interval, with the one that it begins with."""
    times, values = runs.trace(variant, kind, source)
    return float(values[max(0, int(np.searchsorted(times, 300, "right")) - 1) :].max())


def _moves(runs: Runs, variant: str) -> tuple[int, float, float, float, float]:
    """After the first interval: changes of the pairs' spacing, share near multiples of 0.1 s, middle half, maximum outstanding."""
    times, spacing = runs.trace(variant, "probe", "1")
    late: Floats = spacing[times > 300]
    most = _most(runs, variant, "in_flight", "1")
    if not late.size:
        return 0, 0.0, float(spacing[-1]), float(spacing[-1]), most
    near = float((abs(late - np.round(late, 1)) < 0.01).mean())
    low, high = np.quantile(late, (0.25, 0.75))
    return late.size, near, float(low), float(high), most


@claim("C5-23")
def _c5_23(runs: Runs) -> Result:
    return busy(runs)


@CLAIMS.measure("mean service time")
def _mean_service(runs: Runs, variant: str, *sources: str) -> list[float]:
    """Mean over time of the estimated service time, from the first interval's end on."""

    def mean(source: str) -> float:
        times, rate = runs.trace(variant, "service_rate", source)
        inside = times >= 300
        held = np.diff(np.append(times[inside], runs.end))
        return float((held / rate[inside]).sum() / held.sum())

    return [mean(source) for source in sources]


@CLAIMS.measure("window of the whole run")
def _window(runs: Runs, variant: str, *sources: str) -> list[float]:
    """The highest window of each source."""
    return [float(runs.trace(variant, "window", source)[1].max()) for source in sources]


@CLAIMS.measure("highest window")
def _highest_window(runs: Runs, variant: str, source: str) -> float:
    """The highest window after the first interval."""
    return _most(runs, variant, "window", source)


@CLAIMS.measure("used")
def _used(runs: Runs, variant: str) -> list[float]:
    """What sources 1 and 2 and the cross traffic of each of three lines send, in packets/s."""
    own = float(runs.of(variant, "raw", *BOTH).sum())
    return [own + float(runs.of(variant, "raw", *(f"cross{k}{i}" for i in range(1, 5))).sum()) for k in (1, 2, 3)]
