"""Tables of results: numpy columns that become Arrow, pandas or polars, or a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np
import numpy.typing as npt

from ..base.atomic import atomic
from ..base.choices import FORMATS
from ..base.errors import HeadgateError, cut, missing_extra, nearest
from ..base.notebook import MOST, table

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Column = npt.NDArray[Any]
Derived = Callable[[Mapping[str, Any]], Any]

#: Number of rows that become text at a time.
_FEW = 1 << 12

#: Characters with which a text begins that spreadsheets run.
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n")


class ColumnError(HeadgateError, KeyError):
    """A table has no such column; the text names the nearest one, and all."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        """Takes the name and the existing ones."""
        # `goodput` means `goodput_bps` rather than any name that is merely similar.
        longer = [k for k in known if k.startswith(f"{name}_")]
        longer.sort(key=lambda k: (not k.startswith(f"{name}_mean"), not k.endswith("_bps")))
        hint = f' Did you mean "{longer[0]}"?' if longer else nearest(str(name), known)
        super().__init__(
            f"column {cut(repr(name))}: there is none of this name.{hint} Expected one of {', '.join(known)}"
        )

    def __str__(self) -> str:
        # A KeyError's text is in quotes.
        return str(self.args[0])


class Table:
    """Columns of equal length: float64, int64 or names.

    A table understands the Arrow C stream interface, so every library that does takes it as it is.

    >>> t = Table({"flow": np.array(["a", "b"], dtype=object), "rtt_s": np.array([0.5, float("nan")])})
    >>> len(t), t.names, t["rtt_s"][0].item()
    (2, ['flow', 'rtt_s'], 0.5)
    """

    def __init__(self, columns: Mapping[str, Column], derived: Mapping[str, Derived] | None = None) -> None:
        """Takes the columns as they are; `derived` are computed from them on demand, and are not written into files."""
        self.columns = dict(columns)
        self.derived = dict(derived or {})

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.columns)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> Column:
        if name in self.columns:
            return self.columns[name]
        if name in self.derived:
            found: Column = self.derived[name](self.columns)
            return found
        raise ColumnError(name, [*self.derived, *self.columns])

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self.names)})"

    def _repr_html_(self) -> str:
        # Cells of the first rows only: a table may have millions.
        rows = Table({name: c[:MOST] for name, c in self.columns.items()}).rows()
        return table(self.names, ([_shown(x) for x in row.values()] for row in rows), len(self))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries of Python values; nan where nothing was measured."""
        for row in zip(*(c.tolist() for c in self.columns.values()), strict=True):
            yield dict(zip(self.columns, row, strict=True))

    def to_arrow(self) -> pyarrow.Table:
        """As an Arrow table; nan becomes null, names a dictionary column."""
        import pyarrow as pa

        def convert(c: Column) -> Any:
            return pa.array(c, pa.string()).dictionary_encode() if c.dtype == object else pa.array(c, from_pandas=True)

        return pa.table({name: convert(c) for name, c in self.columns.items()})

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """As a pandas frame.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise missing_extra("a pandas frame", "pandas", "pandas") from None
        return pandas.DataFrame(self.columns)

    def to_polars(self) -> polars.DataFrame:
        """As a polars frame.

        Raises:
            MissingExtraError: polars is not installed.
        """
        try:
            import polars
        except ImportError:
            raise missing_extra("a polars frame", "polars", "polars") from None
        frame = polars.DataFrame({name: c.tolist() for name, c in self.columns.items()})
        return frame.with_columns(polars.col(polars.Float64).fill_nan(None))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a file, completely or not at all, in the form that its name ends in: csv, json (an array of rows) or parquet.

        Raises:
            HeadgateError: another ending, or the file cannot be written.
        """
        write(path, [self])

    def parts(self, rows: int) -> Iterator[Table]:
        """The table in pieces of `rows` rows; at least one piece, which may be empty."""
        for first in range(0, max(len(self), 1), rows):
            yield Table({name: c[first : first + rows] for name, c in self.columns.items()})


