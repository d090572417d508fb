"""Groups of similar flows: those of one template such as `ftp1` to `ftp6`, or with the same control and workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..stats import Mean, mean_of
from ..stats.means import pooled
from .columns import ColumnInfo, columns
from .combination import by_row, combined
from .metrics import Ratio
from .summaries import FlowSummary, mean_of_packets, more_of

if TYPE_CHECKING:
    from .results import Results

#: Columns of a table, as arrays whose last axis is the flows.
Columns = Mapping[str, Any]


@dataclass(frozen=True)
class FlowGroup:
    """A group of flows.

    Attributes:
        name: those of the first and the last flow, or the control and the workload.
        flows: number of flows.
        control: their flow control.
        goodput_bps: of all of them together.
        least_bps: the smallest goodput of a flow.
        most_bps: the largest goodput of a flow.
        max_min_bps: the max-min ideal of all of them together.
        rtt_s: the mean of the round-trip times that their sources measured.
        rtt_p99_s: of the flow with the longest ones, the time below which 99 % of them are; the mean over the runs.
        queueing_s: the mean time in queues of all their packets.
        counts: drops, retransmissions, timeouts and marks of all of them.
        more: the metrics of the list that summaries of flows have beside their entries, by their columns; flows are taken together as
            everywhere, and a ratio is that of the sums over all of them.
    """

    name: str
    flows: int
    control: str
    goodput_bps: Mean
    least_bps: float
    most_bps: float
    max_min_bps: float
    rtt_s: Mean
    rtt_p99_s: float
    queueing_s: Mean
    counts: dict[str, int]
    more: dict[str, Mean | float]


def groups(results: Results) -> list[FlowGroup]:
    """The groups of the flows of a result, in the order of their first flows; a flow that is like no other is a group by itself."""
    totals = results._by_run("flows", results.flow_count)
    several = len(results.runs) > 1
    series = totals if several else results._measured

    def of(name: str) -> Any:
        column = columns("flows")[name]
        found = series[name] if column.of is None else column.of(series)
        return found if several else found[0]

    goodput = of("goodput_bps")
    ideal = np.array(list(results.max_min_bps().values()))
    out = []
    controls = totals["control"][0].tolist()
    for name, own in members_of(results):
        each = np.array([mean_of(goodput[:, i]).mean for i in own])
        counted = ("drops", "retransmissions", "timeouts", "marks")
        out.append(
            FlowGroup(
                name=name,
                flows=len(own),
                control=controls[own[0]],
                goodput_bps=mean_of(goodput[:, own].sum(axis=1), results.runs_equal),
                least_bps=float(each.min()),
                most_bps=float(each.max()),
                max_min_bps=float(ideal[own].sum()),
                rtt_s=_of_packets(results, own, of, "rtt_mean_s"),
                rtt_p99_s=float(totals["rtt_p99_s"][:, own].mean(axis=0).max()),
                queueing_s=_of_packets(results, own, of, "queueing_mean_s"),
                counts={key: int(totals[key][:, own].sum()) for key in counted},
                more={
                    name: _more(results, own, totals, series, columns("flows")[name]) for name in more_of(FlowSummary)
                },
            )
        )
    return out


def _more(results: Results, own: list[int], totals: Columns, series: Columns, column: ColumnInfo) -> Mean | float:
    """A metric of some flows: of the run, with the spread of its intervals where these have what it takes, or over replications."""
    several = len(results.runs) > 1
    ratio = column.of if isinstance(column.of, Ratio) else None
    if ratio is not None and (column.per or column.kind == "total"):
        whole = np.asarray(ratio(_sums(ratio, totals, own)), dtype=np.float64)
        if several or not set(ratio.columns) <= columns("intervals").keys():
            return mean_of(whole, results.runs_equal) if several else float(whole[0])
        parts = {name: values[0] for name, values in _sums(ratio, series, own).items()}
        counts = column.weights(parts.__getitem__)
        return mean_of(ratio(parts)) if counts is None else mean_of_packets(float(whole[0]), ratio(parts), counts)
    values = np.asarray(totals[column.name] if column.of is None else column.of(totals), dtype=np.float64)[:, own]
    weights = column.weights(lambda name: np.asarray(totals[name], dtype=np.float64)[:, own])
    whole = combined(column.kind, values, by_row, weights)
    if column.type == "int" and column.kind != "mean":
        return int(whole.sum() if column.kind == "total" else whole.max() if column.kind == "most" else whole.min())
    return mean_of(whole, results.runs_equal) if several else float(whole[0])


def _sums(ratio: Ratio, table: Columns, own: list[int]) -> dict[str, Any]:
    """The columns of a ratio, each added up over some flows, and the ends of the time."""
    ends = {name: table[name][..., own[0]] for name in ("start_s", "end_s")}
    return ends | {name: table[name][..., own].sum(axis=-1) for name in ratio.columns}


def _of_packets(results: Results, own: list[int], of: Callable[[str], Any], column: str) -> Mean:
    """The mean over all packets of some flows: of the run, with the spread of its intervals, or over replications."""
    weights = columns("flows")[column].weights
    counts = weights(lambda name: of(name)[:, own])
    means = pooled(of(column)[:, own], counts)
    if len(results.runs) > 1:
        return mean_of(means, results.runs_equal)
    totals = results._by_run("flows", results.flow_count)
    whole = pooled(totals[column][0][own], weights(lambda name: totals[name][0][own]))
    return mean_of_packets(float(whole), means, counts.sum(axis=1))


def members_of(results: Results) -> list[tuple[str, list[int]]]:
    """The names of the groups of flows and the positions of their members, in the order of their first flows."""
    first = (results.flows[key][: results.flow_count].tolist() for key in ("flow", "control", "workload"))
    return _core.members(*first)
