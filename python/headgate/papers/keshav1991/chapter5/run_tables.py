"""The tables of what the runs gave, beside what the formulas say."""

from __future__ import annotations

import numpy as np

from ....stats import mean_of
from ...claims import Runs
from ...formulas.rate_control import drift_cost, rest_point, time_between
from ...formulas.setpoint import QueueShares, queue_spread, queues_of_walk, random_walk, shares_of, shares_of_normal
from ...measure import Floats
from ...model import Table
from ...study import Section
from . import simulations as m
from . import walks as w
from .theory import TABLES
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
    table: list[Table] = []
    for law in w.CONTROLS:
        r = m.reactions(walks, law)
        reached = {"down": _spread(r.down), "up": _spread(r.up)}
        settled = {"settled_down": _settled(r.settled_down), "settled_up": _settled(r.settled_up)}
        rest = f"{due[law]:.2f} / {m.rest(runs, law):.2f}" if law in due else None
        table.append({"law": law, "rest": rest, **reached, **settled})
    for name, fuzzy in (("fluid, fuzzy", True), ("fluid, last probe", False)):
        down, up = (f"{x:.2f}" for x in m.fluid_reactions(fuzzy=fuzzy))
        rest = f"{m.SETPOINT:.2f} / {m.fluid_rest(fuzzy=fuzzy):.2f}"
        table.append({"law": name, "rest": rest, "down": down, "up": up, "settled_down": None, "settled_up": None})
    falls = time_between(m.SETPOINT + w.FAST, 1.1 * (m.SETPOINT + w.SLOW), m.SETPOINT + w.SLOW, w.SLOW)
    return TABLES.section("steps", table, steps=w.STEPS, falls=falls)


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
        for name, of in (("normal", normal), ("epochs", epoch_model(setpoint))):
            shares = {"empty": of.empty, "full": of.full, "mean": of.mean, "idle": "", "lost": ""}
            table.append({"setpoint": f"{setpoint:g}" if name == "normal" else "", "name": name, **shares})
        run = m.tradeoff(walks, setpoint)
        found = {"empty": run.empty, "full": run.full, "mean": run.waiting, "idle": run.idle, "lost": run.lost}
        table.append({"setpoint": "", "name": "simulated", **{k: mean_of(v) for k, v in found.items()}})
    return TABLES.section("setpoints", table, buffer=w.BUFFER, walks=len(w.SEEDS))


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
    return TABLES.section("practice", table, resync=w.RESYNC)


def _interval(values: Floats, digits: int = 2) -> str:
    mean = mean_of(values)
    return f"{mean.mean:.{digits}f} ± {mean.half:.{digits}f}"
