"""The worked values of chapter 4: what the sheet derived from the text, the formulas, and the simulator."""

from __future__ import annotations

import numpy as np

from ...claims import Runs
from ...formulas import packet_pair as theory
from ...layout import NOTHING as NONE
from ...layout import Layouts
from ...study import Section
from ..data import rows
from . import chains
from .transients import T0, corrections, reaction

TABLES = Layouts(__file__)


def lemmas() -> Section:
    """Lemmas 1 to 7 on random chains."""
    passages = chains.random_chains()
    found = chains.check(passages).items()
    return TABLES.section(
        "lemmas",
        ({"name": name, "check": c, "away": 1e12 * c.worst} for name, c in found),
        chains=len(passages),
        servers=chains.MOST_SERVERS,
        slowest=chains.SLOWEST_MS,
        packets=chains.MOST_PACKETS,
    )


def vectors() -> Section:
    """The chain of the sheet, server by server."""
    table = []
    for row in rows("ch4_chain_vectors"):
        spacing = 0.5 if row["case"] == "paced_s0_half" else 0.0
        server = chains.example(spacing).servers[int(row["server"]) - 1]
        ends = (server.arrivals[0], server.arrivals[-1], server.ends[-1])
        first, last, gone = (round(1000 * float(t), 6) for t in ends)
        exact = row["lemma6_peak_time_exact"]
        cells = {
            "spacing": spacing,
            "service": float(row["service_time"]),
            "throttle": row["is_rate_throttle"] == "1",
            "first": first,
            "gone": gone,
            "peak": server.band(0.0, np.inf)[1],
            "printed": row["lemma6_peak_time_printed"] or None,
            "exact": f"{exact} / {last:g}" if exact else None,
        }
        table.append({**row, **cells})
    return TABLES.section("vectors", table, example=chains.EXAMPLE, burst=chains.BURST)


def _ours(key: str) -> tuple[str, str]:
    """A worked value by its corrected formula, and by the printed one where that differs."""
    burst = theory.burst_at_throttle(20, 0, chains.EXAMPLE, 4)
    printed = theory.burst_at_throttle(20, 0, chains.EXAMPLE, 4, as_printed=True)
    depth, loss = theory.pipeline_depth, theory.proposition_2_loss
    skip_time = 2 * 0.16 * theory.skipped_slots(10, 6.25)
    skip_printed = theory.mu_down_recovery(0, 1.0, 0.1, 0.16, as_printed=True) - 1.0
    values: dict[str, tuple[float, float | None]] = {
        "c4-01": (depth(1.0, 0.1), None),
        "c4-02": (theory.round_trip_estimate(1.5, 5, 0.1), None),
        "c4-03": (theory.skipped_slots(10, 6.25), None),
        "c4-04": (theory.skipped_slots(10, 9.9999), None),
        "c4-05": (theory.skipped_slots(10, 10), None),
        "c4-06": (theory.skipped_slots(10, 13), None),
        "c4-07": (theory.burst_size(10, 12.5), None),
        "c4-08": (skip_time, skip_printed),
        "c4-09": (depth(1.0, 0.08) - depth(1.0, 0.1), None),
        "c4-10": (depth(1.0, 0.16) - depth(1.0, 0.1), None),
        "c4-11": (depth(1.4, 0.1) - depth(1.0, 0.1), None),
        "c4-12": (theory.skipped_slots(depth(1.0, 0.1), depth(1.4, 0.4)), None),
        "c4-13": (loss(1.0, 1.4, 0.1, 0.4), None),
        "c4-14": ((loss(1.0, 1.04, 0.1, 0.04) - 0.04 / 0.1) / 2, None),
        "c4-15": (theory.r_down_recovery(0, 1.4, 1.0) - 1.0, None),
        "c4-16": (theory.r_down_recovery(20, 1.4, 1.0), theory.r_down_recovery(20, 1.4, 1.0, as_printed=True)),
        "c4-17": (theory.packet_timeout(1.5), None),
        "c4-18": (theory.packet_timeout(1.5, 3), None),
        "c4-19": (2 * 0.2, None),
        "c4-20": (theory.buffers_needed(5), theory.buffers_needed(5, as_printed=True)),
        "c4-21": (burst.peak_s, printed.peak_s),
        "c4-22": (burst.peak_packets, None),
    }
    ours, other = values[key]
    return f"{ours:.6g}", NONE if other is None else f"{other:.6g}"


def _sent_apart(runs: Runs, variant: str, start: float, end: float) -> float:
    """The longest time between two sends of a variant's source."""
    times, outstanding = runs.trace(variant, "in_flight", "pair")
    sends = times[1:][np.diff(outstanding) > 0]
    chosen = sends[(sends > start) & (sends < end)]
    return float(np.diff(chosen).max())


def _simulated(runs: Runs, key: str) -> str:
    """The same value from a run of the bench, where one shows it."""

    def depth(variant: str) -> float:
        return float(runs.trace(variant, "depth", "pair")[1][-1])

    def total(variant: str, sign: int) -> int:
        return sum(n for _, n in corrections(runs, variant) if n * sign > 0) * sign

    echo, first = "R up, upstream, queue_echo", "mu down, first_probe"
    at_4 = chains.example(0.0).servers[3]
    values = {
        "c4-01": lambda: f"{depth('none, first_probe'):.6g}",
        "c4-03": lambda: f"{total(first, -1)}",
        "c4-06": lambda: f"{total(echo, -1)}",
        "c4-07": lambda: f"{total('mu up, first_probe', 1)}",
        "c4-08": lambda: f"{_sent_apart(runs, first, T0, 30.0) - 0.2:.3g}",
        "c4-09": lambda: f"{depth('mu up, first_probe') - 10:.6g}",
        "c4-10": lambda: f"{depth(first) - 10:.6g}",
        "c4-11": lambda: f"{depth(echo) - 10:.6g}",
        "c4-12": lambda: f"{total('proposition 2', -1)}",
        "c4-13": lambda: f"{reaction(runs, 'proposition 2').lost_bandwidth:.3g} (see below)",
        "c4-15": lambda: f"{0.2 * total('R down, upstream, queue_echo', -1):.3g} (1.0 to .6)",
        "c4-19": lambda: f"{_sent_apart(runs, 'none, first_probe', 10.0, 20.0):.3g} (s_e = .1)",
        "c4-21": lambda: f"{1000 * at_4.arrivals[-1]:.4g}",
        "c4-22": lambda: f"{at_4.band(0.0, np.inf)[1]}",
    }
    return values[key]() if key in values else NONE


def formulas(runs: Runs) -> Section:
    """The worked values."""
    table = []
    for row in rows("ch4_formula_checks"):
        ours, printed = _ours(row["id"])
        table.append({**row, "ours": ours, "printed": printed, "simulated": _simulated(runs, row["id"])})
    return TABLES.section("formulas", table)
