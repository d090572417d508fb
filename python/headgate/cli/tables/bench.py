"""The tables of `headgate bench`."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from rich.table import Table

from ..terminal import console


def print_bench(found: dict[str, Any]) -> None:
    """The figures in the terminal."""
    out, engine = console(), found["engine"]
    out.print(
        f"processor time, best of {engine['repeats']}, set-up and per-flow statistics included; {engine['machine']}"
    )
    table = Table(title="workloads: millions of packets per second of processor time", title_justify="left")
    table.add_column("workload")
    table.add_column("queue")
    for heading in ("flows", "offered", "over the bottleneck", "over all hops", "processor s", "peak MB"):
        table.add_column(heading, justify="right")
    for w in found["workloads"]:
        rates = (f"{w[k] / 1e6:.2f}" for k in ("offered_pps", "bottleneck_pps", "hops_pps"))
        table.add_row(w["name"], w["queue"], str(w["flows"]), *rates, f"{w['cpu_s']:.3f}", f"{w['rss_mb']:.1f}")
    out.print(table)
    flows = sorted({d["flows"] for d in found["disciplines"]})
    table = Table(
        title="disciplines alone: ns for one packet in and one out, by backlogged flows", title_justify="left"
    )
    table.add_column("discipline")
    for n in flows:
        table.add_column(str(n), justify="right")
    for name, rows in groupby(found["disciplines"], lambda d: str(d["name"])):
        table.add_row(name, *(f"{d['ns_per_packet']:.0f}" for d in rows))
    out.print(table)
    speeds = ", ".join(f"{k} {v / 1e6:.1f}" for k, v in engine["events_per_s"].items())
    out.print(f"engine: millions of events per second: {speeds}")
    side = engine["side_by_side"]
    out.print(
        f"{side['name']} {side['queue']} on {side['processors']} processors at a time: {side['of_ideal']:.2f} of the speed alone, "
        f"digests {'equal' if side['equal_digests'] else 'NOT EQUAL'}"
    )
    out.print(
        f"start-up {engine['start_up_s'] * 1e3:.0f} ms; memory {engine['base_mb']:.1f} MB and "
        f"{engine['bytes_per_flow']:.0f} bytes per flow"
    )
