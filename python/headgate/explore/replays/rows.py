"""The rows of a replay's packets, as narrow columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

#: Columns and their types. `start` is the time of the drop for a packet that was dropped.
TYPES: dict[str, Any] = {
    "packet": np.int64, "flow": np.uint32, "bytes": np.uint32, "arrived": np.float64, "start": np.float64, "left": np.float64,
    "reason": np.uint8, "marked": np.uint8,
}  # fmt: skip

#: Bytes that a row takes in its columns.
EACH: int = sum(np.dtype(kind).itemsize for kind in TYPES.values())


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

    def __init__(self, columns: Mapping[str, Any]) -> None:
        """Takes the columns."""
        for name, kind in TYPES.items():
            setattr(self, name, np.asarray(columns[name], dtype=kind))

    def __len__(self) -> int:
        return int(self.packet.size)
