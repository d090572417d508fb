"""Claims of section 2 as predicates: what it says of the algorithm, and its formulas. Thresholds are the section's own."""

from __future__ import annotations

import numpy as np

from ..claims import Result, Runs, listed
from ..formulas import fq_poisson_delay, telnet_delay_bounds
from .delays import KINDS, PREEMPTIVE, SIZES, N, delay, extra, points
from .emulation import LONGEST, discrepancies
from .statements import claim

DELTAS = ("delta=0", "delta=P", "delta=infinity")


@claim("D21")
def _d21(runs: Runs) -> Result:
    apart = {}
    for load in ("bursts", "pauses"):
        sent = np.array([[runs.intervals(f"{load} {d}", "bytes", s) for s in ("1", "2", "4")] for d in DELTAS])
        apart[load] = float(np.ptp(sent, axis=0).max())
    none, some, endless = (delay(runs, f"bursts {d}") for d in DELTAS)
    text = ", ".join(f"{load} {a:.0f} bytes" for load, a in apart.items())
    holds = max(apart.values()) <= 4 * LONGEST and endless <= some < none
    return holds, f"at most {text} apart; delays {none:.3f}, {some:.3f}, {endless:.3f} packet times"


@claim("D22")
def _d22(_: Runs) -> Result:
    found = discrepancies(range(100))
    fcfs = found.pop("bit by bit, FCFS")
    text = ", ".join(f"{k} {v:.3f}" for k, v in found.items())
    return max(found.values()) <= 1 + 1e-6, f"farthest, in P_max: {text}; FCFS would be {fcfs:.1f} away"


@claim("D23")
def _d23(runs: Runs) -> Result:
    found = {round(p.size - p.delta, 3): p for p in points(runs) if p.delta == 0}
    pairs = [(p, found[round(p.size - p.delta, 3)]) for p in points(runs) if round(p.size - p.delta, 3) in found]
    prompt = [(p, q) for p, q in pairs if p.delta > 0]
    away = [abs(getattr(p, how) / getattr(q, how) - 1) for p, q in prompt for how in ("staggered", "coincident")]
    text = "; ".join(
        f"({p.size:g}, {p.delta:g}) {p.coincident:.3f}, ({q.size:g}, 0) {q.coincident:.3f}" for p, q in prompt
    )
    return max(away) < 0.02, f"at most {100 * max(away):.2f} % apart; coincident {text}"


@claim("D24")
def _d24(runs: Runs) -> Result:
    away = [
        abs(got / due - 1)
        for p in points(runs)
        for got, due in ((p.staggered, p.bounds[0]), (p.coincident, p.bounds[1]))
    ]
    between = all(
        p.bounds[0] * 0.98 <= g <= p.bounds[1] * 1.02 for p in points(runs) for g in (p.staggered, p.coincident)
    )
    return between and max(away) < 0.02, f"{len(away)} delays, at most {100 * max(away):.2f} % from their bound"


@claim("D41")
def _d41(runs: Runs) -> Result:
    found = points(runs, PREEMPTIVE)
    got = [(g, due) for p in found for g, due in zip((p.staggered, p.coincident), p.bounds, strict=True)]
    away = max(abs(g - due) / max(due, 0.5) for g, due in got)
    waits = {(p.size, p.delta): p for p in points(runs)}
    pairs = [(p, waits[p.size, p.delta]) for p in found if p.size - p.delta < 0.6]
    sooner = all(getattr(q, how) - getattr(p, how) > 0.1 for p, q in pairs for how in ("staggered", "coincident"))
    text = ", ".join(f"{p.size - p.delta:g} {p.coincident:.3f} and {q.coincident:.3f}" for p, q in pairs)
    return away < 0.02 and sooner, (
        f"{len(got)} delays, at most {100 * away:.2f} % from their bound; coincident with preemption and without: {text}"
    )


@claim("D25")
def _d25(runs: Runs) -> Result:
    holds, text = True, []
    for kind in KINDS:
        for size in SIZES:
            alone, rest = extra(runs, kind, size)
            a = telnet_delay_bounds(N, 1, size / 1000)[0]
            error = float(rest.std(ddof=1)) / rest.size**0.5
            holds = holds and abs(float(rest.mean()) - a) <= 3 * error + 0.01 and error < 0.02 * (alone + a)
            text.append(f"{kind}, {size / 1000:g}: {rest.mean():.3f} ± {error:.3f} more than D_0, A = {a:g}")
    return holds, "; ".join(text)


@claim("D18c")
def _d18_prompt(runs: Runs) -> Result:
    loads = ("0.05", "0.25", "0.5", "0.9")
    got = np.array([delay(runs, f"FQ delta=P rho={r}") for r in loads])
    due = np.array([fq_poisson_delay(float(r), N, 1) for r in loads])
    return bool((abs(got / due - 1) < 0.05).all()), f"{listed(got)}, formula {listed(due)}"
