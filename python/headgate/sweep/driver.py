"""The loop of a study: gives chunks to an engine, stores their results, and ends properly whatever happens."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.memory import share
from .arrow import pyarrow, texts, to_arrow
from .engines import Engine, Outcome
from .plan import Plan, Run
from .store import Store
from .work import Chunk, Done
from .worker_values import Watched, tables_of, values_of

if TYPE_CHECKING:
    import pyarrow as pa

#: Called with (runs done, runs in all as far as is known, runs that failed).
Progress = Callable[[int, int, int], None]

#: A run that ended its worker this number of times has failed.
DEATHS = 3

#: Seconds that a chunk takes at first, which a crash can lose.
CHUNK_S = 1.0

#: Seconds that workers have to return finished runs.
PATIENCE = 30.0


class Interrupted(KeyboardInterrupt):
    """Ctrl-C or SIGTERM, after finished runs had been stored; `number` is that of the signal."""

    def __init__(self, number: int) -> None:
        """Takes the number of the signal."""
        super().__init__()
        self.number = number


class Driver:
    """One study that is run."""

    def __init__(
        self,
        engine: Engine,
        store: Store,
        plan: Plan,
        text: Callable[[int], str],
        keys: Sequence[str],
        seed: int,
        metric: Watched | None,
        progress: Progress | None,
        most: int | None = None,
    ) -> None:
        """`text` gives the scenario of a variant as JSON, `keys` have the variants' keys; all workers together may take `most` bytes."""
        self._engine, self._store, self._plan = engine, store, plan
        self._text, self._keys, self._seed, self._metric = text, keys, seed, metric
        self._progress, self._most = progress, most
        self._number = 0
        self._run_s = math.nan
        self._deaths: Counter[Run] = Counter()
        #: Runs of a chunk that was lost, in smaller chunks: one of them may be what ends workers.
        self._suspects: deque[list[Run]] = deque()
        self._began = time.monotonic()
        self.done = self.failed = 0

    def run(self, stopped: Callable[[], int]) -> bool:
        """Works until the plan is done (True) or the study is to stop (False)."""
        pending = 0
        while not stopped():
            while self._engine.free() > 0 and (runs := self._next()):
                self._engine.submit(self._chunk(runs))
                pending += 1
            if not pending:
                return True
            outcomes = self._engine.outcomes(0.1)
            pending -= len(outcomes)
            self._collect(outcomes)
        outcomes = self._engine.drain(PATIENCE)
        self._collect([o for o in outcomes if o[1] is not None])
        return False

    def _next(self) -> list[Run]:
        if self._suspects:
            return self._suspects.popleft()
        left = max(1, self._plan.total - self.done - self.failed)
        fair = math.ceil(left / (2 * self._engine.workers()))
        guess = 20 if math.isnan(self._run_s) else math.ceil(self._budget() / max(self._run_s, 1e-6))
        return self._plan.next(max(1, min(guess, fair, 20_000)))

    def _budget(self) -> float:
        """Seconds of a chunk: few at first; later more, so that a long study is a few thousand files and not a million."""
        elapsed = time.monotonic() - self._began
        return min(max(CHUNK_S, elapsed * self._engine.workers() / 2000), 60.0)

    def _chunk(self, runs: list[Run]) -> Chunk:
        self._number += 1
        texts = {v: self._text(v) for v in {v for v, _ in runs}}
        most = None if self._most is None else share(self._most, self._engine.workers())
        return Chunk(self._number, runs, texts, self._seed, self._budget(), most)

    def _collect(self, outcomes: list[Outcome]) -> None:
        for chunk, done, how in outcomes:
            if done is None:
                done = self._lost(chunk, how)
            self._record(chunk, done)

    def _lost(self, chunk: Chunk, how: str) -> Done:
        """A chunk whose worker was lost: halves of it are tried again, a single run a few times."""
        done = Done(chunk.number)
        if not how:
            done.left = chunk.runs
        elif len(chunk.runs) > 1:
            half = len(chunk.runs) // 2
            self._suspects += [chunk.runs[:half], chunk.runs[half:]]
        else:
            (run,) = chunk.runs
            self._deaths[run] += 1
            if self._deaths[run] < DEATHS:
                self._suspects.append(chunk.runs)
            else:
                done.failures.append((*run, f"its worker died {DEATHS} times in this run ({how})"))
        return done

    def _record(self, chunk: Chunk, done: Done) -> None:
        self._plan.put_back(done.left)
        if not done.runs and not done.failures:
            return
        gathered = tables_of(done)
        values = None if self._metric is None else values_of(self._metric, done, gathered)
        self._store.write_chunk(tables(done, gathered, values, chunk.texts, self._keys, self._seed))
        self.done += len(done.runs)
        self.failed += len(done.failures)
        for run, value in zip(done.runs, values or [math.nan] * len(done.runs), strict=True):
            self._plan.record(run, value)
        for variant, replication, _ in done.failures:
            self._plan.record((variant, replication), math.nan)
        each = done.wall_s / max(1, len(done.runs) + len(done.failures))
        self._run_s = each if math.isnan(self._run_s) else 0.7 * self._run_s + 0.3 * each
        if self._progress is not None:
            self._progress(self.done, self._plan.total, self.failed)


