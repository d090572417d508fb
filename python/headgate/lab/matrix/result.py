"""What a matrix gave: controls by controls, for each condition and measure, and the cells that surprise."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.atomic import atomic
from ...base.errors import HeadgateError, nearest
from ...stats import Mean, mean_of
from ...sweep.arrow import pyarrow, texts, to_arrow
from ..frame.study import Array, file_of, told
from .cells import Beside, Cell, Condition
from .harm import harm
from .measures import HARMED, MEASURES, measured, picked

if TYPE_CHECKING:
    from ...sweep import Study

#: Entries of a list of surprises.
SURPRISES = 5

_NOTHING = Mean(float("nan"), float("nan"), 0)


@dataclass(frozen=True)
class Surprise:
    """A cell that stands out, with the mean that makes it do so."""

    cell: Cell
    measure: str
    value: Mean


class MatrixResult:
    """The runs of a matrix, read from its study."""

    def __init__(self, study: Study, cells: Sequence[Cell], controls: Sequence[str], beside: Beside) -> None:
        """Takes the study and what its variants are."""
        self.study, self.cells, self.controls, self.beside = study, list(cells), list(controls), beside
        self._found = measured(study)
        self._place = {(c.condition, c.a, c.b, c.far): c for c in self.cells}

    @property
    def conditions(self) -> list[Condition]:
        """The conditions, in order."""
        return list(dict.fromkeys(cell.condition for cell in self.cells))

    @property
    def measures(self) -> list[str]:
        """The measures that it has."""
        return picked(MEASURES, self.beside.sparse is not None, self.beside.web)

    def cell(self, condition: Condition, a: str, b: str | None, far: bool = False) -> tuple[Cell | None, bool]:
        """The cell of A beside B, and whether its sides are exchanged there: equal round trips are run in one order."""
        if (found := self._place.get((condition, a, b, far))) is not None:
            return found, False
        return (self._place.get((condition, b, a, False)) if b is not None and condition.ratio == 1 else None), True

    def runs(self, measure: str, cell: Cell, side: str = "a") -> Array:
        """A measure of every run of a cell, in the order of replications: of the side `a` or `b`, where each has its own."""
        known = MEASURES[measure]
        values = self._found.get(cell.variant, {})
        if known.of == "harm":
            return self._harm(measure, cell, side)
        if known.of == "share":
            share = values.get("share", np.empty(0))
            return share if side == "a" else 1 - share
        return values.get(f"{measure}_{side}" if known.of == "side" else measure, np.empty(0))

    def _harm(self, measure: str, cell: Cell, side: str) -> Array:
        who = cell.a if side == "a" else cell.b
        alone, _ = self.cell(cell.condition, who or "", None, far=side == "b" and cell.condition.ratio != 1)
        if cell.b is None or alone is None or alone.variant not in self._found or cell.variant not in self._found:
            return np.empty(0)
        mine, its = self._found[cell.variant], self._found[alone.variant]
        of = HARMED[measure]
        # A run that failed has no counterpart.
        _, here, there = np.intersect1d(mine["replication"], its["replication"], return_indices=True)
        return harm(its[f"{of}_a"][there], mine[f"{of}_{side}"][here], MEASURES[measure].less)

    def mean(self, measure: str, cell: Cell, side: str = "a") -> Mean:
        """The mean of a measure over the runs of a cell, with its interval."""
        values = self.runs(measure, cell, side)
        return mean_of(values, bool(self.study.equal_runs[cell.variant])) if len(values) else _NOTHING

    def at(self, measure: str, condition: Condition, a: str, b: str | None) -> Mean:
        """A measure of A beside B, or alone.

        Raises:
            HeadgateError: there is no such measure, or no such control in the matrix.
        """
        if measure not in self.measures:
            raise HeadgateError(
                f"measure {measure}: expected one of {', '.join(self.measures)}{nearest(measure, self.measures)}"
            )
        cell, exchanged = self.cell(condition, a, b)
        if cell is None:
            raise HeadgateError(f"{a} and {b}: expected controls of this matrix: {', '.join(self.controls)}")
        return self.mean(measure, cell, "b" if exchanged else "a")

    def grid(self, measure: str, condition: Condition) -> list[list[Mean]]:
        """A measure, controls by controls: a row for each A, a column for each B."""
        return [[self.at(measure, condition, a, b) for b in self.controls] for a in self.controls]

    @cached_property
    def surprises(self) -> dict[str, list[Surprise]]:
        """Cells whose share differs most from a half, and those in which the sparse flow waits longest; those alone are left out."""
        pairs = [cell for cell in self.cells if cell.b is not None]
        out = {"share": [Surprise(c, "share", self.mean("share", c)) for c in pairs if c.a != c.b]}
        out["share"].sort(key=lambda s: -abs(s.value.mean - 0.5))
        if self.beside.sparse is not None:
            out["sparse_p95"] = [Surprise(c, "sparse_p95", self.mean("sparse_p95", c)) for c in pairs]
            out["sparse_p95"].sort(key=lambda s: -s.value.mean)
        return {k: [s for s in v if s.value.n][:SURPRISES] for k, v in out.items()}

    def file_of(self, cell: Cell) -> str:
        """The scenario file of a cell, within the folder of the matrix."""
        return file_of(cell.variant)

    def to_dict(self) -> dict[str, Any]:
        """The matrix as JSON data; the shape is in the reference."""
        beside = vars(self.beside)
        return told(
            self.study,
            controls=self.controls,
            **{name: beside[name] for name in ("flows", "sparse", "web", "duration", "warm_up", "noise")},
            runs=len(self.study.runs),
            measures={
                name: {"what": m.what, "less_is_better": m.less, "of": m.of}
                for name, m in MEASURES.items()
                if name in self.measures
            },
            cells=[self._entry(cell) for cell in self.cells],
            surprises={
                k: [{**s.cell.to_dict(), "value": s.value.to_dict()} for s in found]
                for k, found in self.surprises.items()
            },
        )

    def _entry(self, cell: Cell) -> dict[str, Any]:
        entry: dict[str, Any] = {**cell.to_dict(), "variant": cell.variant, "scenario": self.file_of(cell)}
        for name in self.measures:
            of = MEASURES[name].of
            sides = ("a", "b") if of in ("side", "harm") and cell.b is not None else ("a",)
            if cell.b is None and of in ("share", "harm"):
                continue
            for side in sides:
                key = f"{name}_{side}" if of in ("side", "harm") else name
                entry[key] = self.mean(name, cell, side).to_dict()
        entry["runs"] = len(self._found.get(cell.variant, {}).get("replication", ()))
        return entry

    def write_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Writes `cells.parquet`: a row for every run of every cell.

        Raises:
            HeadgateError: the file cannot be written.
        """
        entries: list[dict[str, str]] = []
        numbers: list[dict[str, float]] = []
        for cell in self.cells:
            values = self._found.get(cell.variant, {})
            for run in range(len(values.get("replication", ()))):
                keys = {**cell.to_dict(), "b": cell.b or ""}
                entries.append({k: v for k, v in keys.items() if isinstance(v, str)})
                given = {"ratio": cell.condition.ratio, "variant": float(cell.variant)}
                numbers.append({**given, **{k: float(v[run]) for k, v in values.items()}})
        pa = pyarrow()
        columns = {k: texts([row[k] for row in entries]) for k in (entries[0] if entries else ())}
        for name in dict.fromkeys(name for row in numbers for name in row):
            column = np.array([row.get(name, np.nan) for row in numbers])
            columns[name] = to_arrow(column.astype(np.int64) if name in ("variant", "replication") else column)
        table = pa.table(columns)
        try:
            with atomic(Path(path)) as file:
                pa.parquet.write_table(table, file)
        except OSError as e:
            raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
        return Path(path)
