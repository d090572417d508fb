"""Rows that leave the engine: kept in memory, or written as Parquet."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from .. import _core
from ..results.tables import Table

#: Columns of times, nan where nothing of the kind happened.
TIMES = ("arrival_s", "start_s", "departure_s", "drop_s")

#: Why a packet was dropped, by the engine's number; nothing for one that was sent.
REASONS = ("", *_core.DROP_REASONS)


class RowReader:
    """Replaces the engine's numbers of flows by names."""

    def __init__(self, core: _core.Replay) -> None:
        """Takes the replay."""
        self._core = core
        self._names: list[str] = []

    def names(self) -> list[str]:
        """Names of all flows so far."""
        self._names += self._core.flow_names(len(self._names))
        return self._names


class Kept:
    """The rows of one queue, in memory."""

    def __init__(self, reader: RowReader, queue: int) -> None:
        """Takes the number of the queue."""
        self.queue = queue
        self._reader = reader
        self._parts: list[dict[str, Any]] = []

    def add(self, rows: dict[str, Any]) -> None:
        """Keeps some rows."""
        if len(rows["packet"]):
            self._parts.append({k: np.asarray(v) for k, v in rows.items()})

    def table(self) -> Table:
        """All rows."""
        if len(self._parts) > 1:
            self._parts = [{k: np.concatenate([p[k] for p in self._parts]) for k in self._parts[0]}]
        rows = self._parts[0]
        names = np.array([*self._reader.names(), ""], dtype=object)[:-1]
        reasons = np.array(REASONS, dtype=object)
        return Table(
            {
                "packet": rows["packet"],
                "flow": names[rows["flow"]],
                "size_bytes": rows["size_bytes"],
                **{name: rows[name] for name in TIMES},
                "dropped": rows["reason"] > 0,
                "marked": rows["marked"] > 0,
                "reason": reasons[rows["reason"]],
            }
        )


class ParquetRows:
    """The rows of one queue, written as they are made."""

    def __init__(self, reader: RowReader, queue: int, path: Path) -> None:
        """Opens the file."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        self.queue = queue
        self._reader = reader
        names = pa.dictionary(pa.int32(), pa.string())
        self._schema = pa.schema(
            [("packet", pa.int64()), ("flow", names), ("size_bytes", pa.int64())]
            + [(name, pa.float64()) for name in TIMES]
            + [("dropped", pa.bool_()), ("marked", pa.bool_()), ("reason", names)]
        )
        self._reasons = pa.array(REASONS[1:], pa.string())
        self._writer = pq.ParquetWriter(path, self._schema)

    def add(self, rows: dict[str, Any]) -> None:
        """Writes some rows."""
        import pyarrow as pa

        if not len(rows["packet"]):
            return
        columns = {k: np.asarray(v) for k, v in rows.items()}
        used, flow = np.unique(columns["flow"], return_inverse=True)
        names = self._reader.names()
        labels = pa.array([names[i] for i in used], pa.string())
        reason = columns["reason"]
        arrays = [
            pa.array(columns["packet"]),
            pa.DictionaryArray.from_arrays(pa.array(flow.astype(np.int32)), labels),
            pa.array(columns["size_bytes"]),
            *(pa.array(columns[name], from_pandas=True) for name in TIMES),
            pa.array(reason > 0),
            pa.array(columns["marked"] > 0),
            pa.DictionaryArray.from_arrays(pa.array((reason - 1).astype(np.int32), mask=reason == 0), self._reasons),
        ]
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Completes the file."""
        self._writer.close()

    def __enter__(self) -> ParquetRows:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        self._writer.close()