def tables(
    done: Done,
    gathered: dict[str, dict[str, Any]],
    values: Sequence[float] | None,
    scenarios: dict[int, str],
    keys: Sequence[str],
    seed: int,
) -> dict[str, pa.Table]:
    """The rows of a chunk as they are stored."""
    from .rows import derived

    pa = pyarrow()
    runs = np.array(done.runs, dtype=np.int64).reshape(-1, 2)
    n = len(runs)
    key: dict[str, Any] = {"variant": runs[:, 0], "replication": runs[:, 1], "seed": np.full(n, seed, dtype=np.uint64)}
    counts: dict[str, Any] = {
        "key": (np.arange(n), [keys[v] for v, _ in done.runs]),
        "digest": (np.arange(n), done.digests),
        "events": np.array(done.events, dtype=np.int64),
    }
    if values:
        counts["value"] = np.array(values, dtype=np.float64)
    out = {"runs": pa.table({k: to_arrow(v) for k, v in {**key, **counts}.items()})}
    for name in ("flows", "links"):
        lengths = done.lengths[name]
        columns = derived(name, gathered[name]) if n else {}
        repeated = {k: np.repeat(v, lengths) for k, v in key.items()}
        after = {"digest": (np.repeat(np.arange(n), lengths), done.digests)}
        out[name] = pa.table({k: to_arrow(v) for k, v in {**repeated, **columns, **after}.items()})
    # What differs from one execution to the next is in a table of its own, so that all other tables are equal to the byte.
    times = {"variant": runs[:, 0], "replication": runs[:, 1], "cpu_s": np.array(done.cpu_s, dtype=np.float64)}
    out["times"] = pa.table({k: to_arrow(v) for k, v in times.items()})
    out["failures"] = failures([(v, k, error, scenarios[v]) for v, k, error in done.failures], seed)
    return out


def failures(rows: list[tuple[int, int, str, str]], seed: int) -> pa.Table:
    """The table of failures: (variant, replication, error, scenario as JSON)."""
    n = len(rows)
    return pyarrow().table(
        {
            "variant": to_arrow(np.array([r[0] for r in rows], dtype=np.int64)),
            "replication": to_arrow(np.array([r[1] for r in rows], dtype=np.int64)),
            "seed": to_arrow(np.full(n, seed, dtype=np.uint64)),
            "error": texts([r[2] for r in rows]),
            "scenario": texts([r[3] for r in rows]),
        }
    )


@contextmanager
def interrupts(report: Callable[[str], None]) -> Iterator[Callable[[], int]]:
    """The first Ctrl-C or SIGTERM requests a stop: from then on, the given function returns the signal's number, and 0 before.

    Twice is KeyboardInterrupt at once.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    received: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        received.append(number)
        if len(received) > 1:
            # The earlier handler of Ctrl-C is restored.
            if callable(ctrl_c):
                ctrl_c(number, frame)
            raise KeyboardInterrupt
        report("stopping: what is finished is being stored; Ctrl-C again stops at once")

    ctrl_c = signal.getsignal(signal.SIGINT)
    # A job in the background is started so that Ctrl-C does not reach it.
    numbers = [n for n in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(n) is not signal.SIG_IGN]
    old = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield lambda: received[0] if received else 0
    finally:
        for number, previous in old.items():
            signal.signal(number, previous)
