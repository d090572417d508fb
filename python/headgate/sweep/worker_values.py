"""Values computed from the columns of a worker: numpy arrays of them, the max-min ideals, and the metric of a stopping rule."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np
import numpy.typing as npt

from ..results.fairness import DEMAND_COLUMNS, shares_of
from .rows import derived
from .work import Done


@dataclass(frozen=True)
class Watched:
    """The metric of a stopping rule: one number per run."""

    column: str
    table: str
    pattern: str
    over: str

    def of(self, columns: dict[str, Any]) -> float:
        """The number of one run, from the columns of its table; nan if nothing was measured."""
        names = columns["flow" if self.table == "flows" else "link"]
        chosen = np.array([fnmatchcase(name, self.pattern) for name in names], dtype=bool)
        values = columns[self.column][chosen]
        values = values[~np.isnan(values)] if len(values) else values
        if not len(values):
            return float("nan")
        return float({"mean": values.mean, "total": values.sum, "least": values.min, "most": values.max}[self.over]())


def tables_of(done: Done) -> dict[str, dict[str, Any]]:
    """The tables of a chunk: numpy arrays, or pairs of codes and names; the flows with their max-min ideals."""
    tables = {name: {k: _column(v) for k, v in columns.items()} for name, columns in done.tables.items()}
    if done.runs:
        tables["flows"]["max_min_bps"] = _ideals(done)
    return tables


def _column(column: Any) -> Any:
    if isinstance(column, list):
        return np.arange(len(column)), column
    if isinstance(column, tuple):
        return np.asarray(column[0], dtype=np.int64), column[1]
    return np.asarray(column)


def _ideals(done: Done) -> npt.NDArray[np.float64]:
    """The max-min ideal of every row of flows; runs of a variant with equal demands of flows share one computation."""
    flows = {name: [*map(float, done.tables["flows"][name])] for name in DEMAND_COLUMNS}
    rates = [*map(float, done.tables["links"]["rate_bps"])]
    known: dict[tuple[object, ...], list[float]] = {}
    out: list[float] = []
    first, port = 0, 0
    for (variant, _), count, ports in zip(done.runs, done.lengths["flows"], done.lengths["links"], strict=True):
        own = {name: column[first : first + count] for name, column in flows.items()}
        key = (variant, *map(tuple, own.values()))
        if key not in known:
            flow, link = (np.frombuffer(done.routes[variant][k], dtype=np.int64).tolist() for k in ("flow", "link"))
            known[key] = shares_of(own, rates[port : port + ports], (flow, link), done.stretches[variant])
        out += known[key]
        first, port = first + count, port + ports
    return np.array(out, dtype=np.float64)


def values_of(metric: Watched, done: Done, tables: dict[str, dict[str, Any]]) -> list[float]:
    """The metric of a stopping rule, for every run of a chunk."""
    ends = np.cumsum(done.lengths[metric.table])
    if not len(ends):
        return []
    columns = derived(metric.table, tables[metric.table])
    key = "flow" if metric.table == "flows" else "link"
    chosen = {key: columns[key], metric.column: columns[metric.column]}
    chosen[key] = np.array(chosen[key][1], dtype=object)[chosen[key][0]]
    return [
        metric.of({k: np.asarray(v[end - n : end]) for k, v in chosen.items()})
        for end, n in zip(ends.tolist(), done.lengths[metric.table], strict=True)
    ]
