"""Groups of similar flows: those of one template such as `ftp1` to `ftp6`, or with the same control and workload."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..stats import Mean, mean_of
from .columns import columns

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
        rtt_s: the mean over the flows of their mean round-trip times.
        queueing_s: the mean over the flows of their mean queueing delays.
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

    goodput, rtt, queueing = of("goodput_bps"), of("rtt_mean_s"), of("queueing_mean_s")
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
                rtt_s=mean_of(row_means(rtt[:, own]), results.runs_equal),
                queueing_s=mean_of(row_means(queueing[:, own]), results.runs_equal),
                counts={key: int(totals[key][:, own].sum()) for key in counted},
            )
        )
    return out


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


def row_means(values: Any) -> Any:
    """The mean of each row over what was measured; nan where nothing was."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    return np.where(known, values, 0.0).sum(axis=1) / np.where(count, count, np.nan)
