"""Claims of chapter 5 as predicates: C5-01 to C5-17. Thresholds are the thesis's, or those of the check values, never our runs'."""

from __future__ import annotations

from itertools import pairwise
from math import exp, isclose, sqrt

import numpy as np

from ...claims import Result, Runs, listed
from ...formulas.estimators import (
    FuzzySets,
    controllability_rank,
    kalman_gains,
    kalman_steady,
    kalman_trace,
    lqg_rank,
    observability_rank,
    queue_error_growth,
    spike_share,
    step_probes,
)
from ...formulas.rate_control import (
    closed_loop,
    epoch_trace,
    fluid_outstanding,
    law_5_14,
    law_eigenvalues,
    law_is_stable,
    pipeline_time,
    rest_point,
    stable_range,
    time_between,
    to_setpoint,
)
from ..data import number, rows
from ..statements import claim
from . import simulations as m
from . import walks as w
from .predictors import RATIOS, contest
from .run_tables import epoch_model

#: The check values have six decimals.
ROUNDED = 1e-6


@claim("C5-01")
def _c5_01(_: Runs) -> Result:
    traces = [[e.queue for e in epoch_trace(mu, rtt, 5, 12)] for mu in (1, 10, 1000) for rtt in (0.1, 1, 12)]
    exact = all(isclose(n, 5, abs_tol=1e-9) for t in traces for n in t[2:])
    queues = np.linspace(0, 10, 21)
    late = max(_epochs_to_rest(n, 10) for n in queues)
    worst = max(_epochs_to_rest(n, rate) for n in queues for rate in (0, 5, 10, 20, 30))
    why = "a queue that was cut off is not what the law counts"
    return exact and late <= 3, f"two: {exact}; with the clamp at most {late}; from any rate too {worst}: {why}"


def _epochs_to_rest(queue: float, rate: float) -> int:
    """Epochs after which the queue is B/2 = 5 for good, with mu = 10, RTT = 1, B = 10."""
    trace = [e.queue for e in epoch_trace(10, 1, 5, 30, start=(float(queue), float(rate)), buffer=10)]
    return max((k + 1 for k, n in enumerate(trace) if not isclose(n, 5, abs_tol=1e-9)), default=0)


@claim("C5-02")
def _c5_02(_: Runs) -> Result:
    table = rows("ch5_eigenvalues")
    ours = [max(abs(z) for z in law_eigenvalues(number(r, "alpha"), as_printed=True)) for r in table]
    away = max(abs(z - number(r, "printed_spectral_radius")) for z, r in zip(ours, table, strict=True))
    root = max(
        abs(z - sqrt(number(r, "alpha"))) for z, r in zip(ours, table, strict=True) if number(r, "alpha") >= 0.25
    )
    return away <= ROUNDED and root <= 1e-9, f"{root:.0e} from sqrt(alpha); {away:.0e} from the check values"


@claim("C5-03")
def _c5_03(_: Runs) -> Result:
    rest, pole = 0.0, 0.0
    for alpha in (0.5, 0.7, 0.9, 1.0, 1.5):
        # So large a set-point that the queue never empties: the clamp is not part of the claim.
        trace = [e.queue for e in epoch_trace(10, 1, 50, 200, alpha=alpha, law="printed")]
        due = rest_point(50, 10, alpha, as_printed=True)
        rest = max(rest, abs(trace[-1] - due))
        pole = max(pole, *(abs((trace[k + 1] - due) - (1 - alpha) * (trace[k] - due)) for k in range(2, 12)))
    nine = epoch_trace(10, 1, 5, 100, alpha=0.9, law="printed")[-1].queue
    return max(rest, pole) <= 1e-9, f"{nine:.4f} instead of 5 for alpha = 0.9, mu RTT = 10; {max(rest, pole):.0e} away"


@claim("C5-04")
def _c5_04(_: Runs) -> Result:
    trace = [abs(e.queue - 5) for e in epoch_trace(10, 1, 5, 30, law="index_trap")]
    root = min(np.linalg.eigvals(closed_loop(1.0, "index_trap")).real)
    growth = trace[-1] / trace[-2]
    edge = stable_range("index_trap")[1]
    holds = abs(root + (1 + sqrt(5)) / 2) < 1e-9 and growth > 1.5 and not law_is_stable(0.9, law="index_trap")
    return holds, f"root {root:.4f}; the error grows {growth:.4f}-fold an epoch; stable only below alpha = {edge:.3f}"


