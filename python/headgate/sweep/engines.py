"""Engines that do jobs, such as the chunks of a study: processes of this machine, or a Dask cluster.

Processes rather than threads, although the engine runs without Python's lock: what a run does to its process (no memory left,
a kill) then ends a worker and not the study.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Protocol

from ..base.errors import HeadgateError, cut, missing_extra
from ..base.memory import share
from .work import Failed, run_chunk

#: Engines that can run a study or the runs of papers.
ENGINES = ("local", "dask")

#: The outcome of a chunk: its results (`Done`); or None and how its worker ended.
Outcome = tuple[Any, Any, str]


class Engine(Protocol):
    """A place where chunks are run."""

    def free(self) -> int:
        """The number of further chunks that it takes now, so that no worker waits."""

    def workers(self) -> int:
        """The number of chunks that it runs at a time."""

    def submit(self, chunk: Any) -> None:
        """Submits a chunk."""

    def outcomes(self, timeout: float) -> list[Outcome]:
        """The chunks that ended; waits up to `seconds` for the first."""

    def drain(self, patience: float) -> list[Outcome]:
        """Stops within `seconds` and returns what was finished."""

    def close(self) -> None:
        """Stops at once."""


def processors() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextlib.contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Ctrl-C waits meanwhile, and does not reach processes and threads that are started meanwhile: they inherit this.

    SIGTERM waits as well, but reaches them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    # Another thread may receive the signal: Python then calls its handler in the main thread all the same.
    received: list[int] = []
    handlers = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)}
    main = threading.current_thread() is threading.main_thread()
    deferred = {n: handler for n, handler in handlers.items() if main and callable(handler)}
    for number in deferred:
        signal.signal(number, lambda number, _: received.append(number))
    try:
        yield
    finally:
        for number, handler in deferred.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if received:
            signal.raise_signal(received[0])


#: A job that ended its worker this number of times has failed.
DEATHS = 2


def work_off(engine: Engine, jobs: Iterable[Any]) -> Iterator[list[Outcome]]:
    """Does jobs in any order; what ended, several times a second, also if nothing did.

    A job whose worker died is done again; after `DEATHS` times its outcome is how the worker ended. All others go on.
    """
    later = deque(jobs)
    left, deaths = len(later), Counter[int]()
    while left:
        while engine.free() > 0 and later:
            engine.submit(later.popleft())
        ended: list[Outcome] = []
        for job, found, how in engine.outcomes(0.2):
            deaths[id(job)] += found is None and bool(how)
            if found is None and deaths[id(job)] < DEATHS:
                later.appendleft(job)
            else:
                ended.append((job, found, how))
        left -= len(ended)
        yield ended


class _Worker:
    """A process that does jobs in so many bytes of memory, and the jobs given to it, the first of which it is doing."""

    def __init__(self, most: int) -> None:
        self.pipe, theirs = Pipe()
        # A separate program rather than a fork or a copy of this one: it inherits no thread, lock or main module. It is in
        # another group of processes, so that Ctrl-C in a terminal reaches only the driver.
        with ctrl_c_waits():
            self.process = subprocess.Popen(
                [sys.executable, "-m", "headgate.sweep.worker", str(theirs.fileno()), str(os.getpid()), str(most)],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        theirs.close()
        self.chunks: deque[Any] = deque()

    def end(self) -> str:
        """Kills the process; how it ended."""
        self.pipe.close()
        if self.process.poll() is None:
            self.process.kill()
        code = self.process.wait()
        return f"signal {-code}, {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class Local:
    """Processes of this machine. One that dies is replaced."""

    def __init__(self, workers: int | None = None, work: Callable[[Any], Any] = run_chunk) -> None:
        """Takes the number of workers, which are started with their first jobs, and what does a job: a function of a module."""
        self._number, self._work = workers or processors(), work
        self._workers: list[_Worker] = []

    def workers(self) -> int:
        """See `Engine.workers`."""
        return self._number

    def processes(self) -> list[int]:
        """The numbers of the processes that were started and are there."""
        return [worker.process.pid for worker in self._workers]

    def free(self) -> int:
        """See `Engine.free`: each worker has one chunk that runs and one that waits."""
        return 2 * self._number - sum(len(w.chunks) for w in self._workers)

    def submit(self, chunk: Any) -> None:
        """See `Engine.submit`."""
        if len(self._workers) < self._number and all(w.chunks for w in self._workers):
            self._workers.append(_Worker(share(None, self._number)))
        worker = min(self._workers, key=lambda w: len(w.chunks))
        worker.chunks.append(chunk)
        # A worker that is dead already is noticed in `outcomes`.
        with contextlib.suppress(OSError):
            worker.pipe.send((self._work, chunk))

    def outcomes(self, timeout: float) -> list[Outcome]:
        """See `Engine.outcomes`."""
        busy = {w.pipe: w for w in self._workers}
        ready = wait(list(busy), timeout)
        return [outcome for pipe in ready if isinstance(pipe, Connection) for outcome in self._collect(busy[pipe])]

    def _collect(self, worker: _Worker) -> list[Outcome]:
        try:
            answer = worker.pipe.recv()
        except (EOFError, OSError):
            # The worker is dead. Whatever it had is lost, and the first of it may have been the cause.
            self._workers.remove(worker)
            how = worker.end()
            first, *rest = worker.chunks or [None]
            out: list[Outcome] = [] if first is None else [(first, None, how)]
            return out + [(chunk, None, "") for chunk in rest if chunk is not None]
        if isinstance(answer, HeadgateError):
            raise answer
        if isinstance(answer, Failed):
            return [(worker.chunks.popleft(), None, answer.how)]
        return [(worker.chunks.popleft(), answer, "")]

    def __enter__(self) -> Local:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def drain(self, patience: float) -> list[Outcome]:
        """See `Engine.drain`."""
        for worker in self._workers:
            worker.process.terminate()
        out: list[Outcome] = []
        end = time.monotonic() + patience
        while any(w.chunks for w in self._workers) and (left := end - time.monotonic()) > 0:
            out += self.outcomes(left)
        self.close()
        return out

    def close(self) -> None:
        """See `Engine.close`."""
        for worker in self._workers:
            worker.end()
        self._workers.clear()


def _read_address(address: str) -> None:
    """Checks whether Dask understands an address.

    Raises:
        ValueError: it does not.
        OSError: nothing is known of the host.
    """
    from distributed.comm import addressing

    resolve: Any = addressing.resolve_address

    try:
        resolve(address)
    except (OSError, ValueError):
        raise
    except Exception as e:  # each kind of address may raise anything for nonsense
        raise ValueError(str(e) or "it is none") from None


class Dask:
    """A Dask cluster. Dask gives the chunks of a worker that dies to others; how often, it decides (`allowed-failures`)."""

    def __init__(
        self, address: str | None = None, workers: int | None = None, work: Callable[[Any], Any] = run_chunk
    ) -> None:
        """Takes the address of a scheduler; without one, starts a cluster of processes on this machine. `work` does a chunk.

        Raises:
            MissingExtraError: Dask is not installed.
            HeadgateError: no scheduler answers.
        """
        try:
            from distributed import Client, LocalCluster
        except ImportError:
            raise missing_extra("engine dask", "distributed", "cluster") from None
        cluster: Any = LocalCluster
        client: Any = Client
        self._cluster = None
        if address is None:
            number = workers or processors()
            try:
                with ctrl_c_waits():
                    self._cluster = cluster(
                        n_workers=number, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
                    )
            except RuntimeError as e:
                hint = 'a program that starts a cluster does so below `if __name__ == "__main__":`'
                raise HeadgateError(f"engine dask: no cluster started on this machine ({e}); {hint}") from None
        try:
            if address is not None:
                # A client that cannot read its address waits for 40 s when it ends, and prints a traceback.
                _read_address(address)
            self._client = client(self._cluster or address, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as e:
            where = f"--address {cut(address)}"
            raise HeadgateError(f"{where}: expected the address of a Dask scheduler; {cut(e)}") from None
        self._work = work
        self._pending: dict[Any, Any] = {}
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._threads, self._counted_at = 1, 0.0

    def workers(self) -> int:
        """See `Engine.workers`. The number of workers may change."""
        now = time.monotonic()
        if now - self._counted_at > 1.0:
            self._threads, self._counted_at = max(1, sum(self._client.nthreads().values())), now
        return self._threads

    def free(self) -> int:
        """See `Engine.free`."""
        return 2 * self.workers() - len(self._pending)

    def submit(self, chunk: Any) -> None:
        """See `Engine.submit`."""
        future = self._client.submit(self._work, chunk, pure=False)
        self._pending[future] = chunk
        future.add_done_callback(self._ended.put)

    def outcomes(self, timeout: float) -> list[Outcome]:
        """See `Engine.outcomes`."""
        try:
            future = self._ended.get(timeout=timeout)
        except queue.Empty:
            return []
        chunk = self._pending.pop(future)
        if future.status == "finished":
            return [(chunk, future.result(), "")]
        from distributed.scheduler import KilledWorker

        error = future.exception() if future.status == "error" else None
        if error is None or isinstance(error, KilledWorker):
            return [(chunk, None, "its Dask workers died" if error else "")]
        if isinstance(error, HeadgateError):
            raise error
        raise HeadgateError(f"the cluster's workers cannot run headgate: {type(error).__name__}: {error}")

    def drain(self, patience: float) -> list[Outcome]:
        """See `Engine.drain`: it waits for chunks that have started."""
        running = {key for keys in self._client.processing().values() for key in keys}
        for future in [f for f in self._pending if f.key not in running]:
            future.cancel()
        out: list[Outcome] = []
        end = time.monotonic() + patience
        while self._pending and (left := end - time.monotonic()) > 0:
            out += self.outcomes(left)
        self.close()
        return out

    def close(self) -> None:
        """See `Engine.close`."""
        for future in self._pending:
            future.cancel()
        self._pending.clear()
        self._client.close()
        if self._cluster is not None:
            self._cluster.close()
