"""The tables that follow from the formulas of chapter 5 alone."""

from __future__ import annotations

import math

import numpy as np

from ....analysis.estimators import (
    controllability_rank,
    kalman_gains,
    kalman_steady,
    kalman_trace,
    lqg_rank,
    observability_rank,
    queue_error_growth,
)
from ....analysis.rate_control import (
    LAWS,
    Law,
    closed_loop,
    epoch_trace,
    law_5_14,
    law_eigenvalues,
    law_is_stable,
    mitra_window,
    pipeline_time,
    rest_point,
    rest_utilisation,
    stable_range,
)
from ...study import Section
from . import predictors as p
from .data import number, rows

#: The laws of the epoch traces: name, law, alpha.
TRACED: tuple[tuple[str, Law, float], ...] = (
    ("5.9", "offset_free", 1.0),
    ("5.9 with alpha, as printed", "printed", 0.9),
    ("5.9 with alpha, offset-free", "offset_free", 0.9),
    ("5.9, queue of the end (trap)", "index_trap", 1.0),
)

#: The worked example: packets/s, seconds, packets.
MU, RTT, HALF = 10.0, 1.0, 5.0


def mitra() -> Section:
    """Section 5.3.1: the window that maximises power."""
    hops = (1, 3, 4, 9)
    table = [
        (f"{bdp:g}", *(f"{window:.2f} ({s:.2f})" for window, s in (mitra_window(bdp, m) for m in hops)))
        for bdp in (1, 10, 20.4, 40, 100, 400, 10000)
    ]
    return Section(
        "5.3.1: window (set-point) that maximises power, after Mitra, in packets",
        ("bandwidth × delay", *(f"{m} hop{'s' if m > 1 else ''}" for m in hops)),
        tuple(table),
        "window = L + sqrt(L) / (2 sqrt(hops)). For Poisson cross traffic and exponential service, says the thesis.",
    )


def rests() -> Section:
    """Where law 5.9 rests for long pipelines."""
    pipelines = (10.0, 50.0, 100.0, 1000.0, math.inf)
    table = []
    for name, printed, alpha in (
        ("alpha = 1", False, 1.0),
        ("alpha = .9 as printed", True, 0.9),
        ("alpha = .9 offset-free", False, 0.9),
    ):
        cells = []
        for v in pipelines:
            n = rest_point(HALF, v, alpha, as_printed=printed)
            use = rest_utilisation(HALF, v, alpha, as_printed=printed)
            cells.append(f"{n:.4g}, {use:.4f}")
        table.append((name, "5, 1", *cells))
    return Section(
        "5.3.5: rest point of law 5.9, in packets, and share of mu used, B/2 = 5",
        ("law", "thesis", *(f"mu RTT = {v:g}" if math.isfinite(v) else "limit" for v in pipelines)),
        tuple(table),
        'The thesis: alpha below 1 "sends at a slightly lower rate". It rests (1 - alpha)/alpha mu RTT below B/2 and, once that is '
        "empty, loses up to (1 - alpha)/(1 + alpha) of the rate.",
    )


def epochs() -> Section:
    """Epoch traces of the four laws."""
    table = []
    for name, law, alpha in TRACED:
        trace = epoch_trace(MU, RTT, HALF, 200 if law != "index_trap" else 12, alpha=alpha, law=law)
        end = "diverges" if law == "index_trap" else f"{trace[-1].queue:.4f}"
        queues = " ".join(f"{e.queue:.5g}" for e in trace[:7])
        table.append((name, queues, " ".join(f"{e.rate:.5g}" for e in trace[:5]), end))
    return Section(
        "5.3.4 and 5.A: epochs with exact estimates, mu = 10, RTT = 1, B/2 = 5, no clamp",
        ("law", "n_b(0..6)", "lambda(0..4)", "limit"),
        tuple(table),
        "Appendix 5.A prints B/2 from the first epoch on; by its own equations it is reached in the second. n_b(k) is the queue at the "
        "beginning of epoch k; that of its end counts S twice.",
    )


