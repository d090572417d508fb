"""What is measured in a cell, and how it is read off the tables of a study."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...results.columns import columns, judged
from ...results.combination import by_row, combined
from ...results.metrics import BY_NAME, METRICS, MetricLine, Ratio
from ..frame.study import Array, measured_cells

if TYPE_CHECKING:
    from ...sweep import Study

#: Of shares of a whole, and of harm, which is negative where B does good.
PART, HARM = (0.0, 1.0), (-math.inf, 1.0)


@dataclass(frozen=True)
class Measure:
    """A measure of a cell.

    Attributes:
        name: in tables, files and `--show`.
        what: in words, for headings.
        unit: as it is shown; `scale` is the factor to it.
        of: `side` if A and B have their own, `cell` if it is one number of both, `share` of A's share, `harm` of what A suffers.
        less: whether less is better; of harm, of the metric that it is the harm to.
        decimals: digits after the point.
        bounds: between which its values lie: an interval beyond them says nothing.
        metric: that it measures.
    """

    name: str
    what: str
    unit: str = ""
    scale: float = 1.0
    of: str = "cell"
    less: bool = True
    decimals: int = 2
    bounds: tuple[float, float] = (0.0, math.inf)
    metric: MetricLine | None = None

    @property
    def heading(self) -> str:
        """What it is, with its unit."""
        return f"{self.what} ({self.unit})" if self.unit else self.what


def _of(name: str, what: str, metric: str, of: str = "cell") -> Measure:
    """The measure of a metric of the list."""
    known = BY_NAME[metric]
    scale, unit, decimals = judged(known)
    bounds = PART if known.share else (0.0, math.inf)
    return Measure(name, what, unit, scale, of, known.better != "more", decimals, bounds, known)


#: Metrics of a side in the words of a matrix; of those that are not here the heading says it.
_WORDS = {
    "goodput": ("goodput", "goodput of A beside B"),
    "loss": ("loss", "packets of A that are lost beside B"),
    "p50_delay": ("delay_p50", "median one-way delay of A beside B"),
    "p95_delay": ("delay_p95", "95 % one-way delay of A beside B"),
    "p99_delay": ("delay_p99", "99 % one-way delay of A beside B"),
}

#: The metrics of the matrix that each side has, in the order of files.
SIDES = {
    _WORDS.get(m.name, (m.name, ""))[0]: m
    for m in (*(BY_NAME[name] for name in _WORDS), *METRICS)
    if m.matrix and m.table == "flows" and m.whose == "flow" and m.over != "jain"
}


def _sides() -> list[Measure]:
    words = {name: _WORDS.get(m.name, ("", f"{m.words or m.heading} of A beside B"))[1] for name, m in SIDES.items()}
    return [_of(name, words[name], m.name, "side") for name, m in SIDES.items()]


def _measures() -> Iterator[Measure]:
    yield Measure("share", "share of A in the goodput of A and B", of="share", less=False, bounds=PART)
    goodput, *others = _sides()
    yield goodput
    yield replace(_of("utilisation", "utilisation of the line", "utilisation"), decimals=1)
    yield from others
    for name, what in (("p50", "median"), ("p95", "95 %"), ("p99", "99 %")):
        yield _of(f"sparse_{name}", f"{what} one-way delay of the sparse flow", f"{name}_delay")
    yield _of("sparse_loss", "packets of the sparse flow that are lost", "loss")
    for name, what in (("p50", "median"), ("p95", "95 %")):
        times = _of(f"web_{name}", f"{what} completion time of the web load", f"fct_{name}_s")
        yield replace(times, unit="s", scale=1.0, decimals=2)
    for name, of in HARMED.items():
        what = {"harm": "goodput", "harm_delay": "95 % delay", "harm_loss": "loss"}[name]
        less = SIDES[of].better == "less"
        yield Measure(name, f"harm of B to the {what} of A", of="harm", less=less, bounds=HARM)


#: The measure of a side that each harm is done to.
HARMED = {"harm": "goodput", "harm_delay": "delay_p95", "harm_loss": "loss"}

#: All measures, in the order of files. A row of a table is A, a column B: `goodput` is that of A beside B.
MEASURES: dict[str, Measure] = {m.name: m for m in _measures()}


def measured(study: Study) -> dict[int, dict[str, Array]]:
    """Of each variant that ran, every measure: an array over its runs, in the order of replications.

    Sides have `goodput_a` and `goodput_b`; a cell of one control has no `b`, and no share. Where a control has several flows, goodput
    adds up, loss is that of all packets, and a quantile of delay is the mean of those of the flows.
    """
    out: dict[int, dict[str, Array]] = {}
    for ran in measured_cells(study, _columns()):
        names = np.array([group_of(name) for name in ran.flows])
        cell: dict[str, Array] = {"utilisation": ran.utilisation}
        for group in ("a", "b", "sparse", "web"):
            own = names == group
            if own.any():
                # In the order of memory in which sums were always taken.
                cell |= _group(group, {k: np.ascontiguousarray(v[:, own]) for k, v in ran.columns.items()})
        if "goodput_b" in cell:
            total = cell["goodput_a"] + cell["goodput_b"]
            with np.errstate(invalid="ignore", divide="ignore"):
                cell["share"] = cell["goodput_a"] / total
        cell["replication"] = ran.runs.astype(np.float64)
        out[ran.number] = cell
    return out


def _columns() -> set[str]:
    """The columns of flows that the measures are made of."""
    used: set[str] = set()
    for m in (m.metric for m in MEASURES.values() if m.metric is not None and m.metric.whose == "flow"):
        per = columns("flows")[m.column].per if m.column else ()
        used |= {m.column, *(name.removeprefix("-") for name in per)} if m.column else set(_ratio(m).columns)
    return used


def _ratio(metric: MetricLine) -> Ratio:
    assert isinstance(metric.of, Ratio), metric.name
    return metric.of


def _group(group: str, table: dict[str, Array]) -> dict[str, Array]:
    if group in ("sparse", "web"):
        own = {n: m.metric for n, m in MEASURES.items() if n.startswith(f"{group}_") and m.metric is not None}
        return {name: _value(metric, table) for name, metric in own.items()}
    return {f"{name}_{group}": _value(metric, table) for name, metric in SIDES.items()}


def _value(metric: MetricLine, table: dict[str, Array]) -> Array:
    """A metric of the flows of a group in each run."""
    if not metric.column:
        ratio = _ratio(metric)
        return np.asarray(ratio({name: table[name].sum(axis=1) for name in ratio.columns}), dtype=np.float64)
    column = columns("flows")[metric.column]
    return combined(column.kind, table[column.name], by_row, column.weights(table.__getitem__))


def group_of(flow: str) -> str:
    """The group of a flow: a number after its name counts its flows.

    >>> [group_of(x) for x in ("a", "a12", "sparse", "web")]
    ['a', 'a', 'sparse', 'web']
    """
    return flow.rstrip("0123456789")


def picked(names: Iterable[str], sparse: bool, web: bool) -> list[str]:
    """Those measures that a matrix has."""
    return [n for n in names if (sparse or not n.startswith("sparse_")) and (web or not n.startswith("web_"))]
