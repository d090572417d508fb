"""Section 7.3: the seven requirements of chapter 1, each with a measure."""

from __future__ import annotations

import math

import numpy as np

from ...claims import Runs, listed, spread
from ...measure import Floats
from ..rates import reaches
from .rows import BULK, FAIR, Verdict, bulk, least, name, needs, scenarios

#: The lines that packet-pair must keep busy.
_BOTTLENECKS = {
    1: ("slow",),
    2: ("slow",),
    3: ("slow",),
    4: ("slow",),
    **dict.fromkeys((6, 7, 8), ("slow1", "slow2", "slow3")),
}


def overhead(runs: Runs) -> Verdict:
    extra = {}
    for n in (1, 2, 3, 6):
        sent, again, unique = (
            float(bulk(runs, n, "PP/FQ", m).sum()) for m in ("sent", "retransmission_rate", "unique")
        )
        extra[n] = (sent - again) / unique - 1
    marks = {p: runs.link(name(2, p), "slow", "marks") for p in ("PP/FQ", "DEC/FQbit")}
    holds = all(e < 0.01 for e in extra.values()) and marks["PP/FQ"] == 0
    text = ", ".join(f"{n}: {round(100 * e, 1) + 0.0:.1f} %" for n, e in extra.items())
    return holds, f"{text}; bits set in 2: {marks['PP/FQ']:.0f} (DEC/FQbit {marks['DEC/FQbit']:.0f})"


def busy(runs: Runs) -> tuple[bool, str]:
    """How busy packet-pair keeps every bottleneck."""
    used = {(n, line): runs.link(name(n, "PP/FQ"), line, "utilisation") for n in _in(runs) for line in _BOTTLENECKS[n]}
    for pair in ("PP+G/FQ", "PP+JK/FQ"):
        used[5, pair] = runs.link(f"scenario-5 {pair}", "slow", "utilisation")
    dec = min(runs.link(name(6, "DEC/DEC"), line, "utilisation") for line in _BOTTLENECKS[6])
    worst = min(used, key=lambda k: used[k])
    text = f"least {100 * used[worst]:.2f} % (scenario {worst[0]}, {worst[1]}); DEC/DEC in 6: {100 * dec:.1f} %"
    return used[worst] >= 0.98, text


def _in(runs: Runs) -> list[int]:
    return [n for n in scenarios(runs) if n in _BOTTLENECKS]


def sizes(runs: Runs) -> Verdict:
    share = {p: runs.of(f"sizes {p}", "bytes", "1", "2") for p in ("G/FCFS", "G/FQ", "PP/FQ")}
    ratio = {p: float(v[0] / v[1]) for p, v in share.items()}
    holds = ratio["G/FCFS"] > 1.5 and abs(ratio["PP/FQ"] - 1) < 0.02 and abs(ratio["G/FQ"] - 1) < 0.02
    return holds, ", ".join(f"{p} {r:.2f}" for p, r in ratio.items())


def service(runs: Runs) -> Verdict:
    telnet = float(runs.of(name(1, "PP/FQ"), "delay", "3", "4").mean())
    high, low = runs.of("choice PP/FQ", "delay", "1", "2")
    return telnet < low < high, f"one line: Telnet {telnet:.2f} s, set-point 2 {low:.2f} s, set-point 5 {high:.2f} s"


def protocols(runs: Runs) -> Verdict:
    text, holds = [], True
    for pair, other in (("PP+G/FQ", ("G1", "G2")), ("PP+JK/FQ", ("JK1", "JK2"))):
        pp, rest = (float(runs.of(f"scenario-5 {pair}", "throughput", *s).min()) for s in (("PP1", "PP2"), other))
        holds = holds and pp >= 0.99 * rest
        text.append(f"{pair}: {pp:.2f} against {rest:.2f}")
    return holds, "; ".join(text)


def fcfs_breaks(runs: Runs) -> Verdict:
    def error(variant: str) -> Floats:
        out = []
        for source in ("2", "4"):
            times, probe = runs.trace(variant, "probe", source)
            late = probe[times >= 300]
            late = late if late.size else probe[-1:]
            out.append(float(np.sqrt(np.mean((late / 0.2 - 1) ** 2))))
        return np.array(out)

    fcfs, fq = error("one FCFS bottleneck"), error("no FCFS bottleneck")
    got = runs.of("one FCFS bottleneck", "throughput", *BULK[6][0])
    text = f"{listed(100 * fcfs, 0)} % (FQ {listed(100 * fq, 0)} %); then {listed(got)} packets/s"
    return bool((fcfs > 0.2).all() and (fq < 0.2).all()), text