def eigenvalues() -> Section:
    """Printed and true eigenvalues over alpha."""
    table = []
    for row in rows("eigenvalues"):
        alpha = number(row, "alpha")
        printed = max(abs(z) for z in law_eigenvalues(alpha, as_printed=True))
        matrix = [_greatest(alpha, law) for law in LAWS]
        trap = law_eigenvalues(alpha, law="index_trap")[1].real
        table.append(
            (
                f"{alpha:g}",
                f"{printed:.6f}",
                _yes(law_is_stable(alpha, as_printed=True)),
                f"{1 - alpha:.4g}",
                f"{matrix[1]:.6f}",
                _yes(law_is_stable(alpha)),
                f"{trap:.6f}",
                f"{matrix[2]:.6f}",
                _yes(law_is_stable(alpha, law="index_trap")),
            )
        )
    ranges = {law: stable_range(law) for law in LAWS}
    text = ", ".join(f"{law.replace('_', ' ')} to {high:.4f}" for law, (_, high) in ranges.items())
    return Section(
        "5.3.5: eigenvalues of law 5.9 over alpha",
        ("alpha", "printed |z|", "stable", "pole", "|z| matrix", "stable", "trap root", "|z| matrix", "stable"),
        tuple(table),
        f"printed: z^2 - z + alpha = 0, where S is an outside input. Matrix: of the closed loop. Stable from 0, by matrix: {text}.",
    )


def _greatest(alpha: float, law: Law) -> float:
    return float(abs(np.linalg.eigvals(closed_loop(alpha, law))).max())


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def kalman() -> Section:
    """Steady gains, and how soon they are reached."""
    table = []
    for row in rows("kalman_steady"):
        x = number(row, "q_over_r")
        printed, ours = (kalman_gains(1, x, 1, 400, known_start=start)[:, 1] for start in (True, False))
        steady = kalman_steady(x, 1)
        trace = kalman_trace([0.0] * 400, [0.0] * 400, 1, x, 1)
        growth = float(trace[-1].covariance[0, 0] - trace[-2].covariance[0, 0])
        early = (f"{g[3]:.4f} {g[10]:.4f}" for g in (printed, ours))
        table.append((f"{x:g}", f"{steady:.6f}", f"{printed[-1]:.6f}", f"{1 - steady:.6f}", *early, f"{growth:.6f}"))
    return Section(
        "5.5: Kalman gain of mu, and growth of n_b's error variance per epoch over r T^2",
        ("q/r", "steady gain", "recursion", "as alpha", "P(0) = 0: k = 3, 10", "first probe: k = 3, 10", "growth"),
        tuple(table),
        "The filter gives mu, never n_b: probes do not show it, and its error grows for ever. The thesis prints no numbers.",
    )


def kalman_epochs() -> Section:
    """The worked trace, from both starts."""
    given = rows("kalman_trace")
    probes, sent = [number(r, "y") for r in given], [number(r, "u") for r in given]
    known, first = (kalman_trace(probes, sent, 2, 0.25, 1, known_start=k) for k in (True, False))
    table = []
    for k in (0, 1, 2, 3, 4, 5, 6, 12):
        a, b = known[k], first[k]
        both = [
            (f"{s.state[0]:.3f}", f"{s.state[1]:.4f}", f"{s.gain[2]:.4f}", f"{s.covariance[0, 0]:.3f}") for s in (a, b)
        ]
        table.append((str(k), f"{probes[k]:g}", *both[0], *both[1]))
    return Section(
        "5.5: the filter epoch by epoch, T = 2, q = .25, r = 1: P(0) = 0, and P(0) = diag(0, r, r)",
        ("k", "y", *(f"{start}: {x}" for start in ("0", "r") for x in ("n_b", "mu", "gain", "P11"))),
        tuple(table),
        f"x-hat and P before the probe. P11 grows by r T^2 = {queue_error_growth(2, 1):g} per epoch in the end. "
        "With P(0) = 0 the first two probes count for nothing.",
    )


