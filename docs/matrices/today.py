"""The schemes of today in pairs: what is run, and what was predicted before the first run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from matrices.means import Found, between, off

#: A queue of CoDel that marks, as a router with RFC 3168 and without L4S has it.
CODEL = "codel:mark=true"

#: What is run.
OPTIONS: dict[str, Any] = {
    "controls": "cubic,bbr3,prague,copa",
    "queues": f"fcfs,red,{CODEL},fq_codel,cake,dualpi2,fq,csfq,drr_plus",
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
    found = {q: f.pairs("share", q) for q in ("fq", "fq_codel", "cake")}
    good = all(0.45 <= v <= 0.55 for values in found.values() for v in values)
    return good, "; ".join(f"{q} {between(values)}" for q, values in found.items())


def p2(f: Found) -> tuple[bool, str]:
    cake, codel = f.pairs("sparse_p95", "cake"), f.pairs("sparse_p95", "fq_codel")
    good = max(*cake, *codel) <= 0.022 and all(abs(a - b) <= 0.001 for a, b in zip(cake, codel, strict=True))
    return good, f"CAKE {between(cake, 1e3, 1)} ms, FQ-CoDel {between(codel, 1e3, 1)} ms"


def p3(f: Found) -> tuple[bool, str]:
    prague, cubic = (f.mean("delay_p95", "dualpi2", c, c) for c in ("prague", "cubic"))
    return prague <= 0.022 and cubic >= 0.030, f"prague {prague * 1e3:.1f} ms, cubic {cubic * 1e3:.1f} ms"


def p4(f: Found) -> tuple[bool, str]:
    share = f.mean("share", "dualpi2", "prague", "cubic")
    return 0.35 <= share <= 0.65, f"{share:.2f}"


def p5(f: Found) -> tuple[bool, str]:
    share = f.mean("share", CODEL, "prague", "cubic")
    return share >= 0.75, f"{share:.2f}"


def p6(f: Found) -> tuple[bool, str]:
    share = f.mean("share", "fcfs", "prague", "cubic")
    return share <= 0.5, f"{share:.2f}"


def p7(f: Found) -> tuple[bool, str]:
    share = f.mean("share", "fcfs", "bbr3", "cubic")
    return 0.35 <= share <= 0.65, f"{share:.2f}"


def p8(f: Found) -> tuple[bool, str]:
    alone, beside, own = (f.mean("share", q, "copa", "cubic") for q in ("fcfs", CODEL, "fq"))
    good = alone <= 0.4 and own >= 0.45
    return good, f"FCFS {alone:.2f}, CoDel {beside:.2f}, FQ {own:.2f}"


def p9(f: Found) -> tuple[bool, str]:
    worst = {q: max(abs(v - 0.5) for v in f.pairs("share", q)) for q in ("csfq", "fq")}
    return worst["csfq"] >= 0.15 and worst["fq"] <= 0.05, f"CSFQ {worst['csfq']:.2f}, FQ {worst['fq']:.2f}"


def p10(f: Found) -> tuple[bool, str]:
    cubic, bbr3 = (f.mean("utilisation", "drr_plus", c, c) for c in ("cubic", "bbr3"))
    return cubic < 0.95 <= bbr3, f"cubic {cubic:.1%}, bbr3 {bbr3:.1%}"


def p11(f: Found) -> tuple[bool, str]:
    pages = {q: f.mean("web_p95", q, "cubic", "cubic") for q in ("fq", "cake")}
    call = {q: f.mean("sparse_p95", q, "cubic", "cubic") for q in ("fq", "cake")}
    good = abs(pages["cake"] - pages["fq"]) <= 0.2 * pages["fq"] and abs(call["cake"] - call["fq"]) <= 0.001
    return good, (
        f"pages {pages['fq']:.2f} s with FQ, {pages['cake']:.2f} s with CAKE; "
        f"call {call['fq'] * 1e3:.1f} and {call['cake'] * 1e3:.1f} ms"
    )


def p12(f: Found) -> tuple[bool, str]:
    fq, cake = (f.mean("delay_p95", q, "cubic", "cubic") for q in ("fq", "cake"))
    return fq >= 0.055 and cake <= 0.035, f"FQ {fq * 1e3:.1f} ms, CAKE {cake * 1e3:.1f} ms"


def p13(f: Found) -> tuple[bool, str]:
    dual, cake = (f.mean("share", q, "prague", "prague", 4.0) for q in ("dualpi2", "cake"))
    return dual >= 0.7 and 0.45 <= cake <= 0.55, f"DualPI2 {dual:.2f}, CAKE {cake:.2f}"


def p14(f: Found) -> tuple[bool, str]:
    means = {q: off(f.pairs("share", q)) for q in ("fcfs", "red", CODEL, "dualpi2")}
    good = all(means[q] < means["fcfs"] for q in ("red", CODEL, "dualpi2"))
    return good, ", ".join(f"{q} {value:.3f}" for q, value in means.items())


#: The predictions, as they stood before the run, with what holds them against it.
PREDICTIONS: list[tuple[str, Callable[[Found], tuple[bool, str]]]] = [
    (
        "A queue for each flow shares what the controls do not: with equal round trips every pair has between 0.45 "
        "and 0.55 under FQ, FQ-CoDel and CAKE.",
        p1,
    ),
    (
        "CAKE and FQ-CoDel serve the call alike: 95 % of its packets take at most 22 ms in every pair, and the two "
        "differ by at most 1 ms.",
        p2,
    ),
    (
        "DualPI2 keeps its promise: of prague beside prague 95 % of the packets take at most 22 ms, of cubic beside "
        "cubic 30 ms or more.",
        p3,
    ),
    ("DualPI2 couples its queues well: prague has between 0.35 and 0.65 beside cubic.", p4),
    ("One classic queue that marks is what L4S fears: under CoDel prague has 0.75 or more beside cubic.", p5),
    ("Where nothing marks, prague is a Reno: at most 0.5 beside cubic under FCFS.", p6),
    ("Version 3 of BBR is gentler than version 1: between 0.35 and 0.65 beside cubic under FCFS.", p7),
    (
        "A control by delay needs a queue of its own: copa has at most 0.4 beside cubic under FCFS, and 0.45 or more under FQ.",
        p8,
    ),
    ("CSFQ of 1998 has a pair 0.15 or more away from a half, FQ of 1989 none more than 0.05.", p9),
    (
        "DRR+ of 2001 costs cubic a twentieth of the line and bbr3 nothing: cubic is below 95 %, bbr3 is not.",
        p10,
    ),
    (
        "FQ of 1989 is worth as much as CAKE to everybody else: pages beside two cubic flows come within 20 % (95 %), "
        "and the call within 1 ms.",
        p11,
    ),
    (
        "What CAKE adds is a short queue of one's own: cubic beside cubic takes at most 35 ms (95 %), with FQ 55 ms or more.",
        p12,
    ),
    (
        "With B four times as far, one low-latency queue goes by round trips and CAKE does not: prague near by has "
        "0.7 or more beside prague far away under DualPI2, and between 0.45 and 0.55 under CAKE.",
        p13,
    ),
    ("Any AQM in one queue shares better than FCFS, in the mean over all pairs.", p14),
]
