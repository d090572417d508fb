"""What a flow is paid, and how it is read off the tables of a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...results.columns import columns, judged
from ...results.metrics import BY_NAME, power
from ...sweep.arrow import to_numpy

if TYPE_CHECKING:
    from ...sweep import Study

Array = npt.NDArray[np.float64]

#: The line between the gateways, as the topology calls it.
LINE = "bottleneck"


@dataclass(frozen=True)
class Payoff:
    """What a flow wants more of.

    Attributes:
        name: as `--payoff` has it.
        what: in words.
        unit: as it is shown; `scale` is the factor to it.
        of: the payoff of flows from their goodput in bit/s and their mean one-way delay in s.
        fair: what a fair share is paid, from the line's rate over the flows in bit/s and the round trip in s; tolerances are parts of it.
        adds: whether the payoffs of flows add up to something; otherwise their mean stands for all.
    """

    name: str
    what: str
    unit: str
    scale: float
    of: Callable[[Array, Array], Array]
    fair: Callable[[float, float], float]
    adds: bool


def _payoff(name: str, what: str, of: Callable[[Array, Array], Array], fair: Callable[[float, float], float]) -> Payoff:
    """The payoff of a metric: more of it, or less, is better."""
    metric = BY_NAME[name]
    scale, unit, _ = judged(metric)
    adds = (metric.over or columns(metric.table)[metric.column or ""].kind) == "total"
    if metric.better == "less":
        return Payoff(name, f"{what}, negative", unit, scale, lambda g, d: -of(g, d), fair, adds)
    return Payoff(name, what, unit, scale, of, fair, adds)


#: All payoffs. The one-way delay without a queue is half of the round trip.
PAYOFFS: dict[str, Payoff] = {
    p.name: p
    for p in (
        _payoff("goodput", "goodput of a flow", lambda g, _: g, lambda share, _: share),
        _payoff("power", "goodput of a flow over its delay", power, lambda share, rtt: 2 * share / rtt),
        _payoff("delay", "mean delay of a flow", lambda _, d: d, lambda _, rtt: rtt / 2),
    )
}


@dataclass(frozen=True)
class MeasuredFlows:
    """A variant of a study: an array with a row for each replication, nan where a run failed.

    Attributes:
        goodput: in bit/s, a column for each flow.
        delay: mean one-way delay in s, a column for each flow.
        utilisation: of the line, one number for each run.
        exact: whether all runs are copies of one another.
    """

    goodput: Array
    delay: Array
    utilisation: Array
    exact: bool


def measured(study: Study, replications: int) -> dict[int, MeasuredFlows]:
    """Every variant of a study, with its flows in the order of the scenario."""
    flows, links = study.flows, study.links
    out: dict[int, MeasuredFlows] = {}
    if not len(flows):
        return out
    variant, run = to_numpy(flows["variant"]), to_numpy(flows["replication"])
    goodput = to_numpy(flows["goodput_bps"]).astype(np.float64)
    delay = to_numpy(flows["owd_mean_s"]).astype(np.float64)
    line = np.array([name == LINE for name in links["link"].to_pylist()])
    line_variant, line_run = to_numpy(links["variant"])[line], to_numpy(links["replication"])[line]
    busy = to_numpy(links["utilisation"])[line].astype(np.float64)
    for number in np.unique(variant).tolist():
        mine, here = variant == number, line_variant == number
        runs = np.unique(run[mine])
        tables = []
        for column in (goodput, delay):
            table = np.full((replications, int(mine.sum()) // len(runs)), np.nan)
            table[runs] = column[mine].reshape(len(runs), -1)
            tables.append(table)
        used = np.full(replications, np.nan)
        used[line_run[here]] = busy[here]
        out[int(number)] = MeasuredFlows(tables[0], tables[1], used, bool(study.equal_runs[number]))
    return out
