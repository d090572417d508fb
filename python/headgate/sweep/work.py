"""The work of a worker: a chunk of runs, one after the other, with their rows collected.

A chunk is plain data in and plain data out: any scheduler can run it anywhere, as long as headgate of the same version is
installed there. The worker needs neither files nor pyarrow nor numpy, so that it has started in a few hundredths of a second; what
follows from its columns, `worker_values.py` adds.
"""

from __future__ import annotations

import time
from array import array
from dataclasses import dataclass, field
from typing import Any

from .. import __version__, _core
from ..base.errors import HeadgateError
from ..base.memory import of_worker

#: A chunk is returned when its tables reach this number of rows.
MOST_ROWS = 500_000


@dataclass(frozen=True)
class Chunk:
    """Runs to do: `runs` are (variant, replication), `texts` the scenarios of the variants as JSON."""

    number: int
    runs: list[tuple[int, int]]
    texts: dict[int, str]
    seed: int
    budget_s: float
    #: Bytes of memory that a run may take; a part of the worker's machine unless given.
    most: int | None = None
    version: str = __version__


@dataclass
class Done:
    """The results of a chunk: a row per run that succeeded, the tables of all of them, failures, and the runs that were not started.

    A column is an array of numbers, a list of names, or a pair (array of codes, names). `routes` has the hops of a run of each
    variant, numbers of 64 bits, `stretches` how its links and paths change (see `RunResult.stretches`).
    """

    number: int
    runs: list[tuple[int, int]] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    events: list[int] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    lengths: dict[str, list[int]] = field(default_factory=lambda: {"flows": [], "links": []})
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    routes: dict[int, dict[str, bytes]] = field(default_factory=dict)
    stretches: dict[int, list[_core.Stretch]] = field(default_factory=dict)
    failures: list[tuple[int, int, str]] = field(default_factory=list)
    left: list[tuple[int, int]] = field(default_factory=list)
    wall_s: float = 0.0


class Failed:
    """A job that ended by an exception which nobody expected."""

    def __init__(self, how: str) -> None:
        """Takes the exception's text."""
        self.how = how


class StopError(BaseException):
    """Raised inside a run that is to be abandoned."""


class Switch:
    """Requests that a worker returns what it has: `set` may be called from a signal handler in the middle of a run."""

    def __init__(self) -> None:
        self.on = False
        self._running = False

    def set(self, *_: object) -> None:
        """Ends the present run, if there is one, and the chunk."""
        # A batch system may send the signal to every process, and then the driver sends it once more.
        again, self.on = self.on, True
        if self._running and not again:
            raise StopError

    def __enter__(self) -> None:
        """Records that a run begins which may be abandoned."""
        if self.on:
            raise StopError
        self._running = True

    def __exit__(self, *_: object) -> None:
        """Records that it ended."""
        self._running = False


def run_chunk(chunk: Chunk, switch: Switch | None = None) -> Done:
    """Does the runs of a chunk, until its time is over; a run that fails is recorded, the others continue.

    Raises:
        HeadgateError: this is another version of headgate than the one that made the chunk.
    """
    if chunk.version != __version__:
        raise HeadgateError(f"a worker has headgate {__version__}; expected {chunk.version}, as in the study")
    switch = switch or Switch()
    most = of_worker() if chunk.most is None else chunk.most
    done, batch, rows = Done(chunk.number), _core.Batch(most), 0
    routes: dict[str, bytes] = {}
    began = time.perf_counter()
    for i, (variant, replication) in enumerate(chunk.runs):
        if i and (time.perf_counter() - began > chunk.budget_s or rows > MOST_ROWS):
            done.left = chunk.runs[i:]
            break
        start = time.thread_time()
        try:
            with switch:
                _ready(chunk.texts[variant])
                digest, events, flows, links = batch.run(chunk.texts[variant], chunk.seed, replication)
        except StopError:
            done.left = chunk.runs[i:]
            break
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as e:
            # A panic of the engine is no Exception, and no reason to lose the study.
            done.failures.append((variant, replication, f"{type(e).__name__}: {e}"))
            continue
        done.cpu_s.append(time.thread_time() - start)
        if variant not in done.routes:
            # Most variants have those of the one before, which are sent once.
            found = {k: memoryview(v).tobytes() for k, v in batch.routes().items()}
            routes = done.routes[variant] = routes if found == routes else found
            done.stretches[variant] = batch.stretches()
        done.runs.append((variant, replication))
        done.digests.append(digest)
        done.events.append(events)
        done.lengths["flows"].append(flows)
        done.lengths["links"].append(links)
        rows += flows + links
    for name in ("flows", "links"):
        # A run that was abandoned at its very end has left rows, the last ones.
        rows = sum(done.lengths[name])
        done.tables[name] = {k: _plain(v, rows) for k, v in batch.take(name).items()}
    done.wall_s = time.perf_counter() - began
    return done


def _ready(text: str) -> None:
    """Loads the plugins of a scenario, if it has any, and the flow control `process`."""
    if '"plugins"' in text or '"process"' in text:
        from .. import plugins

        plugins.ensure_text(text)


def _plain(column: Any, rows: int) -> Any:
    """The first rows of a column as plain data."""
    if isinstance(column, list):
        return column[:rows]
    if isinstance(column, tuple):
        return _numbers(column[0])[:rows], column[1]
    return _numbers(column)[:rows]


def _numbers(column: Any) -> array[Any]:
    numbers = memoryview(column)
    out: array[Any] = array(numbers.format)
    out.frombytes(numbers.cast("B"))
    return out