@claim("C5-05")
def _c5_05(runs: Runs) -> Result:
    found = [m.tradeoff(w.walks(runs), s) for s in w.SETPOINTS]
    model = [epoch_model(s) for s in w.SETPOINTS]
    simulated = [(float(t.waiting.mean()), float(t.full.mean()), float(t.empty.mean())) for t in found]
    rise = all(
        low[0] < high[0] and low[1] < high[1] and low[2] > high[2]
        for each_one in (simulated, [(s.mean, s.full, s.empty) for s in model])
        for low, high in pairwise(each_one)
    )
    each = (
        f"{s:g}: n {a:.2f}, N(B) {b:.4f}, N(0) {c:.4f}" for s, (a, b, c) in zip(w.SETPOINTS, simulated, strict=True)
    )
    return rise, "simulated " + "; ".join(each) + "; epoch model alike"


@claim("C5-06")
def _c5_06(runs: Runs) -> Result:
    apart = [abs(t.empty - t.full).mean() for t in (m.tradeoff(w.walks(runs), s) for s in w.SETPOINTS)]
    model = [epoch_model(s).imbalance for s in w.SETPOINTS]
    holds = min(apart) == apart[1] and min(model) == model[1]
    return holds, f"simulated {listed(np.array(apart), 4)}; epoch model {listed(np.array(model), 4)}"


@claim("C5-07")
def _c5_07(_: Runs) -> Result:
    table = rows("ch5_kalman_trace")
    steps = kalman_trace([number(r, "y") for r in table], [number(r, "u") for r in table], 2, 0.25, 1, known_start=True)
    away = 0.0
    for r, s in zip(table, steps, strict=True):
        ours = (*s.state, *s.gain, s.covariance[0, 0], s.covariance[1, 1], s.covariance[2, 2])
        names = ("nb_hat", "mu_hat", "mu_m1_hat", "K1", "K2", "K3", "P11", "P22", "P33")
        away = max(away, *(abs(float(a) - number(r, c)) for a, c in zip(ours, names, strict=True)))
    steady = max(
        abs(kalman_gains(1, number(r, "q_over_r"), 1, 2000)[-1, 1] - kalman_steady(number(r, "q_over_r"), 1))
        for r in rows("ch5_kalman_steady")
    )
    return away <= ROUNDED and steady <= 1e-9, f"{away:.0e} from the check values; steady gain {steady:.0e} off"


@claim("C5-08")
def _c5_08(_: Runs) -> Result:
    away = []
    for rtt, q, r in ((1.0, 0.1, 1.0), (2.0, 0.25, 1.0), (0.5, 4.0, 3.0)):
        steps = kalman_trace([0.0] * 500, [0.0] * 500, rtt, q, r, known_start=True)
        away.append(abs(steps[-1].covariance[0, 0] - steps[-2].covariance[0, 0] - queue_error_growth(rtt, r)))
    rank = observability_rank(2)
    return max(away) <= 1e-6 and rank == 2, f"{max(away):.0e} from r T^2; observability rank {rank} of 3"


@claim("C5-09")
def _c5_09(_: Runs) -> Result:
    found, holds, text = contest(), True, []
    for x in RATIOS:
        kalman = found.difference(x, "Kalman", "fuzzy")
        worst = max(("alpha 0.1", "alpha 0.9"), key=lambda a, x=x: found.mean(x, a).mean)  # type: ignore[misc]
        better = found.difference(x, "fuzzy", worst)
        # Paired 95 % intervals on the right side of 0.
        holds = holds and kalman.low >= 0 and better.low > 0
        text.append(
            f"{x:g}: {kalman.a:.2f}, {kalman.b:.2f}, {better.b:.2f} ({worst})",
        )
    return holds, "Kalman, fuzzy, worse: " + "; ".join(text)


@claim("C5-10")
def _c5_10(_: Runs) -> Result:
    sets = FuzzySets()
    share, up, down = spike_share(sets), step_probes(sets, 10, 20), step_probes(sets, 20, 10)
    return share < 0.25 and max(up, down) <= 6, f"{100 * share:.0f} % of a spike; doubled {up}, halved {down} probes"


@claim("C5-11")
def _c5_11(runs: Runs) -> Result:
    s = fluid_outstanding(5, 1, 10, 20, [time_between(20, 15.5, 15, 10), 1000.0])
    # Below the pipeline J is R: the error decays as exp(-t/R) exactly.
    below = fluid_outstanding(5, 1, 10, 2, [0.5])[0]
    away = max(abs(s[0] - 15.5), abs(s[1] - 15), abs(below - 15 - to_setpoint(2 - 15, 0.5, 1)))
    decay = abs(to_setpoint(1, 3, 3) - exp(-1))
    off = m.off_setpoint(runs.base["per probe"])
    fluid, outcome = m.fluid(), runs.base["per probe"]
    times, _ = outcome.trace("rate", m.SOURCE)
    times = times[(times > 40) & (times < 179)]
    miss = abs(m.sampled(outcome.trace("in_flight", m.SOURCE), times) - fluid.at(times)).max()
    text = f"fluid {away:.0e}; packets {off:.0f} at rest, {miss:.1f} at most just after a step"
    return away <= 1e-6 and decay <= 1e-12 and off <= 1, text


