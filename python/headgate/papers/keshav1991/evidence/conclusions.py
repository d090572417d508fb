"""Section 6.7, statement by statement."""

from __future__ import annotations

import math

import numpy as np

from ...claims import Runs, ends, listed, spread
from ..rates import reaches
from .rows import BULK, FAIR, Verdict, bulk, least, name, needs, scenarios

_OTHERS = ("JK/FCFS", "JK/FQ", "DEC/DEC")
_TELNETS = {1: ("3", "4"), 2: ("7", "8"), 4: ("2",)}


def fq_better(runs: Runs) -> Verdict:
    worse, cells = [], 0
    for n in scenarios(runs):
        for control, fcfs, fq in (("G", "G/FCFS", "G/FQ"), ("JK", "JK/FCFS", "JK/FQ"), ("DEC", "DEC/DEC", "DEC/FQbit")):
            cells += 1
            better = least(runs, n, fq) >= 0.99 * least(runs, n, fcfs)
            for source in _TELNETS.get(n, ()):
                delay = [float(runs.of(name(n, p), "delay", source)[0]) for p in (fq, fcfs)]
                better = better and not delay[0] > delay[1]
            if not better:
                worse.append(f"{n} with {control} ({least(runs, n, fq):.3f} against {least(runs, n, fcfs):.3f})")
    return len(worse) <= 0.2 * cells, f"in {cells - len(worse)} of {cells}; not in {', '.join(worse) or 'none'}"


def pp_matches(runs: Runs) -> Verdict:
    text, holds = [], True
    for n in scenarios(runs):
        best = max(least(runs, n, p) for p in _OTHERS)
        ours = least(runs, n, "PP/FQ")
        holds = holds and ours >= 0.98 * best
        text.append(f"{n}: {ours:.2f} ({best:.2f})")
    return holds, "; ".join(text)


def telnet_delay(runs: Runs) -> Verdict:
    fcfs, fq = (float(runs.of(name(1, p), "delay", "3", "4").mean()) for p in ("G/FCFS", "G/FQ"))
    return fcfs / fq > 2, f"{fcfs:.3f} s to {fq:.3f} s"


_ALL = ("G/FCFS", "G/FQ", "JK/FCFS", "JK/FQ", "DEC/DEC", "DEC/FQbit", "PP/FQ")


def all_work(runs: Runs) -> Verdict:
    shares = np.array([least(runs, 1, p) for p in _ALL])
    lost = sum(float(bulk(runs, 1, p, "drop_rate").sum()) for p in _ALL)
    return bool((shares > 0.98).all()) and lost == 0, f"least share {ends(shares, 3)}, {lost:g} drops/s"


def average_hides(runs: Runs) -> Verdict:
    worst = {p: min((least(runs, n, p), n) for n in scenarios(runs)) for p in _ALL}
    poor = {p: w for p, w in worst.items() if w[0] < 0.8}
    return len(poor) > 0, ", ".join(f"{p} {w:.2f} in {n}" for p, (w, n) in worst.items())


def first_estimate(runs: Runs) -> Verdict:
    delay, rate = bulk(runs, 1, "PP/FQ", "delay"), bulk(runs, 1, "PP/FQ")
    r = [float(runs.trace(name(1, "PP/FQ"), "round_trip", s)[1][-1]) for s in ("1", "2")]
    holds = spread(delay) > 1.05 and spread(rate) < 1.01
    return holds, f"R {r[0]:.3f} and {r[1]:.3f} s: delays {listed(delay)} s, {listed(rate, 3)} packets/s"


def equal_pp(runs: Runs) -> Verdict:
    ratios = {n: (spread(bulk(runs, n, "PP/FQ")), spread(bulk(runs, n, "PP/FQ", "delay"))) for n in (1, 2, 3, 6)}
    holds = all(t < 1.02 and d < 1.25 for t, d in ratios.values())
    return holds, "; ".join(f"{n}: {t:.3f}, {d:.3f}" for n, (t, d) in ratios.items())


def own_choice(runs: Runs) -> Verdict:
    got, delay = (runs.of("choice PP/FQ", m, "1", "2") for m in ("throughput", "delay"))
    holds = spread(got) < 1.02 and delay[0] > 1.2 * delay[1]
    return holds, f"set-points 5 and 2: {listed(got)} packets/s, {listed(delay)} s"


def fcfs_links(runs: Runs) -> Verdict:
    text, ratio = [], {}
    for p in ("choice G/FCFS", "choice G/FQ"):
        got, delay = (runs.of(p, m, "1", "2") for m in ("throughput", "delay"))
        ratio[p] = (float(got[0] / got[1]), float(delay[0] / delay[1]))
        text.append(f"{p.split()[1]} {listed(got)} packets/s, {listed(delay)} s")
    holds = abs(ratio["choice G/FCFS"][1] - 1) < 0.05 < ratio["choice G/FCFS"][0] - 1 and ratio["choice G/FQ"][1] > 1.2
    return holds, f"windows 5 and 2: {'; '.join(text)}"


def generic_poor(runs: Runs) -> Verdict:
    def waste(pair: str) -> float:
        return float(bulk(runs, 2, pair, "retransmission_rate").sum())

    shares = {p: (least(runs, 2, p), waste(p)) for p in ("G/FCFS", "G/FQ", "JK/FQ", "DEC/DEC", "DEC/FQbit", "PP/FQ")}
    generic = [shares[p] for p in ("G/FCFS", "G/FQ")]
    good = [shares[p] for p in ("JK/FQ", "DEC/DEC", "DEC/FQbit", "PP/FQ")]
    holds = max(s for s, _ in generic) < min(s for s, _ in good) and min(s for s, _ in good) > 0.9
    return holds, ", ".join(f"{p} {s:.2f} ({w:.2f})" for p, (s, w) in shares.items())


