"""A run's result as bytes: some of its tables, compressed. No code is run to read them."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

#: Length of the header.
_HEAD = struct.Struct("<Q")


class Result(Protocol):
    """What `take` of `run_all` is given: a result of the engine, or one that was kept, with the tables that were asked for."""

    @property
    def digest(self) -> str:
        """Digest of all events."""

    @property
    def seed(self) -> int:
        """Seed of the random streams."""

    @property
    def run(self) -> int:
        """Number of the replication."""

    def table(self, name: str) -> dict[str, Any]:
        """Columns of a table: numbers, names, or a pair of codes and names."""


class Kept:
    """A result that was kept."""

    def __init__(self, digest: str, seed: int, run: int, tables: dict[str, dict[str, Any]]) -> None:
        self.digest, self.seed, self.run, self._tables = digest, seed, run, tables

    def table(self, name: str) -> dict[str, Any]:
        """See `Result.table`."""
        return self._tables[name]


def pack(result: Result, tables: Sequence[str]) -> bytes:
    """The result with these tables."""
    head: dict[str, Any] = {"digest": result.digest, "seed": result.seed, "run": result.run, "tables": {}}
    data: list[bytes] = []
    for name in tables:
        columns = head["tables"][name] = []
        for column, cells in result.table(name).items():
            names: list[str] | None = None
            if isinstance(cells, list):
                columns.append([column, "", len(cells), cells])
                continue
            if isinstance(cells, tuple):
                cells, names = cells
            numbers = memoryview(cells)
            columns.append([column, numbers.format, len(numbers), names])
            data.append(numbers.tobytes())
    text = json.dumps(head).encode()
    # Numbers begin at a multiple of their length.
    text += b" " * (-len(text) % _HEAD.size)
    whole = b"".join([_HEAD.pack(len(text)), text, *data])
    return _HEAD.pack(len(whole)) + bytes(_codec().compress(whole, asbytes=True))


def unpack(packed: bytes | memoryview) -> Kept:
    """The result that `pack` was given; columns of numbers are arrays."""
    (size,) = _HEAD.unpack_from(packed)
    whole = _codec().decompress(memoryview(packed)[_HEAD.size :], size, asbytes=True)
    (length,) = _HEAD.unpack_from(whole)
    at = _HEAD.size + length
    head = json.loads(whole[_HEAD.size : at])
    tables: dict[str, dict[str, Any]] = {}
    for name, columns in head["tables"].items():
        found = tables[name] = {}
        for column, form, count, names in columns:
            if not form:
                found[column] = names
                continue
            numbers = np.frombuffer(whole, form, count, at)
            at += numbers.nbytes
            found[column] = numbers if names is None else (numbers, names)
    return Kept(head["digest"], head["seed"], head["run"], tables)


def _codec() -> Any:
    import pyarrow

    return pyarrow.Codec("zstd", 1)