@claim("C5-12")
def _c5_12(_: Runs) -> Result:
    away = printed = 0.0
    for r in rows("ch5_law514_checks"):
        setpoint, s, rt, mu = (number(r, c) for c in ("setpoint", "S", "R", "mu_hat"))
        rate = law_5_14(setpoint, s, rt, mu)
        short = mu * (setpoint + rt * mu) / s if s >= rt * mu else 2 * mu + (setpoint - s) / rt
        away = max(away, abs(rate - short) / rate)
        printed = max(
            printed,
            abs(rate - number(r, "lambda")),
            abs(pipeline_time(s, rt, mu) - number(r, "J")),
            abs(2 / rate - number(r, "tick_interval_2_over_lambda")),
        )
    return away <= 1e-9 and printed <= ROUNDED, f"identity {away:.0e}; {printed:.0e} from the check values"


@claim("C5-13")
def _c5_13(runs: Runs) -> Result:
    mean = {law: float(m.reactions(w.walks(runs), law).all.mean()) for law in w.CONTROLS}
    holds = mean["per probe"] < min(mean[law] for law in ("per round trip", "as printed", "alpha = 1"))
    return holds, "mean round trips: " + ", ".join(f"{law} {x:.2f}" for law, x in mean.items())


@claim("C5-13a")
def _c5_13a(runs: Runs) -> Result:
    most = {law: float(m.reactions(w.walks(runs), law).all.max()) for law in w.CONTROLS}
    holds = most["per probe"] <= 1 and most["per round trip"] <= 2
    text = ", ".join(f"{law} {x:.2f}" for law, x in most.items())
    return holds, f"at most: {text}. The predictor takes some probes more; a longer queue makes epochs longer"


@claim("C5-14")
def _c5_14(runs: Runs) -> Result:
    walks = w.walks(runs)
    reserved, free = m.losses(walks, "reserved"), m.losses(walks, "no window")
    queue = m.most_waiting(walks, "reserved")
    holds = sum(reserved) == 0 and sum(free) > 0
    return (
        holds,
        f"lost {sum(reserved)} in {len(reserved)} walks, at most {queue} of {w.RESERVED} wait; no window: {sum(free)}",
    )


@claim("C5-14a")
def _c5_14a(runs: Runs) -> Result:
    lost = m.losses(w.walks(runs), "reserved, timer 3 r_t")
    why = "when mu falls to a twentieth, packets that still wait are sent again: copies stand beside the window"
    return sum(lost) == 0, f"lost {sum(lost)}; {why}" if sum(lost) else "lost 0"


@claim("C5-15")
def _c5_15(runs: Runs) -> Result:
    walks = w.walks(runs)
    never, often = (m.drift(walks.over_seeds("drift", str(n))) for n in (0, w.RESYNC))
    bench = m.drift([walks.of["drift", "constant", 0]])
    # A round trip without queueing, give or take a packet.
    cost = bench.cost.mean
    left = max(often.left.max(), bench.left.max())
    holds = min(often.times.min(), bench.times.min()) >= 10 and left <= 1 and abs(cost - m.ROUND_TRIP) <= 1 / w.MIDDLE
    text = (
        f"queue {left:.0f} at {often.times.sum() + bench.times.sum():.0f} corrections; idle {cost:.2f} s each, R = 1 s"
    )
    return holds, f"{text}; count less queue {often.offset.mean():.2f}, without {never.offset.mean():.2f}"


@claim("C5-16")
def _c5_16(_: Runs) -> Result:
    holds = all(
        (lqg_rank(number(r, "Rtt")), observability_rank(number(r, "Rtt")), controllability_rank(number(r, "Rtt")))
        == tuple(int(r[c]) for c in ("rank_5B1_computed", "rank_observability_C_G", "rank_controllability_G_H"))
        and lqg_rank(number(r, "Rtt")) < 3
        for r in rows("ch5_lqg_rank")
    )
    return holds, f"rank {lqg_rank(1)} of 3; observable {observability_rank(1)}, controllable {controllability_rank(1)}"


@claim("C5-17")
def _c5_17(runs: Runs) -> Result:
    true, over, far = (m.first_probe(w.walks(runs), x) for x in w.OVER)
    rise = over.outstanding - true.outstanding
    holds = over.delay > true.delay and 0.4 * 0.5 <= rise <= 1.6 * 0.5
    far_rise = far.outstanding - true.outstanding
    one = over.at_five - true.at_five
    return (
        holds,
        f"S {rise:+.2f}, delay {over.delay - true.delay:+.3f} s; dR = 0.4: {far_rise:+.2f}; at set-point 5 alone {one:+.2f}",
    )
