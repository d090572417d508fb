"""Claims about several congested links, relabelling, bursts, short transfers, long delays, weights and the idle line."""

from __future__ import annotations

import itertools
import math

import numpy as np

from ...analysis.csfq import csfq_chain
from ..claims import Result, Runs, listed
from ..measure import Floats
from . import measures as m
from .idle import LOADS, RULES, detected, overflowed
from .measures import FRED
from .one_link import nearer, said
from .statements import claim

#: Where the paper's axis probably ended.
FEW = range(1, 6)


@claim("S16")
def _s16(runs: Runs) -> Result:
    got = {case: m.flows(runs, case, "flow1", "flow2", "flow3") for case in ("UDP", "TCP")}
    off = {case: max(abs(3 * f.mean / 10 - 1) for f in found) for case, found in got.items()}
    text = "; ".join(f"{case} {listed(np.array([f.mean for f in found]))}" for case, found in got.items())
    return off["UDP"] <= 0.03 and off["TCP"] <= 0.10, f"{text} Mbit/s"


@claim("S17")
def _s17(runs: Runs) -> Result:
    got = np.array([f.mean for f in m.flows(runs, "UDP without relabelling", "flow1", "flow2", "flow3")])
    due = csfq_chain([10, 10], [[0, 1], [0, 1], [1]], [10, 10, 10], relabel=False)
    return bool((abs(got / due - 1) <= 0.05).all()), f"{listed(got)} Mbit/s, ideal {listed(due)}"


def _in_order(runs: Runs, names: tuple[str, ...], links: range) -> list[int]:
    """The numbers of links at which these schemes do not follow each other from the best to the worst."""
    wrong = []
    for k in links:
        found = [m.across(runs, s, k).mean for s in names]
        if not all(a > b for a, b in itertools.pairwise(found)):
            wrong.append(k)
    return wrong


def _fred(runs: Runs, links: range) -> str:
    """The better variant of FRED over these numbers of links."""
    return max(FRED, key=lambda s: sum(m.across(runs, s, k).mean for k in links))


def _across(runs: Runs, links: tuple[int, ...]) -> str:
    return "; ".join(f"{k} links: " + said({s: m.across(runs, s, k).mean for s in m.SCHEMES}) for k in links)


@claim("S8")
def _s8(runs: Runs) -> Result:
    best = _fred(runs, FEW)
    wrong = _in_order(runs, ("DRR", "CSFQ", best, "RED"), FEW)
    least = {s: min(m.across(runs, s, k).mean for k in FEW) for s in ("DRR", "CSFQ")}
    return not wrong and least["DRR"] >= 0.96 and least["CSFQ"] >= 0.85, _across(runs, (1, 5))


@claim("S8a")
def _s8_more(runs: Runs) -> Result:
    more = range(6, 11)
    return not _in_order(runs, ("DRR", "CSFQ", _fred(runs, more), "RED"), more), _across(runs, (10,))


@claim("S9")
def _s9(runs: Runs) -> Result:
    links = range(2, 6)
    best = _fred(runs, links)
    of = {s: np.array([m.across(runs, s, k).mean for k in links]) for s in m.SCHEMES}
    order = not _in_order(runs, ("DRR", "CSFQ", best), links)
    much = bool((of[best] >= 3 * np.maximum(of["RED"], of["FIFO"])).all())
    return order and much, _across(runs, (2, 5))


def _nearer_at_all(runs: Runs) -> Result:
    of = {s: [m.across(runs, s, k).mean for k in m.LINKS] for s in m.SCHEMES}
    far = [
        k
        for i, k in enumerate(m.LINKS)
        if not nearer(of["CSFQ"][i], of["DRR"][i], {s: of[s][i] for s in ("RED", "FIFO")})
    ]
    return not far, f"not so at {listed(np.array(far), 0)} links" if far else "at 1 to 10 links"


@claim("S1-6a")
def _s1_6a(runs: Runs) -> Result:
    return _nearer_at_all(runs)


@claim("S1-6b")
def _s1_6b(runs: Runs) -> Result:
    return _nearer_at_all(runs)


@claim("S12")
def _s12(runs: Runs) -> Result:
    got = {s: m.fraction(runs, s).mean for s in m.SCHEMES}
    few = all(got[s] < 0.32 for s in ("DRR", "CSFQ", *FRED))
    return few and all(got[s] > 0.65 for s in ("RED", "FIFO")), said(got, 3)


@claim("S12a")
def _s12_same(runs: Runs) -> Result:
    sent = np.array([m.seeds(runs, s, "sent", "on-off")[:, 0] for s in m.SCHEMES])
    return bool((sent == sent[0]).all()), f"{sent[0].min():.0f} to {sent[0].max():.0f} packets in a run"


@claim("S1-t1")
def _s1_table_1(runs: Runs) -> Result:
    got = {s: m.fraction(runs, s).mean for s in m.SCHEMES}
    return nearer(got["CSFQ"], got["DRR"], {s: got[s] for s in ("RED", "FIFO")}), said(got, 3)


