"""Where the runs of papers are worked on, and what was done there."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ...base import parallel
from ...base.errors import HeadgateError, cut, nearest
from ...base.parallel import Progress
from ...sweep.engines import ENGINES
from .packed import Result, pack, unpack
from .store import Store, key_of

if TYPE_CHECKING:
    from .cluster import Cluster

T = TypeVar("T")

#: Scenario as JSON text, seed or None for the scenario's own, number of the replication.
Job = tuple[str, int | None, int]


@dataclass
class Work:
    """Where runs are worked on: `threads` of this process, or a cluster; `store` keeps them. And what was done so far."""

    threads: int | None = None
    store: Store | None = None
    cluster: Cluster | None = None
    progress: Progress | None = None
    #: Memory that all runs at a time may take; three quarters of the machine's unless given.
    max_memory: int | None = None
    #: Runs whose results were used, how many of them were taken from the store, and the processor seconds of all of them, each once.
    runs: int = 0
    kept: int = 0
    cpu_s: float = 0.0
    #: Those that other processes spent on them: on a cluster, or before an interruption.
    elsewhere_s: float = 0.0
    _counted: set[str] = field(default_factory=set, repr=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _thread: threading.local = field(default_factory=threading.local, repr=False)

    def run_all(
        self,
        jobs: Sequence[Job],
        take: Callable[[int, Result], T],
        tables: Sequence[str],
        progress: Progress | None = None,
    ) -> list[T]:
        """See the function `run_all`."""
        progress = progress or self.progress
        store, results = self.store, dict[int, T]()
        keys = [key_of(text, seed, run, tables) for text, seed, run in jobs] if store is not None else []
        for number, key in enumerate(keys):
            found = store.take(key) if store is not None else None
            if found is not None:
                results[number] = take(number, unpack(found[0]))
                self._count(key, found[1], kept=True, elsewhere=True)
        left = [number for number in range(len(jobs)) if number not in results]

        def keep(number: int, data: bytes, cpu_s: float) -> None:
            if store is not None:
                store.add(keys[number], data, cpu_s)

        def taken(k: int, result: Result) -> T:
            # A thread of the pool does nothing between two runs.
            cpu_s = self._spent()
            number = left[k]
            if store is not None:
                keep(number, pack(result, tables), cpu_s)
            made = take(number, result)
            self._count(keys[number] if keys else "", cpu_s)
            self._spent()
            return made

        def far(share: float, done: int, total: int) -> None:
            if progress is not None:
                kept = len(jobs) - total
                progress((kept + share * total) / len(jobs), kept + done, len(jobs))

        try:
            if self.cluster is not None and left:

                def back(k: int, data: bytes, cpu_s: float) -> T:
                    keep(left[k], data, cpu_s)
                    self._count(keys[left[k]] if keys else "", cpu_s, elsewhere=True)
                    return take(left[k], unpack(data))

                made = self.cluster.run_all([jobs[n] for n in left], back, tables, far)
            else:
                made = parallel.run_all([jobs[n] for n in left], taken, self.threads, far, self.max_memory)
        finally:
            if store is not None:
                store.flush()
        results |= dict(zip(left, made, strict=True))
        return [results[n] for n in range(len(jobs))]

    def remember(self, make: Callable[[], Any], *parts: Any) -> Any:
        """See the function `remember`."""
        key = key_of(json.dumps(["remembered", *parts]), None, 0, ())
        found = self.store.take(key) if self.store is not None else None
        if found is not None:
            return json.loads(found[0])
        began = time.process_time()
        data = json.dumps(make()).encode()
        if self.store is not None:
            self.store.add(key, data, time.process_time() - began)
            self.store.flush()
        return json.loads(data)

    def _spent(self) -> float:
        """Processor seconds of this thread since this was asked last, or since it began."""
        now = time.thread_time()
        before, self._thread.at = getattr(self._thread, "at", 0.0), now
        return now - before

    def _count(self, key: str, cpu_s: float, kept: bool = False, elsewhere: bool = False) -> None:
        with self._guard:
            self.runs += 1
            self.kept += kept
            # A run that is asked for again costs nothing more.
            if key not in self._counted:
                self.cpu_s += cpu_s
                self.elsewhere_s += cpu_s * elsewhere
            if key:
                self._counted.add(key)


@contextmanager
def open_work(
    threads: int | None = None,
    resume: str | os.PathLike[str] | None = None,
    engine: str = "local",
    address: str | None = None,
) -> Iterator[Work]:
    """Somewhere to work, which is closed at the end.

    Args:
        threads: runs at a time; all processors unless given. A cluster at an address has its own number.
        resume: folder in which finished runs are kept; what is there already is not run again.
        engine: `local` (threads of this process) or `dask`.
        address: of a Dask scheduler; without one, `dask` starts a cluster on this machine.

    Raises:
        HeadgateError: there is no such engine or cluster, or the folder holds something else or cannot be written.
    """
    if engine not in ENGINES:
        raise HeadgateError(
            f"engine {cut(repr(engine))}; expected one of {', '.join(ENGINES)}{nearest(engine, ENGINES)}"
        )
    if address is not None and engine != "dask":
        raise HeadgateError(f"address {cut(address)}: expected engine dask beside it, found {engine}")
    with ExitStack() as stack:
        store = None if resume is None else stack.enter_context(Store(resume))
        cluster = None
        if engine == "dask":
            from .cluster import Cluster

            cluster = Cluster(address, threads)
            stack.callback(cluster.close)
        yield Work(threads, store, cluster)


_HERE: ContextVar[Work | None] = ContextVar("_HERE", default=None)


@contextmanager
def work_here(work: Work) -> Iterator[Work]:
    """Within it `run_all` works where `work` says."""
    before = _HERE.set(work)
    try:
        yield work
    finally:
        _HERE.reset(before)


def run_all(
    jobs: Sequence[Job],
    take: Callable[[int, Result], T],
    tables: Sequence[str],
    progress: Progress | None = None,
) -> list[T]:
    """Runs jobs and gives what `take` made of each result, in their order; runs that were kept are not repeated.

    Args:
        jobs: (scenario as JSON text, seed or None for the scenario's own, number of the replication).
        take: called with the job's number and its result, in any order and from several threads.
        tables: those that `take` looks at; a result has no others when it was kept or comes from a cluster.
        progress: called with the share done, runs completed, and runs in all.

    Raises:
        ScenarioError: a scenario is wrong, or a run took more memory than it may.
        HeadgateError: a finished run could not be kept.
        KeyboardInterrupt: Ctrl-C; what was finished is kept.
    """
    return (_HERE.get() or Work()).run_all(jobs, take, tables, progress)


def remember(make: Callable[[], Any], *parts: Any) -> Any:
    """A value of JSON that `make` gives, kept as runs are: for what is measured on the machine at hand, and differs each time.

    `parts`, values of JSON, are all that it depends on beside the engine.
    """
    return (_HERE.get() or Work()).remember(make, *parts)
