"""Rows that are to be written to a file: a run passes them on while it runs, and they wait on the disk, not in memory."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from ..base.errors import HeadgateError
from .tables import Column, Table, numbers

#: Bytes of a number.
_CELL = 8
#: Rows of a table that are read at a time, if there are as many.
CHUNK = 1 << 16


@dataclass
class _Kept:
    """The description of the rows of a table: type and names of each column, and where the batches of each run lie."""

    columns: dict[str, tuple[str, list[str] | None]]
    batches: dict[int, list[tuple[int, int]]] = field(default_factory=dict)


class Spool:
    """The rows of growing tables, in a file that is removed with the process, however that ends.

    >>> with Spool(Path("/tmp")) as spool:
    ...     spool.add(0, "pairs", {"name": ([0, 1], ["a", "b"]), "x": np.array([0.5, 1.5])})
    ...     spool.add(0, "pairs", {"name": ["c"], "x": np.array([2.5])})
    ...     spool.column("pairs", "x", [0]).tolist(), [list(t.rows()) for t in spool.chunks("pairs", [0])][0][2]
    ([0.5, 1.5, 2.5], {'run': 0, 'name': 'c', 'x': 2.5})
    """

    def __init__(self, out: Path) -> None:
        """The file is where `out` is or will be."""
        self._out, self._lock, self._tables = out, Lock(), dict[str, _Kept]()
        there = next(p for p in (out, *out.absolute().parents) if p.is_dir())
        try:
            self._file = tempfile.TemporaryFile(dir=there)  # noqa: SIM115 - it is closed with the spool
        except OSError as e:
            raise HeadgateError(f"{out}: cannot be written; {e.strerror or e}") from None
        weakref.finalize(self, self._file.close)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, run: int, table: str, columns: Mapping[str, Any]) -> None:
        """Takes the next rows of a run: columns of the engine."""
        with self._lock:
            cells = {name: _codes(c) for name, c in columns.items()}
            rows = len(next(iter(cells.values())))
            if table not in self._tables:
                self._tables[table] = _Kept({name: _kind(columns[name], values) for name, values in cells.items()})
            kept = self._tables[table]
            try:
                kept.batches.setdefault(run, []).append((self._file.seek(0, 2), rows))
                for name, values in cells.items():
                    known = kept.columns[name][1]
                    self._file.write(values.data if known is None else _renamed(values, columns[name], known).data)
            except OSError as e:
                raise HeadgateError(f"{self._out}: cannot be written; {e.strerror or e}") from None

    def holds(self, table: str) -> bool:
        """Whether it has the rows of a table."""
        return table in self._tables

    def column(self, table: str, name: str, runs: list[int]) -> Column:
        """A column of all rows of these runs."""
        kept = self._tables[table]
        parts = [self._read(kept, batch, name) for run in runs for batch in kept.batches[run]]
        return np.concatenate(parts)

    def table(self, table: str, runs: list[int]) -> Table:
        """All rows of these runs."""
        kept = self._tables[table]
        return self._table(kept, [(run, batch) for run in runs for batch in kept.batches[run]])

    def chunks(self, table: str, runs: list[int]) -> Iterator[Table]:
        """The rows of these runs in their order, some at a time; at least one table, though it may have no rows."""
        kept, waiting = self._tables[table], list[tuple[int, tuple[int, int]]]()
        for part in ((run, batch) for run in runs for batch in kept.batches[run]):
            waiting.append(part)
            if sum(rows for _, (_, rows) in waiting) >= CHUNK:
                yield self._table(kept, waiting)
                waiting.clear()
        if waiting:
            yield self._table(kept, waiting)

    def _table(self, kept: _Kept, parts: list[tuple[int, tuple[int, int]]]) -> Table:
        runs = np.repeat([run for run, _ in parts], [rows for _, (_, rows) in parts])
        columns = {k: np.concatenate([self._read(kept, batch, k) for _, batch in parts]) for k in kept.columns}
        return Table({"run": runs, **columns})

    def _read(self, kept: _Kept, batch: tuple[int, int], name: str) -> Column:
        (start, rows), (kind, names) = batch, kept.columns[name]
        try:
            # The last rows are written by this.
            self._file.seek(start + list(kept.columns).index(name) * rows * _CELL)
            values: Column = np.frombuffer(self._file.read(rows * _CELL), dtype=kind)
        except OSError as e:
            raise HeadgateError(f"{self._out}: cannot be written; {e.strerror or e}") from None
        return values if names is None else np.array(names, dtype=object)[values] if names else values.astype(object)


def _kind(column: Any, values: Column) -> tuple[str, list[str] | None]:
    return values.dtype.str, [] if isinstance(column, list | tuple) else None


def _codes(column: Any) -> Column:
    return numbers(column) if isinstance(column, list | tuple) else np.asarray(column)


def _renamed(codes: Column, column: Any, known: list[str]) -> Column:
    """The codes of names as places in the list of those that are known, which takes in new ones."""
    names: list[str] = column if isinstance(column, list) else column[1]
    if names == known[: len(names)]:
        return codes
    place = {name: i for i, name in enumerate(known)}
    for name in names:
        if name not in place:
            place[name] = len(known)
            known.append(name)
    return np.array([place[name] for name in names], dtype=np.int64)[codes]