def _times(runs: Runs, suffix: str = "") -> dict[str, float]:
    return {s: m.transfer_time(runs, f"{s}{suffix}").mean for s in m.SCHEMES}


@claim("S13")
def _s13(runs: Runs) -> Result:
    got = _times(runs)
    order = (got["DRR"], min(got[s] for s in FRED), got["CSFQ"], got["RED"], got["FIFO"])
    return all(a < b for a, b in itertools.pairwise(order)), f"{said(got, 0)} ms"


@claim("S14")
def _s14(runs: Runs) -> Result:
    got = _times(runs)
    red, fifo = got["RED"] / got["CSFQ"], got["FIFO"] / got["CSFQ"]
    return red > 3 and fifo > 5, f"RED {red:.1f} times, FIFO {fifo:.1f} times CSFQ's"


@claim("S14a")
def _s14_printed(runs: Runs) -> Result:
    got = _times(runs, " at 0.05 ms")
    times = got["RED"] / got["CSFQ"]
    return times < 10, f"RED {times:.1f} times CSFQ's; {said(got, 0)} ms"


@claim("S1-t2")
def _s1_table_2(runs: Runs) -> Result:
    got = {s: math.log(v) for s, v in _times(runs).items()}
    return nearer(got["CSFQ"], got["DRR"], {s: got[s] for s in ("RED", "FIFO")}), f"{said(_times(runs), 0)} ms"


@claim("S15")
def _s15(runs: Runs) -> Result:
    got = {s: m.tcp_packets(runs, s).mean for s in m.SCHEMES}
    good = all(v > 4000 for v in (got["CSFQ"], max(got[s] for s in FRED)))
    return good and max(got["RED"], got["FIFO"]) < 1000, f"{said(got, 0)} packets"


@claim("S15a")
def _s15_limit(runs: Runs) -> Result:
    few, many = (m.mean(runs, v, "deviation", "tcp*").mean for v in ("DRR", "DRR, window 100"))
    return few < 64 < many, f"{few:.0f} and {many:.0f} packets"


@claim("S1-t3")
def _s1_table_3(runs: Runs) -> Result:
    got = {s: m.tcp_packets(runs, s).mean for s in m.SCHEMES}
    return nearer(got["CSFQ"], got["DRR"], {s: got[s] for s in ("RED", "FIFO")}), f"{said(got, 0)} packets"


def shares(runs: Runs, variant: str) -> Floats:
    """What each of the four weighted flows gets, in Mbit/s."""
    return np.array([f.mean for f in m.flows(runs, variant, *(f"weight{w}" for w in (1, 2, 4, 8)))])


@claim("S23")
def _s23(runs: Runs) -> Result:
    got, due = shares(runs, "CSFQ"), 10 / 15 * np.array([1, 2, 4, 8])
    return bool((abs(got / due - 1) <= 0.02).all()), f"{listed(got, 3)} Mbit/s, ideal {listed(due, 3)}"


@claim("S18")
def _s18(runs: Runs) -> Result:
    early = {rules: [x for x in LOADS if overflowed(runs, f"{rules} {x}")] for rules in RULES}
    below = [x for x in early["paper"] if float(x) < 10]
    found = "; ".join(f"{rules}: {', '.join(xs) or 'never'}" for rules, xs in early.items())
    after = said({x: 1e3 * detected(float(x)) for x in ("2", "5", "10")}, 1)
    return not below, f"it overflows before at {found} times the line; congestion is found after (ms) {after}"


def _extremes(runs: Runs, variant: str) -> Floats:
    return np.array(m.offs(runs, variant))


@claim("V1")
def _v1(runs: Runs) -> Result:
    got = {t: m.udp(runs, f"3b after 10 s {w}").mean for t, w in (("0.1 s", "timeout 100 ms"), ("0.3 s", "nothing"))}
    got["1 s"] = m.udp(runs, "3b after 10 s timeout 1 s").mean
    return got["1 s"] >= 3 * got["0.1 s"], f"{said(got)} Mbit/s"


@claim("V2")
def _v2(runs: Runs) -> Result:
    got = {r: m.udp(runs, f"3b {v}").mean for r, v in (("paper", "nothing"), ("figure_2", "rules figure_2"))}
    return got["figure_2"] >= 1.5 * got["paper"], f"{said(got)} Mbit/s"


@claim("V3")
def _v3(runs: Runs) -> Result:
    exact, coded = (m.seeds(runs, f"3b {v}", "throughput", "udp")[:, 0] for v in ("nothing", "label 8 bit"))
    low = [_extremes(runs, f"3a {v}") for v in ("nothing", "label 8 bit")]
    same = abs(coded.mean() - exact.mean()) <= 2 * exact.std(ddof=1)
    even = (abs(low[1].mean(axis=1) - low[0].mean(axis=1)) <= 2 * low[0].std(axis=1, ddof=1)).all()
    ends = [f"{a:+.1f} to {b:+.1f} %" for a, b in (x.mean(axis=1) for x in low)]
    return bool(same and even), f"{exact.mean():.2f} and {coded.mean():.2f} Mbit/s; {ends[0]} and {ends[1]}"