def write(path: str | os.PathLike[str], tables: Iterable[Table]) -> None:
    """Writes tables of the same columns, one below the other, into a file; at least one.

    Raises:
        HeadgateError: another ending than those that `Table.save` knows, or the file cannot be written.
    """
    kind = Path(path).suffix[1:]
    writers = {"csv": _csv, "json": _json, "parquet": _parquet}
    if kind not in writers:
        raise HeadgateError(f"{path}: expected a name that ends in .csv, .json or .parquet")
    try:
        with atomic(path) as file:
            writers[kind](file, tables)
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None


def _csv(file: Path, tables: Iterable[Table]) -> None:
    import csv

    with file.open("w", newline="", encoding="utf-8") as out:
        writer, head = csv.writer(_Lines(out), lineterminator="\r\n"), True
        for part in (part for table in tables for part in table.parts(_FEW)):
            if head:
                writer.writerow([cell(name) for name in part.names])
                head = False
            for row in zip(*(c.tolist() for c in part.columns.values()), strict=True):
                writer.writerow([cell(x) for x in row])


def _json(file: Path, tables: Iterable[Table]) -> None:
    with file.open("w", encoding="utf-8") as out:
        between = "["
        for part in (part for table in tables for part in table.parts(_FEW)):
            rows = [{k: None if _missing(v) else v for k, v in row.items()} for row in part.rows()]
            if rows:
                # Without the brackets around these rows: more may follow.
                out.write(between + json.dumps(rows, allow_nan=False, default=str, indent=1)[1:-2])
                between = ","
        out.write("\n]\n" if between == "," else "[]\n")


def _parquet(file: Path, tables: Iterable[Table]) -> None:
    arrows = (table.to_arrow() for table in tables)
    first = next(arrows)
    import pyarrow.parquet as pq

    with pq.ParquetWriter(file, first.schema) as out:
        out.write_table(first)
        for arrow in arrows:
            out.write_table(arrow)


def require(form: str) -> None:
    """Whether tables can be written in a form, checked before long work.

    Raises:
        HeadgateError: no such form.
    """
    if form not in FORMATS:
        raise HeadgateError(f"format {form!r}; expected one of {', '.join(FORMATS)}")


class _Lines:
    """Takes rows that end in two characters and ends them in a newline: the writer puts quotes around a cell with either of the two."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, row: str) -> int:
        return self._out.write(row.removesuffix("\r\n") + "\n")


def cell(x: Any) -> Any:
    """A value in CSV: nothing for nan, and names that a spreadsheet would run with a single quote before them.

    Such names begin with one of `= + - @`, a tab or an end of line, after any single quotes. `headgate replay` removes that quote again.

    >>> cell("=1+1"), cell("-7"), cell("'@a"), cell("a=1"), cell(-7.5), cell(float("nan"))
    ("'=1+1", "'-7", "''@a", 'a=1', -7.5, '')
    """
    if isinstance(x, str) and x.lstrip("'").startswith(_RUN):
        return f"'{x}"
    return "" if _missing(x) else x


def _shown(x: Any) -> object:
    """A value as a notebook shows it."""
    if isinstance(x, float):
        return "" if _missing(x) else f"{x:.6g}"
    return x


def _missing(x: Any) -> bool:
    return isinstance(x, float) and not math.isfinite(x)


def from_core(columns: Mapping[str, Any]) -> dict[str, Column]:
    """Columns of the engine as numpy arrays; names as arrays of objects."""
    return {name: _column(c) for name, c in columns.items()}


def numbers(names: Any) -> Column:
    """Of a column of names of the engine, the place of each row's name in its list."""
    return np.arange(len(names)) if isinstance(names, list) else np.asarray(names[0], dtype=np.int64)


def _column(column: Any) -> Column:
    if isinstance(column, list):
        return np.array(column, dtype=object)
    if isinstance(column, tuple):
        codes, labels = column
        index = np.asarray(codes, dtype=np.int64)
        return np.array(labels, dtype=object)[index] if len(labels) else np.empty(0, dtype=object)
    return np.asarray(column)
