"""A metric of a study as an array: a dimension for every axis, the last one for the replications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..base.errors import HeadgateError, cut, nearest
from ..results.columns import columns
from ..results.combination import by_group, combined
from ..sweep.arrow import codes_of, to_numpy
from ..sweep.axes import Axis
from .metrics import Metric, by_parts, find

if TYPE_CHECKING:
    import pyarrow as pa

    from ..sweep import Study

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cube:
    """One number for every point of the axes and every replication.

    Attributes:
        metric: what it is.
        axes: of the study, and one named `flow` or `link` if these are kept apart.
        values: of shape (points of each axis ..., replications); nan where a run is missing, failed, or measured nothing.
        ran: of the same shape, whether there was such a run.
        exact: of the shape of the points, whether all runs of a point are equal (`Study.equal_runs`), so that its mean has no interval.
    """

    metric: Metric
    axes: list[Axis]
    values: Array
    ran: npt.NDArray[np.bool_]
    exact: npt.NDArray[np.bool_]

    @property
    def replications(self) -> int:
        """The maximum number of replications of a point."""
        return int(self.values.shape[-1])

    def pool(self, keep: Sequence[int]) -> Cube:
        """The mean over all axes but those to keep, which are in the given order, for each replication separately.

        A replication that lacks a run or a value for one of the points has none: means over different points are not comparable.
        """
        averaged = tuple(i for i in range(len(self.axes)) if i not in keep)
        order = (*keep, *averaged, len(self.axes))
        last = len(keep)
        shape = (*(len(self.axes[i]) for i in keep), -1, self.replications)
        values = self.values.transpose(order).reshape(shape).mean(axis=last)
        ran = np.asarray(self.ran.transpose(order).reshape(shape).all(axis=last))
        exact = np.asarray(self.exact.transpose(order[:-1]).reshape(shape[:-1]).all(axis=last))
        return Cube(self.metric, [self.axes[i] for i in keep], values, ran, exact)


def cube(
    study: Study,
    metric: str,
    flow: str | None = None,
    link: str | None = None,
    over: str | None = None,
    split: bool = False,
) -> Cube:
    """The cube of a metric.

    Args:
        study: with its axes, perhaps only some points of them (`Study.select`).
        metric: a column or an alias.
        flow: the flows to use: a name or a pattern such as `ftp*`; all unless given.
        link: the ports to use, for metrics of ports.
        over: how the flows or ports of a run are combined: `total`, `mean`, `least`, `most` or `jain`.
        split: keep them separate instead, as one more axis.

    Raises:
        HeadgateError: there is no such metric, flow or port, or no run has ended yet.
    """
    wanted = find(metric, flow, link, over)
    runs = study.runs
    if not len(runs):
        raise HeadgateError(f"{study.folder}: no run of this study has ended yet")
    if split and wanted.of_runs:
        raise HeadgateError(f"metric {cut(metric)}: is one of runs, not of flows")
    numbers = study.numbers
    place = np.full(int(study.manifest["variants"]), -1, dtype=np.int64)
    place[numbers.ravel()] = np.arange(numbers.size)
    table = study.table(wanted.table)
    replications = 1 + max(int(to_numpy(t["replication"]).max()) for t in (runs, table))
    shape = (*numbers.shape, replications)

    def cell(table: pa.Table) -> npt.NDArray[np.int64]:
        at: npt.NDArray[np.int64] = place[to_numpy(table["variant"])] * replications + to_numpy(table["replication"])
        return at

    ran = np.zeros(numbers.size * replications, dtype=bool)
    ran[cell(runs)] = True
    exact = study.equal_runs[numbers]
    if wanted.column not in table.column_names:
        raise HeadgateError(f"metric {cut(metric)}: the study, made by headgate {study.manifest['headgate']}, has none")
    values = to_numpy(table[wanted.column]).astype(np.float64)
    group, axes = cell(table), list(study.axes)
    if wanted.of_runs:
        found = combined("total", values, by_group(group, ran.size))
        return Cube(wanted, axes, found.reshape(shape), ran.reshape(shape), exact)
    key = wanted.table[:-1]
    codes, names = codes_of(table[key])
    chosen = np.array([fnmatchcase(name, flow or link or "*") for name in names], dtype=bool)
    if not chosen.any():
        hint = nearest(flow or link or "", names)
        shown = ", ".join(cut(name) for name in (names if len(names) <= 12 else [*names[:10], "...", names[-1]]))
        raise HeadgateError(f"{key} {cut(flow or link)}: expected one of {shown}{hint and '.' + hint}")
    good = chosen[codes]
    values, group = values[good], group[good]
    if not split:
        column = columns(wanted.table)[wanted.column]
        counted = {name.removeprefix("-") for name in column.per} <= set(table.column_names)
        weight = column.weights(lambda name: to_numpy(table[name]).astype(np.float64)[good]) if counted else None
        found = combined(wanted.over, values, by_group(group, ran.size), weight)
        return Cube(wanted, axes, found.reshape(shape), ran.reshape(shape), exact)
    rank = np.cumsum(chosen) - 1
    kept = [name for name, yes in zip(names, chosen, strict=True) if yes]
    group = group * len(kept) + rank[codes[good]]
    found = combined("total", values, by_group(group, ran.size * len(kept))).reshape(*shape, len(kept))
    there = np.broadcast_to(ran.reshape(*shape, 1), found.shape)
    axes.append(Axis("", (), [()] * len(kept), {key: list(kept)}))
    alike = np.broadcast_to(exact[..., None], (*exact.shape, len(kept)))
    return Cube(by_parts(wanted), axes, np.swapaxes(found, -1, -2), np.swapaxes(there, -1, -2), alike)
