"""Makes runs, each once: on all processors of this machine or on a Dask cluster, with those of before taken from a store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...base.errors import HeadgateError
from ...sweep.engines import Dask, Local, work_off
from . import work
from .store import RunStore

#: Called with (share done, runs done, runs in all).
Progress = Callable[[float, int, int], object]


#: Runs whose processes ended by themselves before any other has ended, after which there is no hope.
HOPELESS = 3


class Runner:
    """Makes runs, each once."""

    def __init__(
        self,
        store: RunStore,
        made: Mapping[str, dict[str, Any]] | None = None,
        workers: int | None = None,
        progress: Progress | None = None,
        dask: Dask | None = None,
        do: Callable[[work.RunJob], dict[str, Any]] = work.do,
    ) -> None:
        """Takes where runs are kept.

        Args:
            store: gets each run that is made.
            made: further runs that were made before, by their keys.
            workers: processes; one per processor unless given; with 0 all is run in this one.
            progress: called several times a second.
            dask: runs them instead of processes of this machine.
            do: makes a run: plain data in, plain data out.
        """
        self._store, self._made, self._progress, self._dask, self._do = store, made or {}, progress, dask, do
        self._workers = (os.cpu_count() or 1) if workers is None else workers
        self._local: Local | None = None
        self._done, self._all, self._part = 0, 0, 0.0
        self._well, self._lost = False, 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        if self._dask is not None:
            self._dask.close()
        if self._local is not None:
            # After an error or Ctrl-C nothing waits for runs that nobody wants.
            self._local.close()

    def get(self, job: work.RunJob) -> dict[str, Any]:
        """A run that was made."""
        return self._store.get(job.key) or self._made[job.key]

    def make(self, jobs: Iterable[work.RunJob]) -> None:
        """Makes those that are new.

        Raises:
            HeadgateError: a scenario is none.
        """
        new = {job.key: job for job in jobs if self._store.get(job.key) is None and job.key not in self._made}
        self._all += len(new)
        if not new:
            return
        # Long ones first, so that no processor waits at the end.
        ordered = sorted(new.values(), key=lambda job: -job.place.capacity(0, job.place.duration))
        if self._dask is None and not self._workers:
            for own in ordered:
                self._take(own, self._do(own))
            return
        if self._dask is None and self._local is None:
            self._local = Local(self._workers, self._do)
        engine = self._dask or self._local
        assert engine is not None
        for ended in work_off(engine, ordered):
            for job, found, how in ended:
                self._alive(found is not None, how)
                self._take(
                    job,
                    {"fault": f"the process of its run ended by itself ({how})"} if found is None else found,
                    found is not None,
                )
            self._tell()

    def _alive(self, ended_well: bool, how: str) -> None:
        """Whether it is worth while to go on: not if all that there was so far is processes that ended."""
        self._well |= ended_well
        self._lost += not ended_well
        if self._lost >= HOPELESS and not self._well:
            raise HeadgateError(
                f"the processes of {HOPELESS} runs have ended by themselves ({how}), and no other run has ended: the control ends them, or "
                "there is too little memory for them"
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

    def _take(self, job: work.RunJob, found: dict[str, Any], keep: bool = True) -> None:
        if "wrong" in found:
            raise HeadgateError(f"{json.loads(job.text)['name']}: {found['wrong']}")
        self._store.add(job.key, found, keep)
        self._done += 1