def ill_behaved(runs: Runs) -> Verdict:
    text, holds = [], True
    for p in ("G/FQ", "PP/FQ"):
        with_it = [float(runs.of(name(4, p), m, s)[0]) for m, s in (("throughput", "1"), ("delay", "2"))]
        alone = [float(runs.of(f"alone {p}", m, s)[0]) for m, s in (("throughput", "1"), ("delay", "2"))]
        holds = holds and with_it[0] > 0.98 * FAIR[4] and with_it[1] < 0.1
        text.append(f"{p}: FTP {with_it[0]:.2f} (alone {alone[0]:.2f}), Telnet {with_it[1]:.3f} s ({alone[1]:.3f})")
    lost = float(runs.of(name(4, "PP/FQ"), "drop_rate", "1")[0])
    return holds and lost == 0, "; ".join(text)


def bounded(runs: Runs) -> Verdict:
    most = runs.link(name(1, "PP/FQ"), "slow", "backlog_max")
    mean, sd = (runs.link(name(1, "PP/FQ"), "slow", c) for c in ("backlog_mean", "backlog_std"))
    return most < 40, f"at most {most:.0f} of 40, mean {mean:.1f}, deviation of interval means {sd:.2f}"


def settles(runs: Runs) -> Verdict:
    up = reaches(runs, name(3, "PP/FQ"), 300, 600, 4.5)
    late = [np.histogram(runs.trace(name(3, "PP/FQ"), "rtt", s)[0], np.arange(500, 601, 4))[0] for s in ("1", "2")]
    counts = np.concatenate(late)
    holds = math.isfinite(up) and up <= 20 and counts.min() >= 19 and counts.max() <= 21
    return bool(holds), f"{up:.1f} s to 4.5 packets/s each; then {counts.min()} to {counts.max()} packets in 4 s"


def large_delay(runs: Runs) -> Verdict:
    missing = needs(runs, 7, 8)
    if missing is not None:
        return missing
    shares = [least(runs, n, "PP/FQ") for n in (7, 8)]
    return min(shares) > 0.9, f"{listed(np.array(shares))} of the fair share"


def many(runs: Runs) -> Verdict:
    swing, text = {}, []
    for n in (2, 8, 32):
        times, probe = runs.trace(f"crowd {n}", "probe", "ftp1")
        late, held = 1 / probe[times >= 300], np.diff(np.append(times[times >= 300], runs.end))
        mean = float(np.average(late, weights=held))
        swing[n] = float(np.sqrt(np.average((late / mean - 1) ** 2, weights=held)))
        got = runs.of(f"crowd {n}", "throughput", "ftp1", "ftp2")
        text.append(f"{n}: {100 * swing[n]:.0f} % ({listed(got)} packets/s)")
    return swing[32] < swing[8] < swing[2], "; ".join(text)


def one_timer(runs: Runs) -> Verdict:
    each, one = bulk(runs, 2, "PP/FQ"), runs.of("one timer PP/FQ", "throughput", *BULK[2][0])
    return bool(one.sum() > 0.98 * each.sum()), f"{each.sum():.2f} to {one.sum():.2f} packets/s in all"


def lines(_: Runs) -> Verdict:
    return None, "not a property of a run; law 5.14 is one expression here, the fuzzy average is a separate file"


def switch_cost(_: Runs) -> Verdict:
    return None, "the item chapter-3 measures it"


def fair(runs: Runs) -> Verdict:
    text, holds = [], True
    for n in scenarios(runs):
        got = bulk(runs, n, "PP/FQ")
        holds = holds and least(runs, n, "PP/FQ") > 0.95
        text.append(f"{n}: {1 / spread(got):.3f}, {least(runs, n, 'PP/FQ'):.2f}")
    return holds, "; ".join(text)


def generic_unfair(runs: Runs) -> Verdict:
    shares = {n: least(runs, n, "G/FQ") for n in scenarios(runs)}
    return min(shares.values()) < 0.8, "; ".join(f"{n}: {v:.2f}" for n, v in shares.items())
