"""The tables of `headgate bench`."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from ..terminal import console
from .fit import Column, print_fitted


def print_bench(found: dict[str, Any]) -> None:
    """The figures in the terminal."""
    out, engine = console(), found["engine"]
    out.print(
        f"processor time, best of {engine['repeats']}, set-up and per-flow statistics included; {engine['machine']}"
    )
    workloads = found["workloads"]
    columns = [
        Column(key, text=True, cells=[w["name" if key == "workload" else key] for w in workloads])
        for key in ("workload", "queue")
    ]
    columns.append(Column("flows", cells=[str(w["flows"]) for w in workloads]))
    for key, heading in (
        ("offered_pps", "offered"),
        ("bottleneck_pps", "over the bottleneck"),
        ("hops_pps", "over all hops"),
    ):
        columns.append(Column(heading, cells=[f"{w[key] / 1e6:.2f}" for w in workloads]))
    columns.append(Column("processor s", cells=[f"{w['cpu_s']:.3f}" for w in workloads]))
    columns.append(Column("peak MB", cells=[f"{w['rss_mb']:.1f}" for w in workloads]))
    print_fitted("workloads: millions of packets per second of processor time", columns)
    controls = found["controls"]
    columns = [Column(key, text=True, cells=[c[key] for c in controls]) for key in ("workload", "control")]
    columns.append(Column("over the bottleneck", cells=[f"{c['bottleneck_pps'] / 1e6:.2f}" for c in controls]))
    columns.append(Column("time of a packet", cells=[f"{c['times']:.2f}" for c in controls]))
    print_fitted("flow controls: millions of packets per second, and the time of a packet under jk_reno as 1", columns)
    flows = sorted({d["flows"] for d in found["disciplines"]})
    rows = [(name, list(of)) for name, of in groupby(found["disciplines"], lambda d: str(d["name"]))]
    columns = [Column("discipline", text=True, cells=[name for name, _ in rows])]
    for i, n in enumerate(flows):
        columns.append(Column(str(n), cells=[f"{of[i]['ns_per_packet']:.0f}" for _, of in rows]))
    print_fitted("disciplines alone: ns for one packet in and one out, by backlogged flows", columns)
    out.print()
    speeds = ", ".join(f"{k} {v / 1e6:.1f}" for k, v in engine["events_per_s"].items())
    out.print(f"engine: millions of events per second: {speeds}")
    side = engine["side_by_side"]
    out.print(
        f"{side['name']} {side['queue']} on {side['processors']} processors at a time: {side['of_ideal']:.2f} of the speed alone, "
        f"digests {'equal' if side['equal_digests'] else 'NOT EQUAL'}"
    )
    out.print(
        f"start-up {engine['start_up_s'] * 1e3:.0f} ms; memory {engine['base_mb']:.1f} MB and "
        f"{engine['bytes_per_flow']:.0f} bytes per flow; with its flow control: "
        + ", ".join(f"{name} {size:.0f}" for name, size in engine["bytes_per_controlled_flow"].items())
    )
