"""Makes runs, each once: on all processors of this machine or on a Dask cluster, with those of before taken from a store."""

from __future__ import annotations

import json
import multiprocessing
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from ..base.errors import HeadgateError
from ..sweep.engines import Dask, ctrl_c_waits
from . import work
from .store import RefereeStore

#: Called with (share done, runs done, runs in all).
Progress = Callable[[float, int, int], object]

#: Jobs that are submitted for each process.
_AHEAD = 4


def _end_with(parent: int) -> None:
    """Ends this process soon after the one that started it was killed: nothing else would end it."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Runner:
    """Makes runs, each once."""

    def __init__(
        self,
        store: RefereeStore,
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
        self._pool: ProcessPoolExecutor | None = None
        self._done, self._all = 0, 0

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *_: object) -> None:
        if self._dask is not None:
            self._dask.close()
        if self._pool is not None:
            # After an error or Ctrl-C nothing waits for runs that nobody wants.
            for process in list((self._pool._processes or {}).values()):
                process.terminate()
            # Waits for these to be gone, and frees what they shared: a command that was stopped ends without cleaning up.
            self._pool.shutdown(wait=True, cancel_futures=True)

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
        if self._dask is not None:
            self._on_dask(self._dask, ordered)
        elif self._workers:
            self._side_by_side(ordered)
        else:
            for own in ordered:
                self._take(own, self._do(own))

    def _side_by_side(self, jobs: list[work.RunJob]) -> None:
        if self._pool is None:
            # A new program each: a fork of one with threads may stop.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self._workers, context, initializer=_end_with, initargs=(os.getpid(),))
        later = iter(jobs)
        pending: dict[Future[dict[str, Any]], work.RunJob] = {}
        left = len(jobs)
        while left:
            while len(pending) < _AHEAD * self._workers and (then := next(later, None)) is not None:
                # Processes are started here.
                with ctrl_c_waits():
                    pending[self._pool.submit(self._do, then)] = then
            for future in wait(pending, timeout=0.2, return_when=FIRST_COMPLETED).done:
                self._take(pending.pop(future), _result(future))
                left -= 1
            self._tell()

    def _on_dask(self, dask: Dask, jobs: list[work.RunJob]) -> None:
        later, left = iter(jobs), len(jobs)
        while left:
            while dask.free() > 0 and (then := next(later, None)) is not None:
                dask.submit(then)
            for job, found, how in dask.outcomes(0.2):
                self._take(job, {"fault": how} if found is None else found)
                left -= 1
            self._tell()

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._done / self._all, self._done, self._all)

    def _take(self, job: work.RunJob, found: dict[str, Any]) -> None:
        if "wrong" in found:
            raise HeadgateError(f"{json.loads(job.text)['name']}: {found['wrong']}")
        self._store.add(job.key, found)
        self._done += 1


def _result(future: Future[dict[str, Any]]) -> dict[str, Any]:
    try:
        return future.result()
    except BrokenProcessPool:
        raise HeadgateError(
            "a process that made runs has ended by itself: it was killed, the control ended it, or the program that calls has no "
            '`if __name__ == "__main__":`'
        ) from None
