"""Old queues beside those of today: what is run, and what was predicted before the first run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matrices.means import Found, between, off

#: What is run.
OPTIONS: dict[str, Any] = {
    "controls": "cubic,reno,bbr1,vegas",
    "queues": "fcfs,fq,csfq,drr_plus,fq_codel,dualpi2",
    "rate": "20Mbit/s",
    "rtt": "40ms",
    "buffer": "1bdp",
    "ratio": "4",
    "web": True,
    "duration": "60s",
    "runs": 5,
}

#: Measures that the page shows, and those of which it has a figure.
SHOWN = ("share", "harm", "sparse_p95", "delay_p95", "utilisation")
DRAWN = ("share", "sparse_p95")


def p1(f: Found) -> tuple[bool, str]:
    fq, codel = f.pairs("share", "fq"), f.pairs("share", "fq_codel")
    good = all(0.45 <= v <= 0.55 for v in [*fq, *codel])
    return good, f"FQ {between(fq)}, FQ-CoDel {between(codel)}"


def p2(f: Found) -> tuple[bool, str]:
    fq, codel = f.pairs("sparse_p95", "fq"), f.pairs("sparse_p95", "fq_codel")
    fcfs = [f.mean("sparse_p95", "fcfs", "cubic", b) for b in f.controls]
    good = max(*fq, *codel) <= 0.022 and min(fcfs) >= 0.040
    text = f"FQ {between(fq, 1e3, 1)} ms, FQ-CoDel {between(codel, 1e3, 1)} ms, FCFS beside cubic {between(fcfs, 1e3, 1)} ms"
    return good, text


def p3(f: Found) -> tuple[bool, str]:
    fq, codel = (f.mean("delay_p95", q, "cubic", "cubic") for q in ("fq", "fq_codel"))
    return fq >= 0.045 and codel <= 0.035, f"FQ {fq * 1e3:.1f} ms, FQ-CoDel {codel * 1e3:.1f} ms"


def p4(f: Found) -> tuple[bool, str]:
    csfq, fq = f.pairs("share", "csfq"), f.pairs("share", "fq")
    good = all(0.35 <= v <= 0.65 for v in csfq) and off(csfq) >= 2 * off(fq)
    return good, f"CSFQ {between(csfq)}; from a half in the mean {off(csfq):.3f}, FQ {off(fq):.3f}"


def p5(f: Found) -> tuple[bool, str]:
    csfq = [f.mean("sparse_p95", "csfq", "cubic", b) for b in f.controls]
    return min(csfq) >= 0.035, f"{between(csfq, 1e3, 1)} ms"


def p6(f: Found) -> tuple[bool, str]:
    shares, delays = f.pairs("share", "drr_plus"), f.pairs("sparse_p95", "drr_plus")
    good = all(0.45 <= v <= 0.55 for v in shares) and max(delays) <= 0.0225
    return good, f"shares {between(shares)}, delay {between(delays, 1e3, 1)} ms"


def p7(f: Found) -> tuple[bool, str]:
    plus, fq = (f.mean("utilisation", q, "cubic", "cubic") for q in ("drr_plus", "fq"))
    return plus < 0.97 and fq > 0.985, f"DRR+ {plus:.1%}, FQ {fq:.1%}"


def p8(f: Found) -> tuple[bool, str]:
    share = f.mean("share", "dualpi2", "bbr1", "reno")
    dual, fq = f.pairs("sparse_p95", "dualpi2"), f.pairs("sparse_p95", "fq")
    good = share >= 0.75 and all(a > b for a, b in zip(dual, fq, strict=True))
    return good, f"share of bbr1 {share:.2f}; sparse flow {between(dual, 1e3, 1)} ms, FQ {between(fq, 1e3, 1)} ms"


def p9(f: Found) -> tuple[bool, str]:
    worst = {q: max(f.mean("harm", q, a, b) for a in f.controls for b in f.controls) for q in ("fq", "fcfs")}
    return worst["fq"] <= 0.55 and worst["fcfs"] >= 0.8, f"FQ {worst['fq']:.2f}, FCFS {worst['fcfs']:.2f}"


def p10(f: Found) -> tuple[bool, str]:
    fq, fcfs, plus = (off(f.pairs("share", q, 4.0)) for q in ("fq", "fcfs", "drr_plus"))
    return fq < fcfs and fq < plus, f"from a half in the mean: FQ {fq:.3f}, FCFS {fcfs:.3f}, DRR+ {plus:.3f}"


def p11(f: Found) -> tuple[bool, str]:
    fq, fcfs, codel = (f.mean("web_p95", q, "cubic", "cubic") for q in ("fq", "fcfs", "fq_codel"))
    good = fq <= fcfs and abs(codel - fq) <= 0.2 * fq
    return good, f"FQ {fq:.2f} s, FCFS {fcfs:.2f} s, FQ-CoDel {codel:.2f} s"


#: The predictions, as they stood before the run, with what holds them against it.
PREDICTIONS: list[tuple[str, Callable[[Found], tuple[bool, str]]]] = [
    (
        "FQ of 1989 shares the line as FQ-CoDel does: with equal round trips every pair has between 0.45 and 0.55 "
        "under both.",
        p1,
    ),
    (
        "FQ keeps the call as short as FQ-CoDel: 95 % of its packets take at most 22 ms in every pair; FCFS "
        "beside cubic 40 ms or more.",
        p2,
    ),
    (
        "What FQ lacks is an answer to a flow's own queue: cubic beside cubic takes 45 ms or more (95 %), with "
        "FQ-CoDel at most 35 ms.",
        p3,
    ),
    (
        "CSFQ of 1998 shares less well: every pair between 0.35 and 0.65, but at least twice as far from a half "
        "as FQ in the mean.",
        p4,
    ),
    (
        "CSFQ has one queue, so the call waits in it: 35 ms or more (95 %) beside cubic and anything.",
        p5,
    ),
    (
        "DRR+ of 2001 isolates as FQ does: shares between 0.45 and 0.55, and the call at most 22.5 ms.",
        p6,
    ),
    (
        "DRR+ pays with throughput: its thresholds of 5 and 15 KB leave cubic beside cubic below 97 % of the "
        "line, where FQ has 98.5 %.",
        p7,
    ),
    (
        "DualPI2 protects no classic flow from another: bbr1 has 0.75 or more beside reno, and the call waits "
        "longer than under FQ in every pair.",
        p8,
    ),
    (
        "No harm to goodput is above 0.55 under FQ with equal round trips, where 0.5 is a fair half; FCFS has one "
        "of 0.8 or more.",
        p9,
    ),
    (
        "With B four times as far, FQ is nearer to equal shares than FCFS in the mean, and than DRR+, whose short "
        "queues starve long paths.",
        p10,
    ),
    (
        "Pages beside two cubic flows come no later (95 %) with FQ than with FCFS, and FQ-CoDel is within 20 % of FQ.",
        p11,
    ),
]
