"""The rows of a replay's packets, as narrow columns that are filled while it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

#: Columns and their types. `start` is the time of the drop for a packet that was dropped.
TYPES: dict[str, Any] = {
    "packet": np.int64, "flow": np.uint32, "bytes": np.uint32, "arrived": np.float64, "start": np.float64, "left": np.float64,
    "reason": np.uint8, "marked": np.uint8,
}  # fmt: skip

#: Bytes that a row takes in its columns, and with all that the views make of it while they are made.
EACH: int = sum(np.dtype(kind).itemsize for kind in TYPES.values())
ALL = EACH + 160


class Rows:
    """Packets in the order of arrival; times in s since the first one."""

    packet: npt.NDArray[np.int64]
    flow: npt.NDArray[np.uint32]
    bytes: npt.NDArray[np.uint32]
    arrived: npt.NDArray[np.float64]
    start: npt.NDArray[np.float64]
    left: npt.NDArray[np.float64]
    reason: npt.NDArray[np.uint8]
    marked: npt.NDArray[np.uint8]

    def __init__(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """Takes the columns."""
        for name, kind in TYPES.items():
            setattr(self, name, np.asarray(columns[name], dtype=kind))

    def __len__(self) -> int:
        return int(self.packet.size)

    @property
    def size(self) -> int:
        """Bytes of all columns."""
        return len(self) * EACH

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that stand for all rows."""
        total = hashlib.sha256()
        for name in TYPES:
            total.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return total.hexdigest()[:16]


class Filling:
    """Rows while a replay runs."""

    def __init__(self, most: int) -> None:
        """`most`: how many there may be."""
        self._columns = {name: np.empty(most, dtype=kind) for name, kind in TYPES.items()}
        self.count = 0

    def add(self, columns: Mapping[str, Any]) -> None:
        """Adds the next rows of the engine."""
        found = len(columns["packet"])
        for name, column in self._columns.items():
            column[self.count : self.count + found] = np.asarray(columns[name])
        self.count += found

    def rows(self) -> Rows:
        """The rows so far; more may be added afterwards."""
        return Rows({name: column[: self.count] for name, column in self._columns.items()})
