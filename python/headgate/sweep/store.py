"""A study on disk: nothing is read that was not written whole, and nothing finished is lost.

    DIR/manifest.json               what the study is, and which generation of files counts
    DIR/runs/part-G-*.parquet       one row per run, sorted by variant and replication
    DIR/flows/part-G-*.parquet      one row per run and flow
    DIR/links/part-G-*.parquet      one row per run and port
    DIR/failures/part-G-*.parquet   one row per run that failed
    DIR/work-G/chunk-*.arrows       what was finished since generation G: one file per chunk with the same tables

A chunk is written under another name, brought to the disk and renamed. From time to time everything is merged into generation
G + 1: its files are written, then the manifest is replaced, which makes them count and `work-G` not; then the old files are
removed. A crash between any two of these steps leaves a study that counts every run once.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import HeadgateError
from ..files import atomic, write_text
from .columns import pyarrow, to_arrow, to_numpy

if TYPE_CHECKING:
    import pyarrow as pa

#: The tables of a study; `runs` comes first.
TABLES = ("runs", "failures", "flows", "links")

#: Rows of a part of the largest table, more or less.
PART_ROWS = 2_000_000

#: The form of the folder; another number is another form.
FORMAT = 1


class Store:
    """The folder of a study. Only one process writes to it; any number may read."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Takes the folder, which may not be there yet."""
        self.folder = Path(folder)
        self.manifest: dict[str, Any] = {}
        self._lock: int | None = None
        self._next = 0

    @property
    def exists(self) -> bool:
        """Whether a study was begun in the folder."""
        return (self.folder / "manifest.json").is_file()

    @property
    def generation(self) -> int:
        """The generation of files that counts; 0 before the first."""
        return int(self.manifest["generation"])

    @property
    def _work(self) -> Path:
        return self.folder / f"work-{self.generation}"

    def open(self) -> Store:
        """Reads the manifest.

        Raises:
            HeadgateError: there is no study, or one in another form.
        """
        file = self.folder / "manifest.json"
        try:
            manifest = json.loads(file.read_text("utf-8"))
        except (OSError, ValueError) as e:
            why = e.strerror if isinstance(e, OSError) and e.strerror else str(e)
            raise HeadgateError(f"{file}: expected the manifest of a study; {why}") from None
        if not isinstance(manifest, dict) or manifest.get("kind") != "study":
            raise HeadgateError(f"{file}: expected the manifest of a study, found another file")
        if manifest.get("format") != FORMAT:
            raise HeadgateError(f"{file}: expected a study in form {FORMAT}, found form {manifest.get('format')}")
        self.manifest = manifest
        return self

    def lock(self) -> None:
        """Keeps other writers away until this process ends or closes the store.

        Raises:
            HeadgateError: another process writes to the folder, or it cannot be made.
        """
        with self._writing():
            self.folder.mkdir(parents=True, exist_ok=True)
            handle = os.open(self.folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise HeadgateError(f"{self.folder}: another process is at work on this study") from None
        self._lock = handle

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Says in words that the folder cannot be written."""
        try:
            yield
        except OSError as e:
            kept = "; what was finished is kept: make room and go on with --resume" if self.manifest else ""
            raise HeadgateError(f"{self.folder}: cannot be written: {e.strerror or e}{kept}") from None

    def close(self) -> None:
        """Lets other writers in."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Replaces the manifest, whole or not at all.

        Raises:
            HeadgateError: the folder cannot be written.
        """
        with self._writing():
            write_text(self.folder / "manifest.json", json.dumps(manifest, indent=1, default=str) + "\n", durable=True)
        self.manifest = manifest

    def clean(self) -> None:
        """Removes what an earlier process left behind unfinished or replaced."""
        keep = {str(name) for names in self.manifest["files"].values() for name in names}
        for table in TABLES:
            for file in (self.folder / table).glob("*"):
                if f"{table}/{file.name}" not in keep:
                    file.unlink()
        for file in self.folder.glob(".manifest.json.*"):
            file.unlink()
        for work in self.folder.glob("work-*"):
            if work != self._work:
                shutil.rmtree(work)
        for file in self._work.glob(".chunk-*"):
            file.unlink()
        self._next = 1 + max((int(f.stem.partition("-")[2]) for f in self._chunks()), default=-1)

    def _chunks(self) -> list[Path]:
        return sorted(self._work.glob("chunk-*.arrows"))

    def write_chunk(self, tables: dict[str, pa.Table]) -> None:
        """Adds finished runs, all or none of them.

        Raises:
            HeadgateError: the folder cannot be written: the disk is full, for example.
        """
        pa = pyarrow()
        with (
            self._writing(),
            atomic(self._work / f"chunk-{self._next:06}.arrows", durable=True) as file,
            file.open("wb") as out,
        ):
            for name in TABLES:
                with pa.ipc.new_stream(out, tables[name].schema) as writer:
                    writer.write_table(tables[name])
        self._next += 1

    def _parts(self, name: str) -> Iterator[pa.Table]:
        """A table of every part and every chunk that counts."""
        pa = pyarrow()
        for path in [*(self.folder / file for file in self.manifest["files"].get(name, [])), *self._chunks()]:
            try:
                if path.suffix == ".parquet":
                    yield pa.parquet.ParquetFile(path).read()
                    continue
                with pa.memory_map(str(path)) as source:
                    # The tables follow each other; those before the one wanted are passed over without being copied.
                    for table in TABLES[: TABLES.index(name) + 1]:
                        rows = pa.ipc.open_stream(source).read_all()
                        if table == name and len(rows):
                            yield rows
            except (OSError, pa.ArrowInvalid) as e:
                raise HeadgateError(f"{path}: cannot be read; {e}") from None

    def read(self, name: str) -> pa.Table:
        """All rows of a table as they were stored, in no particular order, without the columns of axes of chunks."""
        pa = pyarrow()
        parts = list(self._parts(name))
        return pa.concat_tables(parts, promote_options="default").unify_dictionaries() if parts else pa.table({})

    def merge(self, complete: bool, keep: np.ndarray[Any, Any], columns: pa.Table) -> None:
        """Makes the next generation of all that is finished.

        Args:
            complete: whether nothing remains to be run.
            keep: of each variant, how many replications count; what was run beyond does not.
            columns: the columns of axes, one row per variant.

        Raises:
            HeadgateError: the folder cannot be written; the generation before still counts.
        """
        old, generation = dict(self.manifest["files"]), self.generation + 1
        with self._writing():
            files = {name: self._merge_table(name, generation, keep, columns) for name in TABLES}
        work = self._work
        self.write_manifest({**self.manifest, "generation": generation, "complete": complete, "files": files})
        shutil.rmtree(work, ignore_errors=True)
        for names in old.values():
            for name in names:
                (self.folder / name).unlink(missing_ok=True)
        self._next = 0

    def _merge_table(self, name: str, generation: int, keep: np.ndarray[Any, Any], columns: pa.Table) -> list[str]:
        """Writes a table in parts of neighbouring variants; gives their names."""
        pq = pyarrow().parquet
        counts = np.zeros(len(keep), dtype=np.int64)
        for part in self._parts(name):
            counts += np.bincount(to_numpy(part["variant"]), minlength=len(keep))
        files: list[str] = []
        for low, high in _ranges(counts, PART_ROWS):
            rows = self.assemble(name, keep, columns, low, high)
            if len(rows):
                file = f"{name}/part-{generation}-{len(files)}.parquet"
                with atomic(self.folder / file, durable=True) as temporary:
                    pq.write_table(rows, temporary, compression="zstd")
                files.append(file)
        return files

    def assemble(
        self,
        name: str,
        keep: np.ndarray[Any, Any],
        columns: pa.Table,
        low: int = 0,
        high: int | None = None,
    ) -> pa.Table:
        """The rows of a table that count, of variants `low` to `high - 1`, sorted, with the columns of their axes."""
        pa = pyarrow()
        high = len(keep) if high is None else high
        parts = []
        for table in self._parts(name):
            variant, replication = to_numpy(table["variant"]), to_numpy(table["replication"])
            good = (variant >= low) & (variant < high) & (replication < keep[variant])
            table = table if good.all() else table.filter(to_arrow(good))
            if len(table):
                # Parts have the columns of axes already.
                parts.append(table.drop_columns([c for c in columns.column_names if c in table.column_names]))
        if not parts:
            return pa.table({})
        table = pa.concat_tables(parts, promote_options="default").unify_dictionaries().combine_chunks()
        if name == "failures":
            table = self._last_failures(table)
        # A stable sort: flows and ports keep their order within a run.
        order = np.lexsort((to_numpy(table["replication"]), to_numpy(table["variant"])))
        table = table.take(to_arrow(order))
        variants = columns.take(table["variant"])
        place = table.column_names.index("variant") + 1
        for i, column in enumerate(columns.column_names):
            table = table.add_column(place + i, column, variants[column])
        return table

    def _last_failures(self, table: pa.Table) -> pa.Table:
        """The last failure of each run; none of those that succeeded when they were tried again."""
        last = {run: i for i, run in enumerate(_runs_of(table))}
        for part in self._parts("runs"):
            for run in _runs_of(part):
                last.pop(run, None)
        return table.take(to_arrow(np.array(sorted(last.values()), dtype=np.int64)))


def _runs_of(table: pa.Table) -> Iterator[tuple[int, int]]:
    return zip(table["variant"].to_pylist(), table["replication"].to_pylist(), strict=True)


def _ranges(counts: Sequence[int] | np.ndarray[Any, Any], most: int) -> Iterator[tuple[int, int]]:
    """Neighbouring variants with about `most` rows together.

    >>> list(_ranges([3, 3, 3, 9, 1], 6))
    [(0, 2), (2, 3), (3, 4), (4, 5)]
    """
    low, rows = 0, 0
    for i, n in enumerate(counts):
        if rows and rows + n > most:
            yield low, i
            low, rows = i, 0
        rows += int(n)
    if rows:
        yield low, len(counts)
