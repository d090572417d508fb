"""The tables that follow from the formulas of chapter 5 alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...formulas.estimators import (
    controllability_rank,
    kalman_gains,
    kalman_steady,
    kalman_trace,
    lqg_rank,
    observability_rank,
    queue_error_growth,
)
from ...formulas.rate_control import (
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
from ...layout import Layouts
from ...model import Table
from ...study import Section
from ..data import number, rows
from . import predictors as p

TABLES = Layouts(__file__)

#: The laws of the epoch traces: name, law, alpha.
TRACED: tuple[tuple[str, Law, float], ...] = (
    ("5.9", "offset_free", 1.0),
    ("5.9 with alpha, as printed", "printed", 0.9),
    ("5.9 with alpha, offset-free", "offset_free", 0.9),
    ("5.9, queue of the end (trap)", "index_trap", 1.0),
)

#: The worked example: packets/s, seconds, packets.
MU, RTT, HALF = 10.0, 1.0, 5.0

#: Bandwidth times delay of the pipelines whose rest point is looked at.
PIPELINES = (10.0, 50.0, 100.0, 1000.0, math.inf)


def mitra() -> Section:
    """Section 5.3.1: the window that maximises power."""
    hops = {"one": 1, "three": 3, "four": 4, "nine": 9}
    return TABLES.section("mitra", lambda bdp: {name: mitra_window(bdp, m) for name, m in hops.items()})


def rests() -> Section:
    """Where law 5.9 rests for long pipelines."""

    def row(law: str, printed: bool, alpha: float) -> Table:
        del law
        found = (f(HALF, v, alpha, as_printed=printed) for v in PIPELINES for f in (rest_point, rest_utilisation))
        return {"rest": list(zip(found, found, strict=True))}

    return TABLES.section("rests", row)


def epochs() -> Section:
    """Epoch traces of the four laws."""
    table = []
    for name, law, alpha in TRACED:
        trace = epoch_trace(MU, RTT, HALF, 200 if law != "index_trap" else 12, alpha=alpha, law=law)
        end = "diverges" if law == "index_trap" else f"{trace[-1].queue:.4f}"
        queues = " ".join(f"{e.queue:.5g}" for e in trace[:7])
        table.append({"law": name, "queues": queues, "rates": " ".join(f"{e.rate:.5g}" for e in trace[:5]), "end": end})
    return TABLES.section("epochs", table)


def eigenvalues() -> Section:
    """Printed and true eigenvalues over alpha."""
    table = []
    for given in rows("ch5_eigenvalues"):
        alpha = number(given, "alpha")
        cells = {
            "printed": max(abs(z) for z in law_eigenvalues(alpha, as_printed=True)),
            "printed_stable": law_is_stable(alpha, as_printed=True),
            "pole": 1 - alpha,
            "stable": law_is_stable(alpha),
            "trap": law_eigenvalues(alpha, law="index_trap")[1].real,
            "trap_stable": law_is_stable(alpha, law="index_trap"),
        }
        table.append({"alpha": alpha, **cells, "of": {law: greatest(alpha, law) for law in LAWS}})
    ranges = {law: stable_range(law) for law in LAWS}
    text = ", ".join(f"{law.replace('_', ' ')} to {high:.4f}" for law, (_, high) in ranges.items())
    return TABLES.section("eigenvalues", table, ranges=text)


def greatest(alpha: float, law: Law) -> float:
    """The greatest |z| of the closed loop."""
    return float(abs(np.linalg.eigvals(closed_loop(alpha, law))).max())


def kalman() -> Section:
    """Steady gains, and how soon they are reached."""
    table = []
    for given in rows("ch5_kalman_steady"):
        x = number(given, "q_over_r")
        printed, first = (kalman_gains(1, x, 1, 400, known_start=start)[:, 1] for start in (True, False))
        steady = kalman_steady(x, 1)
        trace = kalman_trace([0.0] * 400, [0.0] * 400, 1, x, 1)
        growth = float(trace[-1].covariance[0, 0] - trace[-2].covariance[0, 0])
        gains = {"steady": steady, "alpha": 1 - steady, "printed": printed, "first": first}
        table.append({"x": x, **gains, "growth": growth})
    return TABLES.section("kalman", table)


def kalman_epochs() -> Section:
    """The worked trace, from both starts."""
    given = rows("ch5_kalman_trace")
    probes, sent = [number(r, "y") for r in given], [number(r, "u") for r in given]
    known, first = (kalman_trace(probes, sent, 2, 0.25, 1, known_start=k) for k in (True, False))

    def row(k: int) -> Table:
        a, b = known[k], first[k]
        return {"y": probes[k], "a": a, "b": b, "a11": a.covariance[0, 0], "b11": b.covariance[0, 0]}

    return TABLES.section("kalman_epochs", row, growth=queue_error_growth(2, 1))


def ranks() -> Section:
    """Section 5.B."""

    def row(t: float) -> Table:
        return {"lqg": lqg_rank(t), "observed": observability_rank(t), "controlled": controllability_rank(t)}

    return TABLES.section("ranks", row)


def fuzzy() -> Section:
    """Section 5.6 on steps, spikes and noise."""
    table = []
    for given in rows("ch5_fuzzy_choices"):
        key = (given["outputs"], number(given, "reach"))
        r = p.fuzzy_response(p.SETS[key])
        checks = {
            "probes": f" ({given['probes_doubled']} / {given['probes_halved']})",
            "spikes": f" ({given['spike_percent']} %)",
            "noise": f" ({given['noise_ratio']})",
        }
        table.append({"name": f"fuzzy, {key[0]}, inputs to {key[1]:g}", "found": r, "spike": 100 * r.spike, **checks})
    for alpha in (*p.WEIGHTS, 0.8):
        r = p.fixed_response(alpha)
        none = dict.fromkeys(("probes", "spikes", "noise"), "")
        table.append({"name": f"fixed alpha = {alpha:g}", "found": r, "spike": 100 * r.spike, **none})
    return TABLES.section("fuzzy", table)


def contest_table() -> Section:
    """Predictors on random walks."""
    contest = p.contest()
    means = ({"x": x, "best": p.best_weight(x), "of": {n: contest.mean(x, n) for n in p.PREDICTORS}} for x in p.RATIOS)
    return TABLES.section("contest", means, walks=p.REPLICATIONS)


def law_5_14_values() -> Section:
    """Worked values, with the printed J."""
    table = []
    for given in rows("ch5_law514_checks"):
        setpoint, s, r, mu = (number(given, c) for c in ("setpoint", "S", "R", "mu_hat"))
        rate, printed = law_5_14(setpoint, s, r, mu), law_5_14(setpoint, s, r, mu, as_printed=True)
        of = {"setpoint": setpoint, "s": s, "r": r, "mu": mu, "n_b": s - r * mu, "rate": rate, "every": 2 / rate}
        table.append({**of, "printed": r + s * mu, "printed_rate": printed, "j": pipeline_time(s, r, mu)})
    return TABLES.section("law_5_14", table)


def values() -> dict[tuple[str, str, str], float]:
    """What the thesis's equations give where it prints a number: rest points, the eigenvalues of the whole loop, 5.A and 5.B."""
    found = {
        ("spectral_radius", "alpha = 1", ""): round(greatest(1.0, "offset_free"), 9),
        ("rank", "criterion 5.B1", ""): float(lqg_rank(RTT)),
    }
    for row in TABLES.about("rests"):
        for v in PIPELINES[:-1]:
            given: dict[str, Any] = {"alpha": row["alpha"], "as_printed": row["printed"]}
            where = (row["law"], f"mu RTT = {v:g}")
            found["queue", *where], found["used", *where] = (
                rest_point(HALF, v, **given),
                rest_utilisation(HALF, v, **given),
            )
    trace = epoch_trace(MU, RTT, HALF, 5)
    for k in (1, 2, 3):
        # The thesis's n_b(k) is that of the end of epoch k here: "the buffer at the end of epoch 1".
        found["queue", "law 5.9", f"epoch {k}"], found["rate", "law 5.9", f"epoch {k}"] = (
            trace[k + 1].queue,
            trace[k].rate,
        )
    return found
