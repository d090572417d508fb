"""A folder of finished runs: a run that is asked for again gives its stored result, byte for byte.

    DIR/kept.json         says that runs are kept here
    DIR/chunk-*.runs      runs that ended one after the other: a head that names them, then their results

A run is known by a key: a hash of everything that its result depends on, the engine's own bytes among it. A chunk is written under another
name and renamed, and for all that is read there is a SHA-256 digest. What is damaged is removed, and its runs are done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

from ...base.atomic import atomic, require_folder, write_text
from ...base.build import build
from ...base.errors import HeadgateError
from ...sweep.lock import lock

#: The form of the folder; another number is another form.
FORMAT = 1

#: What a chunk begins with, the length of its head, and the head's digest.
_HEAD = struct.Struct("<8sQ32s")
_MAGIC = b"HGRUNS1\n"

#: Seconds of finished runs that a kill can lose, and the bytes of results that wait for each other at most.
CHUNK_S, CHUNK_BYTES = 1.0, 1 << 24


@dataclass(frozen=True)
class _Place:
    """Where a result lies."""

    file: Path
    first: int
    length: int
    sha256: str
    cpu_s: float


class Store:
    """The folder, open for one process at a time."""

    def __init__(self, folder: str | os.PathLike[str], say: Callable[[str], None] | None = None) -> None:
        """Opens or makes the folder; `say` is called with messages about damaged files.

        Raises:
            HeadgateError: the folder holds something else, or cannot be read or written, or another process is at work in it.
        """
        self.folder = Path(folder)
        self._say = say or _to_stderr
        self._known: dict[str, _Place] = {}
        self._waiting: list[tuple[str, bytes, float]] = []
        self._bytes, self._since, self._guard = 0, time.monotonic(), Lock()
        require_folder(self.folder, "--resume")
        self._require_ours()
        self._lock = lock(self.folder, "these runs")
        try:
            with self._writing():
                if not self._mark.exists():
                    write_text(self._mark, json.dumps({"kind": "runs", "format": FORMAT}) + "\n")
                # What an earlier process left behind unfinished.
                for file in self.folder.glob(".chunk-*"):
                    file.unlink()
            for file in sorted(self.folder.glob("chunk-*.runs")):
                self._index(file)
        except BaseException:
            os.close(self._lock)
            raise

    @property
    def _mark(self) -> Path:
        return self.folder / "kept.json"

    def _require_ours(self) -> None:
        """Looks whether runs are kept in the folder, or nothing is in it yet."""
        try:
            if not self._mark.exists():
                others = [f.name for f in self.folder.iterdir()] if self.folder.is_dir() else []
                if any(name != ".lock" and not name.startswith(".kept.json") for name in others):
                    raise HeadgateError(
                        f"--resume {self.folder}: expected an empty or absent folder, or one in which runs are kept"
                    )
                return
            mark = json.loads(self._mark.read_text("utf-8"))
        except OSError as e:
            raise HeadgateError(f"--resume {self.folder}: cannot be read; {e.strerror or e}") from None
        except (ValueError, RecursionError):
            mark = None
        if not isinstance(mark, dict) or mark.get("kind") != "runs":
            raise HeadgateError(f"{self._mark}: expected the mark of a folder of runs, found another file")
        if mark.get("format") != FORMAT:
            raise HeadgateError(f"{self._mark}: expected form {FORMAT}, found form {mark.get('format')}")

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Writes what is left, and lets other processes in."""
        if self._lock >= 0:
            try:
                self.flush()
            finally:
                os.close(self._lock)
                self._lock = -1

    def __len__(self) -> int:
        """How many results there are, also those of other versions of headgate."""
        return len(self._known)

    def take(self, key: str) -> tuple[bytes, float] | None:
        """The result with this key and the processor seconds that it took; None if there is none."""
        with self._guard:
            place = self._known.get(key)
        if place is None:
            return None
        try:
            with place.file.open("rb") as file:
                file.seek(place.first)
                data = file.read(place.length)
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() != place.sha256:
            with self._guard:
                self._give_up(place.file)
            return None
        return data, place.cpu_s

    def add(self, key: str, data: bytes, cpu_s: float) -> None:
        """Keeps a result; it is in a file within about a second.

        Raises:
            HeadgateError: the folder cannot be written: the disk is full, for example.
        """
        with self._guard:
            if not self._waiting:
                self._since = time.monotonic()
            self._waiting.append((key, data, cpu_s))
            self._bytes += len(data)
            if self._bytes >= CHUNK_BYTES or time.monotonic() - self._since >= CHUNK_S:
                self._write()

    def flush(self) -> None:
        """Brings what waits into a file.

        Raises:
            HeadgateError: the folder cannot be written.
        """
        with self._guard:
            self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        runs, self._waiting, self._bytes = self._waiting, [], 0
        entries = [[key, len(data), hashlib.sha256(data).hexdigest(), cpu_s] for key, data, cpu_s in runs]
        head = json.dumps(entries).encode()
        file = self.folder / f"chunk-{secrets.token_hex(8)}.runs"
        with self._writing(), atomic(file) as temporary, temporary.open("wb") as out:
            out.write(_HEAD.pack(_MAGIC, len(head), hashlib.sha256(head).digest()))
            out.write(head)
            for _, data, _ in runs:
                out.write(data)
        self._enter(file, entries, _HEAD.size + len(head))

    def _enter(self, file: Path, entries: Sequence[Any], first: int) -> int:
        """Adds the runs of a chunk to what is known; gives the length of the file."""
        for key, length, sha256, cpu_s in entries:
            self._known[key] = _Place(file, first, length, sha256, cpu_s)
            first += length
        return first

    def _index(self, file: Path) -> None:
        """Reads the head of a chunk."""
        try:
            with file.open("rb") as source:
                head = source.read(_HEAD.size)
                magic, length, digest = _HEAD.unpack(head) if len(head) == _HEAD.size else (b"", 0, b"")
                size = os.fstat(source.fileno()).st_size
                text = source.read(length) if length <= size else b""
        except OSError as e:
            raise HeadgateError(f"{file}: cannot be read; {e.strerror or e}") from None
        good = magic == _MAGIC and hashlib.sha256(text).digest() == digest
        if not good or self._enter(file, json.loads(text), _HEAD.size + length) != size:
            self._give_up(file)

    def _give_up(self, file: Path) -> None:
        """Removes a damaged chunk, so that its runs are done again."""
        self._known = {key: place for key, place in self._known.items() if place.file != file}
        with self._writing():
            file.unlink(missing_ok=True)
        self._say(f"{file}: was damaged; its runs are done again")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Says in words that the folder cannot be written."""
        try:
            yield
        except OSError as e:
            why = f"{self.folder}: cannot be written: {e.strerror or e}"
            raise KeepError(f"{why}; what was finished before is kept: make room and run the same again") from None


class KeepError(HeadgateError):
    """Finished runs cannot be kept."""


def key_of(text: str, seed: int | None, run: int, tables: Sequence[str]) -> str:
    """The key of a run: a hash of the engine, the scenario, the seed (None is the scenario's own), the replication and the tables."""
    whole = json.dumps([build(), seed, run, list(tables), text])
    return hashlib.sha256(whole.encode()).hexdigest()[:32]


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
