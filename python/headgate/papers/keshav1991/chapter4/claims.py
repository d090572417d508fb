"""Claims of chapter 4 as predicates. Thresholds are the thesis's statements and the sheet's; the benches are ours."""

from __future__ import annotations

import numpy as np

from ...claims import Result, Runs, ends, listed
from ...formulas import packet_pair as theory
from ...formulas.netblt import netblt_rounds, netblt_step
from ..data import rows
from ..statements import CLAIMS, claim
from . import chains, failures, strawman
from .transients import CHANGES, N_B, T0, depth_against_outstanding, prediction, reaction

CLAIMS.measure("probe gap")(failures.probe_gap)
CLAIMS.measure("probe error")(lambda runs, variant: failures.probe_error(runs, variant).relative)
CLAIMS.measure("idle")(lambda runs, variant: reaction(runs, variant).lost_bandwidth)


def _lemmas(*names: str) -> Result:
    found = chains.check(chains.random_chains())
    failed, cases = (sum(getattr(found[n], k) for n in names) for k in ("failed", "cases"))
    return failed == 0 < cases, f"{failed} of {cases} cases fail on {len(chains.random_chains())} random chains"


@claim("C4-01")
def _c4_01(_runs: Runs) -> Result:
    return _lemmas("recursion", "Lemma 1", "Lemma 2", "Lemma 3", "Lemma 4", "Lemma 7")


@claim("C4-02")
def _c4_02(_runs: Runs) -> Result:
    return _lemmas("Lemma 5")


@claim("C4-03")
def _c4_03(_runs: Runs) -> Result:
    return _lemmas("Lemma 6")


@claim("C4-06")
def _c4_06(runs: Runs) -> Result:
    found = reaction(runs, "proposition 1").bottleneck
    late = found.idle(theory.proposition_1_start(0.0, 1.0), 60.0)
    spans = "; ".join(f"{a:.2f} to {b:.2f} s" for a, b in found.idle(0.0, 60.0))
    drops, _ = runs.port_trace("proposition 1", "drops", "slow")
    return not late and not len(drops), f"idle from {spans} only, {len(drops)} lost"


@claim("C4-09")
def _c4_09(runs: Runs) -> Result:
    found = reaction(runs, "mu up, first_probe")
    sizes = [n for _, n in found.corrections]
    return found.lost_bandwidth == 0 and sizes == [
        theory.burst_size(10, 12.5)
    ], f"{found.text()}; idle {found.lost_bandwidth:.2f}"


@claim("C4-10")
def _c4_10(runs: Runs) -> Result:
    found = reaction(runs, "mu down, first_probe")
    slots = [-n for _, n in found.corrections]
    near = max(abs(a - b) for a, b in zip(found.before, found.final, strict=True)) <= 1
    text = f"{found.text()}; {found.before[0]}-{found.before[1]} before, at most {found.after[1]}, then {found.final[0]}-{found.final[1]}"
    return near and slots == [theory.skipped_slots(10, 6.25)], text


@claim("C4-11")
def _c4_11(runs: Runs) -> Result:
    cases = ("R up, queue_echo", "R down, queue_echo", "mu up, first_probe", "mu down, first_probe")
    many, few = ([reaction(runs, f"B {b}, {c}").lost_packets for c in cases] for b in (13, 10))
    late = reaction(runs, "B 13, mu down, R + 1 us, first_probe").lost_packets
    text = f"lost with 13: {many}, with 10: {few}; with R a microsecond longer mu down loses {late} of 13"
    return not any(many) and any(few), text


@claim("C4-12")
def _c4_12(runs: Runs) -> Result:
    dv = theory.pipeline_depth(1.0, 0.08) - 10
    found = reaction(runs, "upstream migration", "first")
    down = reaction(runs, "downstream migration", "second").lost_bandwidth
    holds = 0 < found.lost_bandwidth <= dv + 1e-6 and found.lost_packets == 0
    return holds, f"idle {found.lost_bandwidth:.2f} packets, dV = {dv:.2f}; downstream {down:.2f}"


