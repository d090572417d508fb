"""What is measured in a cell, and how it is read off the tables of a study."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..sweep.arrow import to_numpy

if TYPE_CHECKING:
    from ..sweep import Study

Array = npt.NDArray[np.float64]

#: The line between the gateways, as the topology calls it.
LINE = "bottleneck"


@dataclass(frozen=True)
class Measure:
    """A measure of a cell.

    Attributes:
        name: in tables, files and `--show`.
        what: in words, for headings.
        unit: as it is shown; `scale` is the factor to it.
        of: `a` and `b` if either has its own, `cell` if it is one number of both, `share` of A's share, `harm` of what A suffers.
        less: whether less is better; of harm, of the metric that it is the harm to.
        decimals: digits after the point.
        bounds: between which its values lie: an interval beyond them says nothing.
    """

    name: str
    what: str
    unit: str = ""
    scale: float = 1.0
    of: str = "cell"
    less: bool = True
    decimals: int = 2
    bounds: tuple[float, float] = (0.0, math.inf)

    @property
    def heading(self) -> str:
        """What it is, with its unit."""
        return f"{self.what} ({self.unit})" if self.unit else self.what


#: Of shares of a whole, and of harm, which is negative where B does good.
PART, HARM = (0.0, 1.0), (-math.inf, 1.0)

#: All measures, in the order of files. A row of a table is A, a column B: `goodput` is that of A beside B.
MEASURES: dict[str, Measure] = {
    m.name: m
    for m in (
        Measure("share", "share of A in the goodput of A and B", of="share", less=False, bounds=PART),
        Measure("goodput", "goodput of A beside B", "Mbit/s", 1e-6, of="side", less=False),
        Measure("utilisation", "utilisation of the line", "%", 100, less=False, decimals=1, bounds=PART),
        Measure("loss", "packets of A that are lost beside B", "%", 100, of="side", bounds=PART),
        Measure("delay_p50", "median one-way delay of A beside B", "ms", 1e3, of="side", decimals=1),
        Measure("delay_p95", "95 % one-way delay of A beside B", "ms", 1e3, of="side", decimals=1),
        Measure("delay_p99", "99 % one-way delay of A beside B", "ms", 1e3, of="side", decimals=1),
        Measure("sparse_p50", "median one-way delay of the sparse flow", "ms", 1e3, decimals=1),
        Measure("sparse_p95", "95 % one-way delay of the sparse flow", "ms", 1e3, decimals=1),
        Measure("sparse_p99", "99 % one-way delay of the sparse flow", "ms", 1e3, decimals=1),
        Measure("sparse_loss", "packets of the sparse flow that are lost", "%", 100, bounds=PART),
        Measure("web_p50", "median completion time of the web load", "s"),
        Measure("web_p95", "95 % completion time of the web load", "s"),
        Measure("harm", "harm of B to the goodput of A", of="harm", less=False, bounds=HARM),
        Measure("harm_delay", "harm of B to the 95 % delay of A", of="harm", bounds=HARM),
        Measure("harm_loss", "harm of B to the loss of A", of="harm", bounds=HARM),
    )
}

#: The measure of a side that each harm is done to.
HARMED = {"harm": "goodput", "harm_delay": "delay_p95", "harm_loss": "loss"}

#: The columns of flows that are needed.
_COLUMNS = ("goodput_bps", "sent", "drops", "lost", "owd_p50_s", "owd_p95_s", "owd_p99_s", "fct_p50_s", "fct_p95_s")


def measured(study: Study) -> dict[int, dict[str, Array]]:
    """Of each variant that ran, every measure: an array over its runs, in the order of replications.

    Sides have `goodput_a` and `goodput_b`; a cell of one control has no `b`, and no share. Where a control has several flows, goodput
    adds up, loss is that of all packets, and a quantile of delay is the mean of those of the flows.
    """
    flows, links = study.flows, study.links
    out: dict[int, dict[str, Array]] = {}
    if not len(flows):
        return out
    names = np.array([group_of(name) for name in flows["flow"].to_pylist()])
    columns = {name: to_numpy(flows[name]).astype(np.float64) for name in _COLUMNS}
    variant, replication = to_numpy(flows["variant"]), to_numpy(flows["replication"])
    line = np.array([name == LINE for name in links["link"].to_pylist()])
    of_line, busy = to_numpy(links["variant"])[line], to_numpy(links["utilisation"])[line]
    for number in np.unique(variant).tolist():
        mine = variant == number
        runs = np.unique(replication[mine])
        cell: dict[str, Array] = {"utilisation": busy[of_line == number]}
        for group in ("a", "b", "sparse", "web"):
            rows = mine & (names == group)
            if rows.any():
                table = {k: v[rows].reshape(len(runs), -1) for k, v in columns.items()}
                cell |= _group(group, table)
        if "goodput_b" in cell:
            total = cell["goodput_a"] + cell["goodput_b"]
            with np.errstate(invalid="ignore", divide="ignore"):
                cell["share"] = cell["goodput_a"] / total
        cell["replication"] = runs.astype(np.float64)
        out[int(number)] = cell
    return out


def _group(group: str, table: dict[str, Array]) -> dict[str, Array]:
    sent = table["sent"].sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        loss = (table["drops"] + table["lost"]).sum(axis=1) / sent
    delays = {f"p{q}": _mean(table[f"owd_p{q}_s"]) for q in (50, 95, 99)}
    if group == "sparse":
        return {**{f"sparse_{q}": v for q, v in delays.items()}, "sparse_loss": loss}
    if group == "web":
        return {f"web_p{q}": _mean(table[f"fct_p{q}_s"]) for q in (50, 95)}
    found = {"goodput": table["goodput_bps"].sum(axis=1), "loss": loss, **{f"delay_{q}": v for q, v in delays.items()}}
    return {f"{name}_{group}": values for name, values in found.items()}


def _mean(values: Array) -> Array:
    """The mean over the flows of each run that measured something; nan where none did."""
    good = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(good, values, 0.0).sum(axis=1) / good.sum(axis=1), dtype=np.float64)


def group_of(flow: str) -> str:
    """The group of a flow: a number after its name counts its flows.

    >>> [group_of(x) for x in ("a", "a12", "sparse", "web")]
    ['a', 'a', 'sparse', 'web']
    """
    return flow.rstrip("0123456789")


def picked(names: Iterable[str], sparse: bool, web: bool) -> list[str]:
    """Those measures that a matrix has."""
    return [n for n in names if (sparse or not n.startswith("sparse_")) and (web or not n.startswith("web_"))]
