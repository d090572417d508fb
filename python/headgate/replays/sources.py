"""The source of a trace: a file, or a table of pyarrow, pandas, polars or anything else with the Arrow interface.

A table reaches the engine in batches of rows. Columns are plain numbers there: float64 seconds, int64 ticks or 128-bit decimals of time,
int64 for the rest, and flows as positions in a list of names; what is missing is nan, `_core.MISSING` or -1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..base.errors import HeadgateError, TraceError, cut

if TYPE_CHECKING:
    import pyarrow as pa

#: Rows in a batch.
BATCH = 16_384

#: Picoseconds in a tick of a column of timestamps or durations.
TICKS = {"s": 10**12, "ms": 10**9, "us": 10**6, "ns": 10**3}


def is_path(source: object) -> bool:
    """Whether a source is the name of a file."""
    return isinstance(source, str | os.PathLike)


def origin_of(source: object) -> str:
    """What a source is called in errors and results."""
    if is_standard_input(source):
        return "standard input"
    return str(source) if is_path(source) else "table"


def is_standard_input(source: object) -> bool:
    """Whether a source is the name of standard input; a file of this name is `./-`."""
    return is_path(source) and str(source) == "-"


def arrow() -> Any:
    """The library pyarrow, loaded on first use."""
    import pyarrow

    return pyarrow


class TraceTable:
    """A trace in a table: a Parquet file or an object in memory, as batches of rows."""

    def __init__(self, source: Any, lenient: bool) -> None:
        """Opens the table and finds its columns.

        Raises:
            TraceError: it is no table, or columns are missing or unknown.
        """
        self.origin = origin_of(source)
        self.lenient = lenient
        # A library may raise anything for a damaged file: each exception is an error of the trace.
        try:
            self._batches, names, self.rows = _open(source, self.origin)
        except HeadgateError:
            raise
        except Exception as e:
            raise TraceError(f"{self.origin}: cannot be read; {_first_line(e)}") from None
        # A pandas frame passes its index as a column unless it is plain numbers.
        columns = [n for n in names if not n.startswith("__index_level_")]
        try:
            self._where = [None if i is None else columns[i] for i in _core.trace_columns(columns, lenient)]
        except _core.TraceFault as e:
            raise TraceError(f"{self.origin}: {e}") from None
        #: Priorities are code points.
        self.code_points = "dscp" in columns
        self._before = 0

    def batches(self) -> Iterator[tuple[Any, ...]]:
        """The arguments of `_core.Replay.push`, batch after batch.

        Raises:
            TraceError: a column holds no numbers, or the file is damaged.
        """
        slices = (b.slice(start, BATCH) for b in self._batches for start in range(0, b.num_rows, BATCH))
        while True:
            try:
                rows = next(slices, None)
                converted = None if rows is None else self._convert(rows)
            except HeadgateError:
                raise
            except Exception as e:
                raise TraceError(f"{self.origin}: after packet {self._before}: {_first_line(e)}") from None
            if rows is None or converted is None:
                return
            yield converted
            self._before += rows.num_rows

    def _convert(self, batch: pa.RecordBatch) -> tuple[Any, ...]:
        time, flow, *numbers, source, destination = (
            None if name is None else batch.column(name) for name in self._where
        )
        times, tick, digits = self._times(time)
        codes, names = self._names("flow", flow)
        numbers[-1] = _ecn(numbers[-1])
        whole = [None if c is None else self._whole(c, n) for c, n in zip(numbers, self._where[2:-2], strict=True)]
        sides = (("source", source), ("destination", destination))
        hosts = (None if column is None else self._names(name, column) for name, column in sides)
        return times, tick, digits, codes, names, *whole, *hosts

    def _times(self, column: Any) -> tuple[Any, int | None, int | None]:
        """Times as numbers, then picoseconds in a tick, or digits after the point; neither of them for floats of seconds."""
        types = arrow().types
        kind = column.type
        if types.is_timestamp(kind) or types.is_duration(kind):
            return _int64(column), TICKS[kind.unit], None
        if types.is_integer(kind):
            return _int64(column), 10**12, None
        if types.is_floating(kind):
            return column.cast("float64").fill_null(float("nan")).to_numpy(zero_copy_only=False), None, None
        if types.is_decimal(kind):
            return _decimals(column), None, kind.scale
        raise self._wrong_type("time_s", kind, "numbers of seconds, timestamps or durations")

    def _names(self, title: str, column: Any) -> tuple[Any, list[str]]:
        """Names as their places in a list of them."""
        pa = arrow()
        if pa.types.is_null(column.type):
            return np.full(len(column), -1, dtype=np.int32), []
        if not pa.types.is_dictionary(column.type):
            if not pa.types.is_integer(column.type):
                try:
                    column = column.cast(pa.large_string())
                except pa.ArrowException:
                    raise self._wrong_type(title, column.type, "names or numbers") from None
            column = column.dictionary_encode()
        codes = column.indices.cast("int32").fill_null(-1).to_numpy(zero_copy_only=False)
        names = column.dictionary
        if len(names) > len(codes):
            # Batches may share one long list of names: only those that occur are read.
            used, codes = np.unique(codes, return_inverse=True)
            names = names.take(pa.array(used, mask=used < 0))
            codes = codes.astype(np.int32)
        return codes, [name or "" for name in names.cast(pa.large_string()).to_pylist()]

    def _whole(self, column: Any, name: str | None) -> Any:
        types = arrow().types
        if types.is_integer(column.type):
            return _int64(column)
        if types.is_null(column.type):
            return np.full(len(column), _core.MISSING)
        if not types.is_floating(column.type):
            raise self._wrong_type(name, column.type, "whole numbers")
        # A column of integers with gaps becomes a column of floats in pandas.
        values = column.cast("float64").fill_null(float("nan")).to_numpy(zero_copy_only=False)
        bad = ~(values == np.floor(values)) | (np.abs(values) > 2**53)
        wrong = np.flatnonzero(bad & ~np.isnan(values))
        if wrong.size and not self.lenient:
            number, found = self._before + int(wrong[0]) + 1, values[wrong[0]]
            raise TraceError(
                f"{self.origin}: packet {number}: {name}: found {found:g}; expected a whole number; --lenient leaves such packets out"
            )
        return np.where(bad, _core.MISSING, np.where(bad, 0, values).astype(np.int64))

    def _wrong_type(self, name: str | None, kind: object, expected: str) -> TraceError:
        return TraceError(f"{self.origin}: column {name}: found {kind}; expected {expected}")


def _open(source: Any, origin: str) -> tuple[Iterator[Any], list[str], int | None]:
    """Batches of rows, the names of the columns, and the number of rows if it is known."""
    pa = arrow()
    if is_path(source):
        from pyarrow import parquet

        try:
            # Pages are read one by one, which keeps memory small.
            how: Any = {"pre_buffer": False, "buffer_size": 1 << 20}
            file = parquet.ParquetFile(source, **how)
            schema = file.schema_arrow
            if "flow" in schema.names and pa.types.is_string(schema.field("flow").type):
                # Names of flows repeat: as a dictionary they are decoded once.
                file.close()
                file = parquet.ParquetFile(source, metadata=file.metadata, read_dictionary=["flow"], **how)
        except Exception as e:
            raise TraceError(f"{origin}: expected a Parquet file; {_first_line(e)}") from None
        names = file.schema_arrow.names
        return file.iter_batches(batch_size=BATCH, use_threads=False), names, file.metadata.num_rows
    if isinstance(source, pa.Table):
        return iter(source.to_batches()), source.column_names, source.num_rows
    if isinstance(source, pa.RecordBatchReader):
        return iter(source), source.schema.names, None
    if hasattr(source, "to_batches") and hasattr(source, "schema"):  # a pyarrow.dataset.Dataset
        return source.to_batches(batch_size=BATCH), source.schema.names, None
    if hasattr(source, "__arrow_c_stream__"):
        reader = pa.RecordBatchReader.from_stream(source)
        return iter(reader), reader.schema.names, len(source) if hasattr(source, "__len__") else None
    raise HeadgateError(
        f"found a {type(source).__name__}; expected the name of a file, or a table of pyarrow, pandas or polars"
    )


def _ecn(column: Any) -> Any:
    """A column of names of the ECN field as numbers, nothing where a name is not known; a column of numbers as it is."""
    types = arrow().types
    if column is None or not (types.is_dictionary(column.type) or types.is_string(column.type)):
        return column
    numbers = {name: number for number, name in enumerate(_core.ECN)}
    return arrow().array([numbers.get(name) for name in column.to_pylist()], "int64")


def _int64(column: Any) -> Any:
    return column.cast("int64").fill_null(_core.MISSING).to_numpy(zero_copy_only=False)


def _decimals(column: Any) -> Any:
    """The unscaled numbers of decimals, two words of 64 bits each, the lower first; the least of all where there is none."""
    column = column.cast(arrow().decimal128(38, column.type.scale))
    words = np.frombuffer(column.buffers()[1], np.int64)[2 * column.offset :][: 2 * len(column)]
    if not column.null_count:
        return words
    missing = column.is_null().to_numpy(zero_copy_only=False)
    return np.where(missing[:, None], [0, _core.MISSING], words.reshape(-1, 2)).ravel()


def _first_line(e: BaseException) -> str:
    text = getattr(e, "strerror", None) or str(e)
    return cut((text.splitlines() or [type(e).__name__])[0])