@claim("C4-13")
def _c4_13(runs: Runs) -> Result:
    up, down = (reaction(runs, f"mu {way}, first_probe").settled for way in ("up", "down"))
    r_t = 1.0 + N_B * 0.1
    skip = prediction(CHANGES["mu down"]).corrected - 1.0
    return up <= r_t and down <= r_t + skip, f"{up:.2f} s of {r_t:.2f} s, {down:.2f} s of {r_t + skip:.2f} s"


@claim("C4-14")
def _c4_14(runs: Runs) -> Result:
    cases = ("none", "R up, upstream", "R down, upstream")
    away = np.concatenate([depth_against_outstanding(runs, f"{c}, as_printed") for c in cases])
    idle = max(reaction(runs, f"{c}, as_printed").lost_bandwidth for c in cases)
    last = [float(runs.trace(f"{c}, as_printed", "depth", "pair")[1][-1]) for c in cases]
    text = f"V_e - (S - n_b) {ends(away)} at {len(away)} acknowledgements; V_e {listed(np.array(last), 1)} where V is 10, 14, 6"
    return idle == 0 and bool((np.abs(away) <= 1 + 1e-6).all()), text


@claim("C4-15")
def _c4_15(runs: Runs) -> Result:
    exact = all(_fluid_fits(row) for row in rows("ch4_netblt_checks"))
    straw = [strawman.simulated(runs, s, "NETBLT") for s in strawman.STEPS]
    pair = [strawman.simulated(runs, s, "2P") for s in strawman.STEPS]
    r_t = 1.0 + N_B * 0.1
    slower = all(b.rounds <= 2 * r_t < a.rounds for a, b in zip(straw, pair, strict=True))
    standing = all(2 * a.later > a.peak for a, (old, new) in zip(straw, strawman.STEPS, strict=True) if new < old)
    rounds = ", ".join(f"{a.rounds:.1f} / {b.rounds:.1f}" for a, b in zip(straw, pair, strict=True))
    return (
        exact and slower and standing,
        f"R until the new rate, NETBLT / 2P: {rounds}; fluid {'as expected' if exact else 'differs'}",
    )


def _fluid_fits(row: dict[str, str]) -> bool:
    """Whether the closed form and the fluid give the values of a row."""
    before, after, decrease, increase = (float(row[k]) for k in ("mu_before", "mu_after", "alpha", "beta"))
    queue = netblt_step(before, after, 400, decrease=decrease, increase=increase).queue
    due = [max(queue), *(queue[n - 1] for n in (21, 101, 400))]
    names = ("peak_queue_packets", "queue_after_21_rtt", "queue_after_101_rtt", "queue_after_400_rtt")
    rounds = netblt_rounds(before, after, decrease=decrease, increase=increase)
    return rounds == int(row["rtts_to_reach_new_rate"]) and bool(
        np.allclose(due, [float(row[n]) for n in names], atol=1e-3)
    )


@claim("C4-17")
def _c4_17(runs: Runs) -> Result:
    found = failures.waves(runs)
    lost = [w.lost_bandwidth + w.lost_packets for w in found]
    text = ", ".join(f"{n:.0f} ({w.period:g} R)" for n, w in zip(lost, found, strict=True))
    return lost[0] > max(0.0, lost[-1]), f"packets and services lost in {failures.WAVE_SPAN:g} s, by period: {text}"


@claim("C4-18")
def _c4_18(runs: Runs) -> Result:
    found = reaction(runs, "proposition 2")
    signs = [n for _, n in found.corrections]
    holds = len(signs) == 2 and signs[0] == -4 and signs[1] > 0 and found.settled < np.inf
    bubble = sum(b - a for a, b in found.bottleneck.idle(T0, 22.0)) / 0.1
    due = theory.proposition_2_loss(1.0, 1.4, 0.1, 0.4)
    text = f"{found.text()}; bubble {bubble:.1f} packets of 4, in all {found.lost_bandwidth:.1f}; the formula's bound {due:.0f}"
    return holds and found.lost_bandwidth <= due, text
