"""A study on disk: only complete files are read, and no finished run is lost.

    DIR/manifest.json               what the study is, and which generation of files counts, with the digest of each
    DIR/manifest-copy.json          the same, for the day on which the manifest is damaged
    DIR/runs/part-*.parquet         one row per run, sorted by variant and replication
    DIR/flows/part-*.parquet        one row per run and flow
    DIR/links/part-*.parquet        one row per run and port
    DIR/failures/part-*.parquet     one row per run that failed
    DIR/times/part-*.parquet        one row per run: the time that this machine took
    DIR/work-G/chunk-*.arrows       what was finished since generation G: one file per chunk with the same tables

Results are the same bytes in files of the same names, however often the study was interrupted and whoever worked on it: a part is
named by its contents, and what differs from one execution to the next is in `times` and in the manifest alone.

A chunk is written under another name, brought to the disk and renamed. From time to time everything is merged into generation
G + 1: its files are written, then the manifest is replaced, which makes them count and `work-G` not; then the old files are
removed. A crash between any two of these steps leaves a study that counts every run once.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.atomic import atomic, write_text
from ..base.errors import HeadgateError
from ..base.parts import MARK
from .arrow import canonical, pyarrow, to_arrow, to_numpy
from .checksums import COPY, DamagedError, manifest_text, part_of, read_chunk, read_manifest, read_part, write_chunk
from .lock import lock

if TYPE_CHECKING:
    import pyarrow as pa

#: The tables of a study; `runs` is the first.
TABLES = ("runs", "failures", "flows", "links", "times")

#: Of tables without which no run is done again, what becomes of a damaged part.
LOSSES = {"failures": "the runs that failed are tried again", "times": "the processor times of its runs are lost"}

#: Approximate number of rows of a part of the largest table.
PART_ROWS = 2_000_000


class Store:
    """The folder of a study. Only one process writes to it; any number may read."""

    def __init__(self, folder: str | os.PathLike[str], sources: Sequence[Store] = ()) -> None:
        """Takes the folder, which may not be there yet, and others whose runs are to be merged into it."""
        self.folder, self._sources = Path(folder), sources
        self.manifest: dict[str, Any] = {}
        self._lock: int | None = None
        self._next = 0
        #: Whether the manifest was damaged and its copy was read.
        self._from_copy = False

    @property
    def exists(self) -> bool:
        """Whether the folder holds a study, complete or not."""
        return self._manifest.exists() or self._copy.exists()

    @property
    def _manifest(self) -> Path:
        return self.folder / "manifest.json"

    @property
    def _copy(self) -> Path:
        return self.folder / COPY

    @property
    def generation(self) -> int:
        """The generation of files that counts; 0 before the first."""
        return int(self.manifest["generation"])

    @property
    def _work(self) -> Path:
        return self.folder / f"work-{self.generation}"

    def open(self, mend: bool = False) -> Store:
        """Reads the manifest; if that is damaged and is to be repaired, its copy.

        Raises:
            HeadgateError: there is no study, one in another form, or one whose manifest is damaged.
        """
        try:
            self.manifest = read_manifest(self._manifest, self.folder)
        except DamagedError:
            if not mend:
                raise
            try:
                self.manifest = read_manifest(self._copy, self.folder)
                self._from_copy = True
            except HeadgateError:
                raise HeadgateError(
                    f"{self._manifest}: is damaged, and so is {self._copy.name}; expected one of them whole: remove the folder "
                    "and run the study again"
                ) from None
        return self

    def lock(self) -> None:
        """Keeps other writers away until this process ends or closes the store.

        Raises:
            HeadgateError: another process writes to the folder, or it cannot be made.
        """
        with self.writing():
            self._lock = lock(self.folder, "this study")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Reports an error of the folder as a message."""
        try:
            yield
        except OSError as e:
            going_on = self.manifest and not self._sources
            kept = "; finished runs are kept: make room and continue with --resume" if going_on else ""
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
        text = manifest_text(manifest)
        with self.writing():
            write_text(self._manifest, text, durable=True)
            # Before the files that it names are changed again: as long as one of both is undamaged, the study is.
            write_text(self._copy, text, durable=True)
        self.manifest = manifest

    def mend(self, columns: pa.Table) -> list[str]:
        """Discards damaged files, so that their runs are done again; returns a sentence for each file.

        Args:
            columns: the columns of axes, one row per variant.

        Raises:
            HeadgateError: the folder cannot be read or written.
        """
        messages = [f"{self._manifest}: was damaged; its copy takes its place"] if self._from_copy else []
        for chunk in self._chunks():
            try:
                for i in range(len(TABLES)):
                    read_chunk(chunk, i, len(TABLES), self.folder)
            except DamagedError:
                with self.writing():
                    chunk.unlink(missing_ok=True)
                messages.append(f"{chunk}: was damaged; its runs are done again")
        lost = np.zeros(len(columns), dtype=bool)
        whole: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
        damaged = False
        for name in TABLES:
            for part in self._files(name):
                file, (low, high) = self.folder / part["name"], part["variants"]
                try:
                    read_part(file, part["sha256"], self.folder)
                    whole[name].append(part)
                except DamagedError:
                    damaged = True
                    if name in LOSSES:
                        messages.append(f"{file}: was damaged; {LOSSES[name]}")
                        continue
                    # The rows of these runs in the other tables are removed too.
                    lost[low:high] = True
                    messages.append(f"{file}: was damaged; the runs of variants {low} to {high - 1} are done again")
        if damaged:
            self.manifest = {**self.manifest, "files": whole}
            self.merge(False, np.where(lost, 0, np.iinfo(np.int64).max), columns)
        return messages

    def clean(self) -> None:
        """Removes files that an earlier process left unfinished or replaced, and makes the manifest and its copy equal.

        Raises:
            HeadgateError: the folder cannot be written.
        """
        text = manifest_text(self.manifest)
        keep = {part["name"] for name in TABLES for part in self._files(name)}
        with self.writing():
            # The copy of the generation before would name files that are removed now.
            for file in (self._manifest, self._copy):
                if not file.is_file() or file.read_bytes() != text.encode():
                    write_text(file, text, durable=True)
            for table in TABLES:
                for file in (self.folder / table).glob("*"):
                    if f"{table}/{file.name}" not in keep:
                        file.unlink()
            for file in (*self.folder.glob(".manifest*"), *self.folder.glob(f".{MARK}.*")):
                file.unlink()
            for work in self.folder.glob("work-*"):
                if work != self._work:
                    shutil.rmtree(work)
            for file in self._work.glob(".chunk-*"):
                file.unlink()
        self._next = 1 + max((int(f.stem.partition("-")[2]) for f in self._chunks()), default=-1)

    def _files(self, name: str) -> list[dict[str, Any]]:
        """The parts of a table: `name`, `variants` (the first, and the one after the last) and `sha256`."""
        files: list[dict[str, Any]] = self.manifest["files"].get(name, [])
        return files

    def _chunks(self) -> list[Path]:
        return sorted(f for f in self._work.glob("chunk-*.arrows") if re.fullmatch(r"chunk-\d{6,18}", f.stem))

    def write_chunk(self, tables: dict[str, pa.Table]) -> None:
        """Adds finished runs, all or none of them.

        Raises:
            HeadgateError: the folder cannot be written: the disk is full, for example.
        """
        with self.writing(), atomic(self._work / f"chunk-{self._next:06}.arrows", durable=True) as file:
            write_chunk([tables[name] for name in TABLES], file)
        self._next += 1

    def _parts(self, name: str) -> Iterator[pa.Table]:
        """A table of every part and every chunk that counts.

        Raises:
            DamagedError: a file is not as it was written.
            HeadgateError: a file cannot be read.
        """
        for source in self._sources:
            yield from source._parts(name)
        for part in self._files(name):
            yield read_part(self.folder / part["name"], part["sha256"], self.folder)
        for chunk in self._chunks():
            rows = read_chunk(chunk, TABLES.index(name), len(TABLES), self.folder)
            if len(rows):
                yield rows

    @property
    def empty(self) -> bool:
        """Whether no run was stored yet."""
        return not self._sources and not any(self.manifest["files"].values()) and not self._chunks()

    def read(self, name: str) -> pa.Table:
        """All rows of a table as they were stored, in no particular order, without the columns of axes of chunks."""
        pa = pyarrow()
        parts = list(self._parts(name))
        return pa.concat_tables(parts, promote_options="default").unify_dictionaries() if parts else pa.table({})

    def merge(self, complete: bool, keep: np.ndarray[Any, Any], columns: pa.Table) -> None:
        """Makes the next generation of all finished runs.

        Args:
            complete: whether nothing remains to be run.
            keep: of each variant, the number of replications that count; further ones do not.
            columns: the columns of axes, one row per variant.

        Raises:
            HeadgateError: the folder cannot be written; the generation before still counts.
        """
        old, generation = {part["name"] for name in TABLES for part in self._files(name)}, self.generation + 1
        with self.writing():
            files = {name: self._merge_table(name, keep, columns) for name in TABLES}
        work = self._work
        self.write_manifest({**self.manifest, "generation": generation, "complete": complete, "files": files})
        shutil.rmtree(work, ignore_errors=True)
        for name in old - {part["name"] for parts in files.values() for part in parts}:
            (self.folder / name).unlink(missing_ok=True)
        self._next = 0

    def _merge_table(self, name: str, keep: np.ndarray[Any, Any], columns: pa.Table) -> list[dict[str, Any]]:
        """Writes a table in parts of neighbouring variants; gives their entries in the manifest."""
        counts = np.zeros(len(keep), dtype=np.int64)
        for part in self._parts(name):
            variant, replication = to_numpy(part["variant"]), to_numpy(part["replication"])
            counts += np.bincount(variant[replication < keep[variant]], minlength=len(keep))
        files: list[dict[str, Any]] = []
        for low, high in _ranges(counts, PART_ROWS):
            rows = self.assemble(name, keep, columns, low, high)
            if len(rows):
                data, digest = part_of(canonical(rows))
                file = f"{name}/part-{len(files)}-{digest[:16]}.parquet"
                with atomic(self.folder / file, durable=True) as temporary:
                    temporary.write_bytes(data)
                files.append({"name": file, "variants": [low, high], "sha256": digest})
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
        if (np.diff(order) < 0).any():
            # Most often chunks finish in their order; `take` loads another library.
            table = table.take(to_arrow(order))
        if not columns.column_names:
            return table
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
