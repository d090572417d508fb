"""Makes runs on demand, each once: on all processors of this machine or on a Dask cluster, with those of before taken from a store."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypedDict

from ...base.atomic import require_folder
from ...base.counts import counted
from ...base.errors import HeadgateError, cut, nearest
from ...base.parts import MARK, Share, read_mark, read_part
from ...sweep.engines import ENGINES, Dask, Engine, Local, work_off
from . import work
from .store import RunStore, begin, finish

#: Called with (share done, runs done, runs in all).
Progress = Callable[[float, int, int], object]

#: Runs whose processes ended by themselves before any other has ended, after which there is no hope.
HOPELESS = 3


class AnyJob(Protocol):
    """A run that is wanted, as plain data that can be sent to a process or to another machine."""

    @property
    def key(self) -> str:
        """Names the run and what is measured of it: equal for equal ones."""

    @property
    def name(self) -> str:
        """What an error calls it; may be empty."""

    @property
    def size(self) -> float:
        """How much work it is, beside that of others."""


class Where(TypedDict, total=False):
    """Where runs are made and kept: what every judge takes beside its question, and hands over to `started`.

    `out` is a folder in which runs are kept as they end, so that the same call goes on where it was ended. `workers` is the number of
    processes, one per processor unless given; with 0 all is run in this one. `engine` is `local` or `dask`, and `address` that of a
    scheduler, without which a cluster is started on this machine. `progress` is called several times a second. With `part`, such as
    `3/64`, only this part of the runs that are known before any result is made, into a folder of its own, and `PartMade` is raised.
    """

    out: str | os.PathLike[str] | None
    workers: int | None
    engine: str
    address: str | None
    progress: Progress | None
    part: Share | str | None


class PartMade(Exception):  # noqa: N818
    """The runs of a part are there: there is no answer before all parts are joined."""

    def __init__(self, part: Share, folder: Path, runs: int) -> None:
        """Takes the part, its folder, and how many runs it has."""
        super().__init__(f"part {part}: {counted(runs, 'run')} in {folder}")
        self.part, self.folder, self.runs = part, folder, runs


def started(
    kind: str,
    asked: Mapping[str, Any],
    do: Callable[[Any], dict[str, Any]],
    where: Where,
    made: Mapping[str, dict[str, Any]] | None = None,
    lost: int | None = HOPELESS,
) -> Runner:
    """What makes the runs of a judge.

    Args:
        kind: which judge: the name of its command.
        asked: what makes two of its questions the same; a folder is held to one.
        do: makes a run: plain data in, plain data out.
        where: where they are made and kept.
        made: further runs that were made before, by their keys.
        lost: see `Runner`.

    Raises:
        HeadgateError: the folder holds another question or cannot be written, or there is no such engine.
    """
    engine, address, out = where.get("engine", ENGINES[0]), where.get("address"), where.get("out")
    if engine not in ENGINES:
        raise HeadgateError(
            f"--engine: found {cut(repr(engine))}; expected one of {', '.join(ENGINES)}.{nearest(engine, ENGINES)}"
        )
    if address is not None and engine != "dask":
        raise HeadgateError("--address: expected --engine dask beside it")
    folder = None
    if out is not None:
        folder = Path(out)
        require_folder(folder, f"the folder of headgate {kind}")
    part = where.get("part")
    if isinstance(part, str):
        part = replace(read_part(part), kind=kind)
    if part is not None and folder is None:
        raise HeadgateError("--part: expected --out with a folder of its own beside it")
    if part is None and folder is not None and (folder / MARK).exists():
        raise HeadgateError(f"{folder}: holds a part; expected --part {read_mark(folder).part}, or another folder")
    start = partial(Dask, address) if engine == "dask" else Local
    return Runner(
        RunStore(folder, (kind, asked)), made, where.get("workers"), where.get("progress"), do, start, lost, part
    )


class Runner:
    """Makes runs, each once."""

    def __init__(
        self,
        store: RunStore,
        made: Mapping[str, dict[str, Any]] | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
        do: Callable[[Any], dict[str, Any]] = work.do,
        start: Callable[[int | None, Callable[[Any], dict[str, Any]]], Engine] = Local,
        lost: int | None = HOPELESS,
        part: Share | None = None,
    ) -> None:
        """Takes where runs are kept.

        Args:
            store: gets each run that is made.
            made: further runs that were made before, by their keys.
            workers: processes; one per processor unless given; with 0 all is run in this one.
            progress: called several times a second.
            do: makes a run: plain data in, plain data out.
            start: makes the engine, of so many workers that do this, once there is a run to make.
            lost: it is an error if the processes of so many runs ended by themselves before any other run has ended; with None never.
            part: of the runs that are asked for first, this part is made, into a store with a folder, and nothing else.
        """
        self._store, self._made, self._progress, self._do = store, made or {}, progress, do
        self._workers, self._start, self._hopeless = workers, start, lost
        self._share = part
        self._engine: Engine | None = None
        self._done, self._all, self._part = 0, 0, 0.0
        self._well, self._lost = False, 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._engine is not None:
                # After an error or Ctrl-C nothing waits for runs that nobody wants.
                self._engine.close()
        finally:
            self._store.close()

    def get(self, job: AnyJob) -> dict[str, Any]:
        """A run that was made."""
        return self._store.get(job.key) or self._made[job.key]

    def make(self, jobs: Iterable[AnyJob]) -> int:
        """Makes those that are new; gives how many those are.

        Raises:
            HeadgateError: a scenario is none.
            PartMade: only a part of the runs is wanted, and it is there.
        """
        by_key = {job.key: job for job in jobs}
        if self._share is not None and (folder := self._store.folder) is not None:
            keys = [key for key in by_key if key not in self._made]
            own = begin(folder, self._share, keys)
            self._make({key: by_key[key] for key in own})
            finish(folder, self._share, keys)
            raise PartMade(self._share, folder, len(own))
        return self._make(by_key)

    def _make(self, by_key: Mapping[str, AnyJob]) -> int:
        new = [job for key, job in by_key.items() if self._store.get(key) is None and key not in self._made]
        self._all += len(new)
        if not new:
            return 0
        # Long ones first, so that no processor waits at the end.
        ordered = sorted(new, key=lambda job: -job.size)
        if self._workers == 0:
            for own in ordered:
                self._take(own, self._do(own))
                self._tell()
            return len(new)
        if self._engine is None:
            self._engine = self._start(self._workers, self._do)
        for ended in work_off(self._engine, ordered):
            for job, found, how in ended:
                self._alive(found is not None, how)
                self._take(
                    job,
                    {"fault": f"the process of its run ended by itself ({how})"} if found is None else found,
                    found is not None,
                )
            self._tell()
        return len(new)

    def _alive(self, ended_well: bool, how: str) -> None:
        """Whether it is worth while to go on: not if all that there was so far is processes that ended."""
        self._well |= ended_well
        self._lost += not ended_well
        if self._hopeless is not None and self._lost >= self._hopeless and not self._well:
            raise HeadgateError(
                f"the processes of {self._lost} runs have ended by themselves ({how}), and no other run has ended: the control ends "
                "them, or there is too little memory for them"
            )

    def expect(self, count: int) -> None:
        """Further work that is not made here, such as cases of steps, but counts as a run each."""
        self._all += count

    def tell(self, part: float) -> None:
        """This part of such a work is done; 1 is all of it."""
        self._part = part
        if part >= 1:
            self._done, self._part = self._done + 1, 0.0
        self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress((self._done + self._part) / self._all, self._done, self._all)

    def _take(self, job: AnyJob, found: dict[str, Any], keep: bool = True) -> None:
        if "wrong" in found:
            raise HeadgateError(f"{job.name}{': ' if job.name else ''}{found['wrong']}")
        self._store.add(job.key, found, keep)
        self._done += 1
