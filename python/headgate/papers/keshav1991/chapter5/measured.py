"""The tables of what the runs gave, beside what the formulas say."""

from __future__ import annotations

import numpy as np

from ....analysis.rate_control import drift_cost, rest_point, time_between
from ....analysis.setpoint import QueueShares, queue_spread, queues_of_walk, random_walk, shares_of, shares_of_normal
from ....stats import mean_of
from ...claims import Runs
from ...measure import Floats
from ...study import Section
from . import simulated as m
from . import walks as w
from .walks import Walks

#: Epochs of the model that stands beside the runs with the same random walk: law 5.9, RTT = 1 s.
EPOCHS = 20_000


def step_table(runs: Runs, walks: Walks) -> Section:
    """Rest and reaction of each law."""
    due = {
        "per probe": m.SETPOINT,
        "per round trip": m.SETPOINT,
        "alpha = 1": m.SETPOINT,
        # RTT = R' + n_b/mu, R' without the packet in service, which n_b holds: the rest point stands on both sides.
        "as printed": 0.9 * rest_point(m.SETPOINT, m.ROUND_TRIP * w.FAST - 1, 0.9, as_printed=True),
    }
    table = []
    for law in w.CONTROLS:
        r = m.reactions(walks, law)
        rest = "-"
        if law in due:
            rest = f"{due[law]:.2f} / {m.rest(runs, law):.2f}"
        table.append(
            (
                law,
                rest,
                *(_spread(x) for x in (r.down, r.up)),
                *(_settled(x) for x in (r.settled_down, r.settled_up)),
            )
        )
    for name, fuzzy in (("fluid, fuzzy", True), ("fluid, last probe", False)):
        reached = (f"{x:.2f}" for x in m.fluid_reactions(fuzzy=fuzzy))
        table.append((name, f"{m.SETPOINT:.2f} / {m.fluid_rest(fuzzy=fuzzy):.2f}", *reached, "-", "-"))
    falls = time_between(m.SETPOINT + w.FAST, 1.1 * (m.SETPOINT + w.SLOW), m.SETPOINT + w.SLOW, w.SLOW)
    return Section(
        f"5.7: {w.STEPS} steps of mu, 10 to 5 and back, R = 1 s: simulated",
        ("law", "n_b due / is", "10 to 5: RTTs", "5 to 10: RTTs", "settled down (s)", "settled up (s)"),
        tuple(table),
        "RTTs until lambda is within 10 % of mu or past it, in round trips as before the step: mean [least, most]. Settled: from "
        "when on it stays within, median, and in how many cases before the next step; S of law 5.14 takes "
        f"{falls:.1f} s for that, by (5.16). n_b of 5.9 holds the packet in service, that of 5.14 does not; pairs add half a packet.",
    )


def _spread(values: Floats, digits: int = 2) -> str:
    return f"{values.mean():.{digits}f} [{values.min():.{digits}f}, {values.max():.{digits}f}]"


def _settled(values: Floats) -> str:
    good = np.isfinite(values)
    return f"{np.median(values):.1f} ({good.sum()} of {len(values)})" if good.any() else "never"


def setpoints(walks: Walks) -> Section:
    """Section 5.3.1: normal distribution, epoch model, simulation."""
    table = []
    for setpoint in w.SETPOINTS:
        normal = shares_of_normal(setpoint, queue_spread(w.SIGMA, m.ROUND_TRIP), w.BUFFER)
        model = epoch_model(setpoint)
        run = m.tradeoff(walks, setpoint)
        for name, cells in (
            ("normal", (f"{normal.empty:.4f}", f"{normal.full:.4f}", f"{normal.mean:.2f}", "", "")),
            ("epochs", (f"{model.empty:.4f}", f"{model.full:.4f}", f"{model.mean:.2f}", "", "")),
            (
                "simulated",
                (
                    run.text(run.empty),
                    run.text(run.full),
                    run.text(run.waiting, 2),
                    run.text(run.idle),
                    run.text(run.lost),
                ),
            ),
        ):
            table.append((f"{setpoint:g}" if name == "normal" else "", name, *cells))
    return Section(
        f"5.3.1: set-point and distribution of the queue, B = {w.BUFFER}, mu a random walk",
        ("set-point", "", "N(0)", "N(B)", "mean n_b", "line idle", "packets lost"),
        tuple(table),
        "normal: law 5.9 unclamped, n_b = set-point - (2 w(k-1) + w(k)) RTT, then cut off. epochs: the same with the clamp. simulated: law "
        f"5.14 over {len(w.SEEDS)} walks with 95 % intervals. mu steps by 1 packet/s each second; RTT = 1 s. Delay: n_b / mu.",
    )


def epoch_model(setpoint: float) -> QueueShares:
    """Shares of the epoch model on a long walk."""
    walk = random_walk(np.random.default_rng(1), EPOCHS, w.MIDDLE, w.SIGMA, w.LOW, w.HIGH)
    return shares_of(queues_of_walk(walk, setpoint, w.BUFFER, m.ROUND_TRIP), w.BUFFER)


def practice(runs: Runs, walks: Walks) -> Section:
    """Section 5.8, and the error of the first probe."""
    never, often = (m.drift(walks.over_seeds("drift", str(n))) for n in (0, w.RESYNC))
    bench = m.drift([walks.of["drift", "constant", 0]])
    first = {over: m.first_probe(walks, over) for over in w.OVER}
    table = [
        ("count less queue, mu constant", "0", f"{m.steady_offset(runs, 'per round trip'):.2f}"),
        ("count less queue, never resynchronised", "drifts", _interval(never.offset)),
        (f"count less queue, every {w.RESYNC} round trips", "0", _interval(often.offset)),
        ("packets at the line when the count is set to 0", "0", f"{often.left.max():.0f} at most"),
        ("line idle per resynchronisation, mu constant", f"R = {m.ROUND_TRIP:g} s", f"{bench.cost.mean:.2f} s"),
        ("line idle per resynchronisation", "", f"{often.cost.mean:.2f} ± {often.cost.half:.2f} s"),
        (f"line idle, every {w.RESYNC} round trips", f"{drift_cost(w.RESYNC):.3f}", _interval(often.idle, 3)),
        *(
            (f"lost with {w.RESERVED} buffers: {name}", due, f"{sum(m.losses(walks, name))} packets")
            for name, due in zip(w.WINDOWS, ("0", "0", "some"), strict=True)
        ),
        *(
            (
                f"R over-estimated by {over:g} s: S higher by",
                f"{over * w.SLOW:g}",
                f"{first[over].outstanding - first[0.0].outstanding:.2f} (delay {first[over].delay - first[0.0].delay:+.3f} s)",
            )
            for over in w.OVER[1:]
        ),
    ]
    return Section(
        "5.7 and 5.8: drift, windows, a late first probe",
        ("what", "due", "simulated"),
        tuple(table),
        f"Law 5.9 with alpha = .9 on the walks; the idle share is 1/{w.RESYNC} if a round trip is R, less with a queue. Windows: mu jumps; "
        "with a timer of 3 r_t packets that still wait are sent again. First probe: mu = 5, set-points 4 to 5.9.",
    )


def _interval(values: Floats, digits: int = 2) -> str:
    mean = mean_of(values)
    return f"{mean.mean:.{digits}f} ± {mean.half:.{digits}f}"