def _ratio(value: float) -> str:
    return f"{value:.2f}" if math.isfinite(value) else "one gets nothing"


def segregation(runs: Runs) -> Verdict:
    ratios = {p: spread(bulk(runs, 2, p)) for p in ("G/FCFS", "JK/FCFS", "JK/FQ")}
    holds = ratios["G/FCFS"] > 3 and ratios["JK/FCFS"] > ratios["JK/FQ"] and ratios["JK/FQ"] < 1.1
    return holds, ", ".join(f"{p} {_ratio(r)}" for p, r in ratios.items())


def segregation_goes(runs: Runs) -> Verdict:
    text, holds = [], True
    for p in ("G/FCFS", "JK/FCFS"):
        narrow = spread(bulk(runs, 2, p))
        roomy = spread(runs.of(f"room {p}", "throughput", *BULK[2][0]))
        holds = holds and roomy < 1.1
        text.append(f"{p} {_ratio(narrow)}, then {_ratio(roomy)}")
    return holds, "; ".join(text)


def reaction(runs: Runs) -> Verdict:
    after = {p: reaches(runs, name(3, p), 300, 600, 4.5) for p in ("JK/FCFS", "JK/FQ", "DEC/DEC", "DEC/FQbit", "PP/FQ")}
    never = {p: math.inf if math.isnan(t) else t for p, t in after.items()}
    pp = never.pop("PP/FQ")
    text = ", ".join(f"{p} {t:.1f} s" if math.isfinite(t) else f"{p} never" for p, t in never.items())
    return pp < min(never.values()), f"PP/FQ {pp:.1f} s; {text}"


def firewall(runs: Runs) -> Verdict:
    fcfs = {p: least(runs, 4, p) for p in ("G/FCFS", "JK/FCFS", "DEC/DEC")}
    fq = {p: least(runs, 4, p) for p in ("G/FQ", "JK/FQ", "DEC/FQbit", "PP/FQ")}
    telnet = [float(runs.of(name(4, p), "throughput", "2")[0]) for p in ("G/FCFS", "G/FQ")]
    text = ", ".join(f"{p} {s:.2f}" for p, s in (fcfs | fq).items())
    return max(fcfs.values()) < 0.55 and min(fq.values()) > 0.95, f"{text}; Telnet {listed(np.array(telnet))}"


def incentive(runs: Runs) -> Verdict:
    share = {}
    for p in ("FCFS", "FQ"):
        got = runs.of(f"scenario-5 JK+G/{p}", "throughput", "JK1", "JK2", "G1", "G2")
        share[p] = (float(got[:2].mean()), float(got[2:].mean()))
    pp = runs.of("scenario-5 PP+G/FQ", "throughput", "PP1", "PP2", "G1", "G2")
    share["FQ, PP"] = (float(pp[:2].mean()), float(pp[2:].mean()))
    holds = share["FCFS"][0] < share["FCFS"][1] and all(share[p][0] > share[p][1] for p in ("FQ", "FQ, PP"))
    return holds, "; ".join(f"{p}: {a:.2f} against G {b:.2f}" for p, (a, b) in share.items())


def coexists(runs: Runs) -> Verdict:
    text, holds = [], True
    for pair, other in (("PP+G/FQ", ("G1", "G2")), ("PP+JK/FQ", ("JK1", "JK2"))):
        pp, rest = (runs.of(f"scenario-5 {pair}", "throughput", *s) for s in (("PP1", "PP2"), other))
        holds = holds and pp.min() >= 0.99 * rest.max() and pp.min() >= 0.99 * 2.5
        text.append(f"{pair} {listed(pp)} against {listed(rest)}")
    return holds, "; ".join(text)


def long_paths(runs: Runs) -> Verdict:
    text, holds = [], True
    for p in ("G/FCFS", "JK/FCFS", "JK/FQ", "DEC/FQbit", "PP/FQ"):
        got = bulk(runs, 6, p)
        ratio = float(got[3] / got[:3].mean())
        holds = holds and (ratio > 0.95 if "FQ" in p else ratio < 0.9)
        text.append(f"{p} {ratio:.2f}")
    return holds, ", ".join(text)


def long_delay(runs: Runs) -> Verdict:
    missing = needs(runs, 7)
    if missing is not None:
        return missing
    got, lost = bulk(runs, 7, "PP/FQ"), float(bulk(runs, 7, "PP/FQ", "drop_rate").sum())
    return bool(got.min() > 0.95 * FAIR[7]) and lost < 0.001 * got.sum(), f"{listed(got)} packets/s, {lost:.4f} drops/s"


def only_pp(runs: Runs) -> Verdict:
    missing = needs(runs, 8)
    if missing is not None:
        return missing
    ratio = {p: 1 / spread(np.maximum(bulk(runs, 8, p), 1e-9)) for p in _ALL}
    others = max(r for p, r in ratio.items() if p != "PP/FQ")
    return ratio["PP/FQ"] > 0.9 > others, ", ".join(f"{p} {r:.2f}" for p, r in ratio.items())
