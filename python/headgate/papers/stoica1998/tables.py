"""The tables of ours beside the paper's, by item, and which figure is drawn by what. Titles and columns stand in `tables.toml`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan

import numpy as np

from ...analysis import jain_index
from ...base.parallel import Progress
from ...stats import mean_of
from ..claims import Runs
from ..formulas.csfq import csfq_shares
from ..layout import Layouts
from ..model import Table
from ..study import Section, Shown
from . import figures, idle, mechanisms, theory
from . import measures as m
from .layers import levels

TABLES = Layouts(__file__)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """Everything is measured from the item's runs; `progress` has nothing more to show."""
    del progress
    drawings = {name: partial(draw, runs) for name, draw in figures.DRAWINGS.get(runs.item.name, {}).items()}
    return Shown(tuple(make(runs) for make in OF.get(runs.item.name, ())), drawings)


def _figure_3b(runs: Runs) -> Section:
    def row(scheme: str) -> Table:
        tcp = np.array([f.mean for f in m.flows(runs, scheme, *m.TCP_FLOWS)])
        later = m.udp(runs, f"{scheme} after 10 s")
        got = m.udp(runs, scheme)
        return {"udp": got, "times": got.mean / m.FAIR, "tcp": tcp.mean(), "least": tcp.min(), "later": later}

    return TABLES.section("figure-3b", [{"scheme": s, **row(s)} for s in m.SCHEMES])


def _figure_3a(runs: Runs) -> Section:
    def row(variant: str) -> Table:
        got = m.seeds(runs, variant, "throughput", *m.UDP_FLOWS)
        low, high = m.offs(runs, variant)
        return {
            "scheme": variant,
            "first": mean_of(got[:, 0]),
            "last": mean_of(got[:, 31]),
            "low": mean_of(low),
            "high": mean_of(high),
            "jain": mean_of([jain_index(of) for of in got]),
            "total": got.sum(axis=1).mean(),
        }

    return TABLES.section("figure-3a", [row(v) for v in (*m.SCHEMES, "CSFQ for 100 s")])


def _table_4(runs: Runs) -> Section:
    def row(case: str) -> Table:
        got = m.flows(runs, case, "flow1", "flow2", "flow3")
        return {"case": case, "flows": got, "total": sum(f.mean for f in got)}

    cases = [f"{flows}{labels}" for flows in ("UDP", "TCP") for labels in ("", " without relabelling")]
    return TABLES.section("table-4", [row(c) for c in cases])


def _figure_4(runs: Runs) -> Section:
    def row(n: int) -> Table:
        return {"n": n, "room": 64 / n, "of": [m.normalised(runs, s, n).mean for s in m.SCHEMES]}

    return TABLES.section("figure-4", [row(n) for n in m.NUMBERS])


def _figure_6(runs: Runs) -> Section:
    def row(k: int) -> Table:
        return {"k": k, "of": [m.across(runs, s, k).mean for s in m.SCHEMES]}

    return TABLES.section(runs.item.name, [row(k) for k in m.LINKS])


def _figure_7(runs: Runs) -> Section:
    def row(scheme: str, when: str) -> Table:
        tcp, rlm, each = m.shared(runs, scheme, when)
        low, high = levels(runs, scheme, when)
        return {
            "scheme": scheme,
            "when": "last" if when else "first",
            "tcp": tcp,
            "rlm": rlm,
            "least": each.min(),
            "most": each.max(),
            "levels": f"{low} to {high}",
        }

    return TABLES.section("figure-7", [row(s, w) for w in m.SETTLED for s in m.SCHEMES])


def _table_1(runs: Runs) -> Section:
    def row(scheme: str) -> Table:
        tcp = m.seeds(runs, scheme, "throughput", *(f"tcp{i}" for i in range(1, 20)))
        return {"scheme": scheme, "part": m.fraction(runs, scheme), "tcp": mean_of(tcp.mean(axis=1))}

    return TABLES.section("table-1", [row(s) for s in m.SCHEMES])


def _table_2(runs: Runs) -> Section:
    def row(scheme: str) -> Table:
        found = {
            x: m.seeds(runs, scheme, x, "web")[:, 0] for x in ("transfer_time", "transfer_deviation", "unfinished")
        }
        times = found["transfer_time"]
        return {
            "scheme": scheme,
            "time": mean_of(times),
            "low": times.min(),
            "high": times.max(),
            "deviation": mean_of(found["transfer_deviation"]),
            "unfinished": found["unfinished"].sum(),
            "printed": m.transfer_time(runs, f"{scheme} at 0.05 ms"),
        }

    return TABLES.section("table-2", [row(s) for s in m.SCHEMES])