def ranks() -> Section:
    """Section 5.B."""
    table = [
        (f"{t:g}", "1", str(lqg_rank(t)), "3", str(observability_rank(t)), str(controllability_rank(t)))
        for t in (0.0, 0.5, 1.0, 2.0, 12.0)
    ]
    return Section(
        "5.B: ranks over the round trip in seconds",
        ("RTT", "printed", "criterion 5.B1", "required", "[C; CG; CG^2]", "[H GH G^2H]"),
        tuple(table),
        "Below 3 either way: LQG control fails as the thesis says. n_b cannot be observed, mu cannot be controlled.",
    )


def fuzzy() -> Section:
    """Section 5.6 on steps, spikes and noise."""
    table = []
    for row in rows("fuzzy_choices"):
        key = (row["outputs"], number(row, "reach"))
        r = p.fuzzy_response(p.SETS[key])
        table.append(
            (
                f"fuzzy, {key[0]}, inputs to {key[1]:g}",
                f"{r.doubled:g} / {r.halved:g} ({row['probes_doubled']} / {row['probes_halved']})",
                f"{100 * r.spike:.0f} % ({row['spike_percent']} %)",
                f"{r.noise:.2f} ({row['noise_ratio']})",
            )
        )
    for alpha in (*p.WEIGHTS, 0.8):
        r = p.fixed_response(alpha)
        table.append(
            (f"fixed alpha = {alpha:g}", f"{r.doubled:g} / {r.halved:g}", f"{100 * r.spike:.0f} %", f"{r.noise:.2f}")
        )
    return Section(
        "5.6: fuzzy and fixed averages; in brackets the check values",
        ("predictor", "probes to 5 % after × 2 / × .5", "of a × 2 spike passed", "noise, rms out/in"),
        tuple(table),
        "Figure 5.2, which defines low, medium and high, is lost: the sets are ours, the first is the default.",
    )


def contest_table() -> Section:
    """Predictors on random walks."""
    contest = p.contest()
    table = []
    for x in p.RATIOS:
        means = {name: contest.mean(x, name) for name in p.PREDICTORS}
        cells = (f"{m.mean:.2f} ± {m.half:.2f}" for m in means.values())
        table.append((f"{x:g}", f"{p.best_weight(x):.3f}", *cells))
    return Section(
        "5.5 and 5.6: rms error of the next rate on random walks around 100 packets/s, probes ± 5 %",
        ("q/r", "best alpha", *p.PREDICTORS),
        tuple(table),
        f"Means of {p.REPLICATIONS} walks with 95 % intervals; all see the same probes. Only the Kalman filter knows q and r.",
    )


def law_5_14_values() -> Section:
    """Worked values, with the printed J."""
    table = []
    for row in rows("law514_checks"):
        setpoint, s, r, mu = (number(row, c) for c in ("setpoint", "S", "R", "mu_hat"))
        rate = law_5_14(setpoint, s, r, mu)
        table.append(
            (
                *(f"{x:g}" for x in (setpoint, s, r, mu)),
                f"{s - r * mu:.4g}",
                f"{r + s * mu:.4g}",
                f"{law_5_14(setpoint, s, r, mu, as_printed=True):.4f}",
                f"{pipeline_time(s, r, mu):.4g}",
                f"{rate:.6g}",
                f"{2 / rate:.4f}",
            )
        )
    return Section(
        "5.7: law 5.14, once per probe",
        ("set-point", "S", "R", "mu", "n_b", "J printed", "lambda with it", "J", "lambda", "pair every s"),
        tuple(table),
        "J printed: R + S mu, a time and a squared rate. J: one round trip, R + n_b/mu = S/mu, at least R.",
    )
