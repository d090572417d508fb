"""Claims of section 2 as predicates: what it says of the algorithm, and its formulas. Thresholds are the section's own."""

from __future__ import annotations

import numpy as np

from ...analysis import fq_poisson_delay, telnet_delay_bounds
from ..claims import Claims, Runs, listed
from .delays import KINDS, SIZES, N, delay, extra, points
from .emulation import LONGEST, discrepancies

CLAIMS = Claims()
claim = CLAIMS.claim

Result = tuple[bool, str]
DELTAS = ("delta=0", "delta=P", "delta=infinity")


@claim(
    "D20",
    "section-2.2",
    "Round robin shares packets, not bits; FQ shares bits: packets of 1000 and 500 bytes, 2:1 and 1:1 in bytes (within 1 %)",
)
def _d20(runs: Runs) -> Result:
    ratio = {}
    for name in ("FQ", "round robin"):
        for metric in ("bytes", "throughput"):
            one, two = runs.of(f"bits, {name}", metric, "1", "2")
            ratio[name, metric] = float(one / two)
    due = {("FQ", "bytes"): 1.0, ("round robin", "throughput"): 1.0, ("round robin", "bytes"): 2.0}
    text = ", ".join(f"{n} {r:.3f} in {'packets' if m == 'throughput' else m}" for (n, m), r in ratio.items())
    return all(abs(ratio[k] / d - 1) < 0.01 for k, d in due.items()), text


@claim(
    "D21",
    "section-2.2",
    "Bandwidth does not depend on delta (0, P, infinity: bytes of each conversation in every 500 s within two packets at each end), but a "
    "conversation that falls idle is served faster with it",
)
def _d21(runs: Runs) -> Result:
    apart = {}
    for load in ("bursts", "pauses"):
        sent = np.array([[runs.intervals(f"{load} {d}", "bytes", s) for s in ("1", "2", "4")] for d in DELTAS])
        apart[load] = float(np.ptp(sent, axis=0).max())
    none, some, endless = (delay(runs, f"bursts {d}") for d in DELTAS)
    text = ", ".join(f"{load} {a:.0f} bytes" for load, a in apart.items())
    holds = max(apart.values()) <= 4 * LONGEST and endless <= some < none
    return holds, f"at most {text} apart; delays {none:.3f}, {some:.3f}, {endless:.3f} packet times"


@claim(
    "D22",
    "section-2.2",
    "Bits sent for each conversation: bit-by-bit round robin, the preemptive and the nonpreemptive algorithm are always within P_max "
    "of each other (100 random traces)",
)
def _d22(_: Runs) -> Result:
    found = discrepancies(range(100))
    fcfs = found.pop("bit by bit, FCFS")
    text = ", ".join(f"{k} {v:.3f}" for k, v in found.items())
    return max(found.values()) <= 1 + 1e-6, f"farthest, in P_max: {text}; FCFS would be {fcfs:.1f} away"


@claim(
    "D23",
    "section-2.3",
    "The delay of a lone packet depends on P_T and delta through P_T - delta alone (within 2 %)",
)
def _d23(runs: Runs) -> Result:
    found = {round(p.size - p.delta, 3): p for p in points(runs) if p.delta == 0}
    pairs = [(p, found[round(p.size - p.delta, 3)]) for p in points(runs) if round(p.size - p.delta, 3) in found]
    prompt = [(p, q) for p, q in pairs if p.delta > 0]
    away = [abs(getattr(p, how) / getattr(q, how) - 1) for p, q in prompt for how in ("staggered", "coincident")]
    text = "; ".join(
        f"({p.size:g}, {p.delta:g}) {p.coincident:.3f}, ({q.size:g}, 0) {q.coincident:.3f}" for p, q in prompt
    )
    return max(away) < 0.02, f"at most {100 * max(away):.2f} % apart; coincident {text}"


@claim(
    "D24",
    "section-2.3",
    "Delta = A(P_T - delta) lies between two bounds, attained by staggered and by coincident FTPs (both within 2 %)",
)
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


@claim(
    "D25",
    "section-2.3",
    "D_N(P_T) = D_0((N+1) P_T) + A(P_T) for any arrivals and P_T of P_F or more: within three standard errors, which are below 2 % of "
    "D_N, and the .01 packet times of an access line",
)
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


@claim(
    "D18c",
    "figure-1",
    "With delta = P the FQ curve is the formula's: .66, 1.44, 3.03, 19.4 packet times, within 5 %",
)
def _d18_prompt(runs: Runs) -> Result:
    loads = ("0.05", "0.25", "0.5", "0.9")
    got = np.array([delay(runs, f"FQ delta=P rho={r}") for r in loads])
    due = np.array([fq_poisson_delay(float(r), N, 1) for r in loads])
    return bool((abs(got / due - 1) < 0.05).all()), f"{listed(got)}, formula {listed(due)}"


@claim(
    "D18d",
    "figure-1",
    "At low throughput FQ gives NP/2 with delta = 0, P/2 with delta = P, FCFS (NW - 1/2)P: at rho = .01 and .05 nearest to 1.5, .5, 14.5",
)
def _d18_limits(runs: Runs) -> Result:
    # The formulas at rho = .01: 1.520 and .531; a twentieth of the limits apart from them at rho = .05 for FCFS.
    got = np.array(
        [delay(runs, "FQ W=5 rho=0.01"), delay(runs, "FQ delta=P rho=0.01"), delay(runs, "FCFS W=5 rho=0.05")]
    )
    limit = np.array([N / 2, 0.5, 14.5])
    holds = bool((abs(got - limit) <= np.array([0.1, 0.1, 0.3])).all())
    return holds, f"{listed(got, 3)} packet times"
