"""Groups of similar flows: those of one template such as `ftp1` to `ftp6`, or with the same control and workload."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..stats import Mean, mean_of
from ..stats.means import pooled
from .columns import columns
from .summaries import mean_of_packets

if TYPE_CHECKING:
    from .results import Results

#: With more templates than this, flows are grouped by flow control and workload.
MOST = 20


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
        queueing_s: the mean time in queues of all their packets.
        counts: drops, retransmissions, timeouts and marks of all of them.
    """

    name: str
    flows: int
    control: str
    goodput_bps: Mean
    least_bps: float
    most_bps: float
    max_min_bps: float
    rtt_s: Mean
    queueing_s: Mean
    counts: dict[str, int]


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
                queueing_s=_of_packets(results, own, of, "queueing_mean_s"),
                counts={key: int(totals[key][:, own].sum()) for key in counted},
            )
        )
    return out


def _of_packets(results: Results, own: list[int], of: Callable[[str], Any], column: str) -> Mean:
    """The mean over all packets of some flows: of the run, with the spread of its intervals, or over replications."""
    per = columns("flows")[column].per
    counts = of(per)[:, own]
    means = pooled(of(column)[:, own], counts)
    if len(results.runs) > 1:
        return mean_of(means, results.runs_equal)
    totals = results._by_run("flows", results.flow_count)
    return mean_of_packets(float(pooled(totals[column][0][own], totals[per][0][own])), means, counts.sum(axis=1))


def members_of(results: Results) -> list[tuple[str, list[int]]]:
    """The names of the groups of flows and the positions of their members, in the order of their first flows."""
    first = {key: results.flows[key][: results.flow_count].tolist() for key in ("flow", "control", "workload")}
    names, alike = first["flow"], list(zip(first["control"], first["workload"], strict=True))
    templates = [re.sub(r"\d+", "*", name) for name in names]
    members = _members(list(zip(templates, alike, strict=True)))
    if len(members) > MOST:
        members = _members(alike)
        return [(" ".join(alike[own[0]]) if len(own) > 1 else names[own[0]], own) for own in members]
    return [(f"{names[own[0]]}..{names[own[-1]]}" if len(own) > 1 else names[own[0]], own) for own in members]


def _members(keys: Sequence[Hashable]) -> list[list[int]]:
    """The positions of equal keys."""
    found: dict[Hashable, list[int]] = {}
    for i, key in enumerate(keys):
        found.setdefault(key, []).append(i)
    return list(found.values())
