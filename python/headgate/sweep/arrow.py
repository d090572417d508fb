"""Columns between numpy and Arrow, by their buffers.

pyarrow's own conversions import pandas wherever it is installed, which costs each process half a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa


def pyarrow() -> Any:
    """The library, loaded on first use."""
    import pyarrow
    import pyarrow.parquet

    return pyarrow


def to_arrow(column: Any) -> pa.Array:
    """Numbers, nan becoming null; or a pair of codes and their values: texts or numbers.

    >>> to_arrow(np.array([0.5, float("nan")])).to_pylist(), to_arrow((np.array([1, 0, 1]), ["a", "b"])).to_pylist()
    ([0.5, None], ['b', 'a', 'b'])
    """
    pa = pyarrow()
    if isinstance(column, tuple):
        codes, values = column
        if len(values) and not isinstance(values[0], str):
            return to_arrow(np.asarray(values)[codes])
        return pa.DictionaryArray.from_arrays(to_arrow(np.asarray(codes, dtype=np.int32)), texts(values))
    numbers = np.ascontiguousarray(column)
    valid = None
    if numbers.dtype == np.float64 and (missing := np.isnan(numbers)).any():
        valid = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    if numbers.dtype == np.bool_:
        return pa.Array.from_buffers(
            pa.bool_(), len(numbers), [None, pa.py_buffer(np.packbits(numbers, bitorder="little"))]
        )
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [valid, pa.py_buffer(numbers)])


def texts(values: Sequence[str]) -> pa.Array:
    """An array of texts."""
    pa = pyarrow()
    raw = [value.encode() for value in values]
    ends = np.cumsum([0, *(len(x) for x in raw)], dtype=np.int64)
    if ends[-1] < 2**31:
        buffers = [None, pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(b"".join(raw))]
        return pa.Array.from_buffers(pa.string(), len(raw), buffers)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(raw))]
    return pa.Array.from_buffers(pa.large_string(), len(raw), buffers).cast(pa.string())


def canonical(table: pa.Table) -> pa.Table:
    """The same rows, with every dictionary in the order in which its texts appear, and without what was noted where they were read.

    So the file of a table does not depend on the pieces in which its rows arrived.
    """
    pa = pyarrow()
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_dictionary(column.type):
            codes, values = to_numpy(pa.chunked_array([column.indices])), column.dictionary.to_pylist()
            first: dict[str, int] = {}
            # A text may be there twice, or without a row that has it.
            same = np.array([first.setdefault(value, i) for i, value in enumerate(values)], dtype=np.int64)[codes]
            used, place = np.unique(same, return_index=True)
            order = used[np.argsort(place)]
            code_of = np.zeros(len(values), dtype=np.int64)
            code_of[order] = np.arange(len(order))
            column = to_arrow((code_of[same], [values[i] for i in order.tolist()]))
        columns[name] = column
    return pa.table(columns)


def codes_of(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.int64], list[str]]:
    """A column of texts as codes and texts, in the order of their first appearance.

    >>> codes_of(pyarrow().chunked_array([["b", "a"], ["b"]]))
    (array([0, 1, 0]), ['b', 'a'])
    """
    pa = pyarrow()
    encoded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    return to_numpy(pa.chunked_array([encoded.indices])).astype(np.int64), encoded.dictionary.to_pylist()


def to_numpy(column: pa.ChunkedArray) -> npt.NDArray[Any]:
    """A column of numbers; null becomes nan.

    >>> to_numpy(pyarrow().chunked_array([to_arrow(np.array([1.5, float("nan")]))[1:], to_arrow(np.array([2.0]))])).tolist()
    [nan, 2.0]
    """
    parts = []
    for chunk in column.chunks:
        valid, data = chunk.buffers()
        dtype = np.dtype(column.type.to_pandas_dtype())
        first, last = chunk.offset, chunk.offset + len(chunk)
        numbers = np.frombuffer(data, dtype)[first:last] if data is not None else np.empty(0, dtype)
        if chunk.null_count:
            bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")[first:last].astype(bool)
            numbers = np.where(bits, numbers, np.nan)
        parts.append(numbers)
    return np.concatenate(parts) if parts else np.empty(0)
