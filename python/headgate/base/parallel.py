"""Independent runs side by side: one thread to a run, results in the order of the jobs whatever the number of threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from .. import _core
from .memory import share

T = TypeVar("T")

#: Called with (share done of all runs, from 0 to 1; runs completed; runs in all).
Progress = Callable[[float, int, int], None]

#: Called with (number of the replication; name of a table; its next rows as columns of the engine), from several threads.
OnRows = Callable[[int, str, Mapping[str, Any]], object]

#: Runs that are submitted for each thread: the one that runs and those that wait.
AHEAD = 8


def run_once(text: str, seed: int | None = None, run: int = 0) -> _core.RunResult:
    """Makes one run, which may take the memory that all work of this process may.

    Raises:
        ScenarioError: the scenario is wrong, or the run took more memory.
    """
    return _core.run(text, seed, run, _core.Control(share(None, 1)))


def run_all(
    jobs: Sequence[tuple[str, int | None, int]],
    convert: Callable[[int, _core.RunResult], T],
    threads: int | None = None,
    progress: Progress | None = None,
    max_memory: str | int | None = None,
    on_rows: OnRows | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> list[T]:
    """Runs jobs and gives what `convert` made of each result, in their order.

    Args:
        jobs: (scenario as JSON text, seed or None for the scenario's own, number of the replication).
        convert: called in the worker with the job's number and its result.
        threads: how many at a time; all processors unless given.
        progress: called in the caller's thread several times a second.
        max_memory: that all runs at a time may take together; three quarters of the machine's unless given.
        on_rows: receives the rows of tables that grow with a run; they are kept in memory unless it is given.
        meanwhile: called once, while the first jobs run; the runs do not hold the interpreter.

    Raises:
        ScenarioError: a scenario is wrong, or a run took more memory than it may.
        KeyboardInterrupt: Ctrl-C; the runs end soon, but this function does not wait for them.
    """
    at_a_time = min(threads or os.cpu_count() or 1, max(len(jobs), 1))
    most = share(max_memory, at_a_time)
    controls = [_core.Control(most) for _ in jobs]
    results: dict[int, T] = {}

    def work(number: int) -> T:
        text, seed, run = jobs[number]
        rows = None if on_rows is None else partial(on_rows, run)
        return convert(number, _core.run(text, seed, run, controls[number], rows))

    pool = ThreadPoolExecutor(at_a_time)
    try:
        # Each wait checks all runs that were submitted: no more than keep the threads busy.
        later, pending = iter(range(len(jobs))), dict[Future[T], int]()
        while len(results) < len(jobs):
            for number in islice(later, AHEAD * at_a_time - len(pending)):
                pending[pool.submit(work, number)] = number
            if meanwhile is not None:
                meanwhile()
                meanwhile = None
            for future in wait(pending, timeout=0.1, return_when=FIRST_COMPLETED).done:
                results[pending.pop(future)] = future.result()
            if progress is not None:
                share_done = len(results) + sum(controls[i].share for i in pending.values())
                progress(share_done / len(jobs), len(results), len(jobs))
    finally:
        # Incomplete runs end soon by themselves; nothing waits for them, since freeing millions of flows takes seconds.
        for control in controls:
            control.stop()
        pool.shutdown(wait=False, cancel_futures=True)
    return [results[i] for i in range(len(jobs))]
