"""Studies that were run: their tables and their descriptions."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..base.counts import counted
from ..base.errors import HeadgateError, cut, missing_extra, nearest
from ..base.notebook import heading, table
from .arrow import codes_of, pyarrow, to_arrow, to_numpy
from .axes import Axis, Variants, find_axis, point_of
from .store import TABLES, Store

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa


class Study:
    """The results of a study, also of one that is running or was interrupted: finished runs are there.

    Tables are Arrow tables sorted by variant and replication. All begin with `variant` (its position), the columns of the axes,
    `replication` and `seed`; `digest` is the run's. `times` has no results: it differs from one execution to the next.
    """

    def __init__(self, folder: str | os.PathLike[str], temporary: bool = False) -> None:
        """Opens the folder of a study; a temporary one lives as long as this object.

        Raises:
            HeadgateError: there is no study.
        """
        self._store = Store(folder).open()
        #: The study of which this is a selection.
        self._whole: Study | None = None
        #: Of each axis, the selected points.
        self._points = [list(range(len(axis))) for axis in self._all_axes()]
        if temporary:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """Where it is stored."""
        return self._store.folder

    @property
    def manifest(self) -> dict[str, Any]:
        """The description of the study: `scenario`, `sweep`, `axes`, `variants`, `seed`, `headgate` (the version), `complete`."""
        return self._store.manifest

    @property
    def complete(self) -> bool:
        """Whether every run has been tried."""
        return bool(self.manifest["complete"])

    def _all_axes(self) -> list[Axis]:
        return axes_of(self.manifest)

    @cached_property
    def axes(self) -> list[Axis]:
        """The axes with their columns, without the values that they set."""
        return [
            Axis(
                a.place, a.paths, [()] * len(points), {k: [cells[i] for i in points] for k, cells in a.columns.items()}
            )
            for a, points in zip(self._all_axes(), self._points, strict=True)
        ]

    @cached_property
    def numbers(self) -> npt.NDArray[np.int64]:
        """The positions of the variants, in the shape of the axes."""
        shape = [len(axis) for axis in self._all_axes()]
        positions = np.arange(int(self.manifest["variants"])).reshape(shape)
        return positions[np.ix_(*self._points)] if shape else positions

    @cached_property
    def missing(self) -> int | None:
        """How many runs have not been tried yet; None if a stopping rule will decide."""
        if self.complete:
            return 0
        sweep = self.manifest["sweep"]
        if sweep.get("stop"):
            return None
        wanted = self.numbers.size * int(sweep.get("replications") or 1)
        return max(0, wanted - len(self.runs) - len(self.failures))

    @cached_property
    def equal_runs(self) -> npt.NDArray[np.bool_]:
        """Of each variant, whether it was run several times and all runs have one digest: it draws no random number that differs by seed.

        Replications of such a variant are copies of one run, and intervals over them mean nothing.
        """
        found = np.zeros(int(self.manifest["variants"]), dtype=bool)
        if len(self.runs):
            variant, digest = to_numpy(self.runs["variant"]), codes_of(self.runs["digest"])[0]
            several = np.bincount(variant, minlength=found.size) > 1
            different = np.zeros_like(found)
            # Rows are sorted by variant.
            different[variant[1:][(variant[1:] == variant[:-1]) & (digest[1:] != digest[:-1])]] = True
            found = several & ~different
        return found

    @cached_property
    def runs(self) -> pa.Table:
        """One row per run: `digest`, `events`, and `value`, the stopping rule's metric if there is one."""
        return self._table("runs")

    @cached_property
    def flows(self) -> pa.Table:
        """One row per run and flow: totals and rates after the warm-up."""
        return self._table("flows")

    @cached_property
    def links(self) -> pa.Table:
        """One row per run and port: totals after the warm-up."""
        return self._table("links")

    @cached_property
    def failures(self) -> pa.Table:
        """One row per run that failed: `error` and `scenario`, as JSON. A variant that is no valid scenario has one row."""
        return self._table("failures")

    @cached_property
    def times(self) -> pa.Table:
        """One row per run: `cpu_s`, its processor time in seconds."""
        return self._table("times")

    def _table(self, name: str) -> pa.Table:
        if name != "runs":
            _ = self.runs  # first: every run that is known has its rows in the other tables
        columns = axis_columns(Variants({}, self._all_axes()))
        keep = np.zeros(int(self.manifest["variants"]), dtype=np.int64)
        keep[self.numbers.ravel()] = np.iinfo(np.int64).max
        while True:
            generation, table, error = self._store.generation, None, None
            try:
                table = self._store.assemble(name, keep, columns)
            except HeadgateError as e:
                error = e
            # The process that runs the study may have merged its files meanwhile: then some were not seen.
            self._store.open()
            if self._store.generation == generation:
                if error is not None:
                    raise error
                return table

    def table(self, name: str = "flows") -> pa.Table:
        """One of the tables: `runs`, `flows`, `links`, `failures` or `times`.

        Raises:
            HeadgateError: there is no such table.
        """
        if name not in TABLES:
            raise HeadgateError(f"table {cut(name)}: expected one of {', '.join(TABLES)}{nearest(name, TABLES)}")
        found: pa.Table = getattr(self, name)
        return found

    def pandas(self, table: str = "flows") -> pandas.DataFrame:
        """A table as a pandas frame; names are categories.

        Raises:
            HeadgateError: there is no such table.
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise missing_extra("a pandas frame", "pandas", "pandas") from None
        frame: pandas.DataFrame = self.table(table).to_pandas()
        return frame

    def polars(self, table: str = "flows") -> polars.DataFrame:
        """A table as a polars frame; names are categories.

        Raises:
            HeadgateError: there is no such table.
            MissingExtraError: polars is not installed.
        """
        try:
            import polars
        except ImportError:
            raise missing_extra("a polars frame", "polars", "polars") from None
        frame = polars.from_arrow(self.table(table))
        assert isinstance(frame, polars.DataFrame)
        return frame

    def select(self, where: Mapping[str, Any] | None = None, **axes: Any) -> Study:
        """The same study with some points of its axes only: `study.select(queue="fq", rate=["40kbit/s", "80kbit/s"])`.

        Args:
            where: axes, or columns of theirs, with a value or a list of values.
            axes: the same as keywords.

        Raises:
            HeadgateError: there is no such axis or value.
        """
        other = object.__new__(Study)
        other._store = Store(self.folder).open()
        other._points = list(self._points)
        other._whole = self  # a temporary study lives as long as this one
        for name, wanted in {**(where or {}), **axes}.items():
            i = find_axis(self.axes, name)
            values = wanted if isinstance(wanted, list | tuple) else [wanted]
            if not values:
                raise HeadgateError(f"{cut(name)}: expected at least one value")
            points = {point_of(self.axes[i], value) for value in values}
            other._points[i] = [self._points[i][p] for p in sorted(points)]
        return other

    def __repr__(self) -> str:
        names = ", ".join(f"{a.name} ({len(a)})" for a in self.axes)
        state = "complete" if self.complete else "not complete"
        return f"Study({self.folder}: {counted(self.numbers.size, 'variant')}: {names or 'no axes'}; {state})"

    def _repr_html_(self) -> str:
        state = "complete" if self.complete else "not complete"
        rows = [(a.name, len(a), cut(", ".join(map(str, a.columns[a.name])))) for a in self.axes]
        runs = f"{counted(self.numbers.size, 'variant')}, {counted(len(self.runs), 'run')}, {len(self.failures)} failed, {state}"
        return heading(f"Study {self.folder}", runs) + table(
            ("axis", "points", "values"), rows, len(rows), most=len(rows)
        )


def open_study(folder: str | os.PathLike[str]) -> Study:
    """Opens the folder that `headgate sweep --out` wrote.

    Raises:
        HeadgateError: there is no study in it.
    """
    return Study(folder)


def axes_of(manifest: Mapping[str, Any]) -> list[Axis]:
    """The axes of a study with their columns, without the values that they set."""
    return [
        Axis(a["place"], tuple(a["paths"]), [()] * len(next(iter(a["columns"].values()))), a["columns"])
        for a in manifest["axes"]
    ]


def axis_columns(variants: Variants) -> pa.Table:
    """The columns of the axes, one row per variant."""
    return pyarrow().table({name: to_arrow(cells) for name, cells in variants.table().items()})