def _table_3(runs: Runs) -> Section:
    pair = {"CSFQ": "CSFQ 400 ms", **{s: f"{s} 256 KB" for s in ("FRED-1", "FRED-2", "RED")}}

    def row(name: str, wide: str) -> Table:
        found = {"few": name, **({"many": wide} if wide else {})}
        cells = {
            f"{key}_{metric}": m.mean(runs, v, metric, "tcp*")
            for key, v in found.items()
            for metric in ("packets", "deviation")
        }
        return {"scheme": name, "many_packets": None, "many_deviation": None, **cells}

    rows = [row(s, f"{pair.get(s, s)}, window 100") for s in m.SCHEMES]
    return TABLES.section("table-3", [*rows, *(row(f"{s} with 16 and 32 KB", "") for s in ("FRED-1", "RED"))])


def _weights(runs: Runs) -> Section:
    due = csfq_shares(10, [8, 8, 8, 8], weights=[1, 2, 4, 8])

    def row(i: int, weight: int) -> Table:
        got = {v: m.mean(runs, v, "throughput", f"weight{weight}") for v in ("CSFQ", "CSFQ without weights")}
        return {"weight": weight, "due": due[i], "got": got["CSFQ"], "even": got["CSFQ without weights"]}

    return TABLES.section("weights", [row(i, w) for i, w in enumerate((1, 2, 4, 8))])


def _sensitivity(runs: Runs) -> Section:
    def row(what: str) -> Table:
        cells: Table = {"what": what, "low": nan, "high": nan}
        if f"3a {what}" in runs.base:
            low, high = m.offs(runs, f"3a {what}")
            cells |= {"low": mean_of(low), "high": mean_of(high)}
        return {**cells, "cold": m.udp(runs, f"3b {what}"), "later": m.udp(runs, f"3b after 10 s {what}")}

    names = [v.name.removeprefix("3b ") for v in runs.item.variants if v.name.startswith("3b ")]
    return TABLES.section("sensitivity", [row(n) for n in names if not n.startswith("after")])


def _others(runs: Runs) -> Section:
    def row(scheme: str) -> Table:
        of = {
            key: m.udp(runs, f"{scheme}: {what}") if f"{scheme}: {what}" in runs.base else None
            for key, what in (
                ("short", "timeout 100 ms"),
                ("base", "timeout 200 ms"),
                ("long", "timeout 1 s"),
                ("max_p", "max_p 0.02"),
            )
        }
        return {"scheme": scheme, **of}

    return TABLES.section("others", [row(s) for s in m.SCHEMES if s != "CSFQ"])


def _idle(runs: Runs) -> Section:
    def when(rules: str, x: str) -> str:
        found = 1e3 * idle.first_overflow(runs, f"{rules} {x}")
        return "never" if found == inf else f"{found:.1f}"

    def row(x: str) -> Table:
        found = 1e3 * idle.congested(runs, f"paper {x}")
        peak = idle.peak(runs, f"paper {x}")
        return {
            "x": x,
            "theory": 1e3 * idle.detected(float(x)),
            "found": found,
            "fluid": idle.fluid_queue(float(x)),
            "peak": peak,
            "overflow": [when(r, x) for r in idle.RULES],
        }

    return TABLES.section("idle-line", [row(x) for x in idle.LOADS])


def _mechanisms(runs: Runs) -> Section:
    return TABLES.section("mechanisms", mechanisms.rows(runs))


def _waits(runs: Runs) -> Section:
    return TABLES.section("waits", mechanisms.waits(runs))


def _theorem(runs: Runs) -> Section:
    def row(k: int) -> Table:
        got, bound = theory.measured_excess(runs, k)
        ideal = theory.excess([(8e-4, 8000.0)] * (k * 25), 1e6, k / 1e3)
        counted, lots = (found.mean() / 1e3 for found in theory.without_buffer(k / 1e3))
        cells = {"k": k, "got": got / 1e3, "bound": bound / 1e3, "ratio": got / bound, "ideal": ideal / 1e3}
        return {**cells, "counted": counted, "lots": lots}

    return TABLES.section("theorem", [row(k) for k in theory.KS])


#: The tables of each item.
OF: dict[str, tuple[Callable[[Runs], Section], ...]] = {
    "figure-3b": (_figure_3b,),
    "figure-3a": (_figure_3a,),
    "table-4": (_table_4,),
    "figure-4": (_figure_4,),
    "figure-6a": (_figure_6,),
    "figure-6b": (_figure_6,),
    "figure-7": (_figure_7,),
    "table-1": (_table_1,),
    "table-2": (_table_2,),
    "table-3": (_table_3,),
    "weights": (_weights,),
    "sensitivity": (_sensitivity, _others),
    "mechanisms": (_mechanisms, _waits),
    "idle-line": (_idle,),
    "section-2": (_theorem,),
}
