"""What a flow is paid, and how it is read off the tables of a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...base.choices import PAYOFFS as NAMES
from ...base.errors import HeadgateError
from ...results.columns import columns, judged
from ...results.metrics import BY_NAME, power
from ..frame.study import Array, measured_cells

if TYPE_CHECKING:
    from ...sweep import Study


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
    name: _payoff(name, *rest)
    for name, rest in zip(
        NAMES,
        (
            ("goodput of a flow", lambda g, _: g, lambda share, _: share),
            ("goodput of a flow over its delay", power, lambda share, rtt: 2 * share / rtt),
            ("mean delay of a flow", lambda _, d: d, lambda _, rtt: rtt / 2),
        ),
        strict=True,
    )
}


def read_payoff(payoff: str, flows: int, tolerance: float) -> None:
    """Checks what a flow is paid, the number of flows, and the tolerance in parts of a fair share.

    Raises:
        HeadgateError: one is not valid.
    """
    if payoff not in PAYOFFS:
        raise HeadgateError(f"--payoff: found {payoff}; expected one of {', '.join(PAYOFFS)}")
    if not 2 <= flows <= 1000:
        raise HeadgateError(f"--flows: found {flows}; expected 2 to 1000")
    if not 0 <= tolerance < 1:
        raise HeadgateError(f"--tolerance: found {tolerance:g}; expected a share below 1, such as 2%")


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
    out: dict[int, MeasuredFlows] = {}
    for cell in measured_cells(study, ("goodput_bps", "owd_mean_s")):
        goodput, delay = (np.full((replications, len(cell.flows)), np.nan) for _ in range(2))
        used = np.full(replications, np.nan)
        goodput[cell.runs], delay[cell.runs] = cell.columns["goodput_bps"], cell.columns["owd_mean_s"]
        used[cell.runs] = cell.utilisation
        out[cell.number] = MeasuredFlows(goodput, delay, used, bool(study.equal_runs[cell.number]))
    return out
