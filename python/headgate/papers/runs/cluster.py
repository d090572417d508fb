"""Runs of papers on a Dask cluster: in chunks of about a second, given back as bytes."""

from __future__ import annotations

import math
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from ... import _core
from ...base.build import build, short
from ...base.errors import HeadgateError
from ...base.memory import share
from ...base.parallel import Progress
from ...sweep.driver import CHUNK_S, DEATHS
from ...sweep.engines import Dask, Engine
from .packed import pack

T = TypeVar("T")

#: A job with its number.
Numbered = tuple[int, tuple[str, int | None, int]]

#: Runs of the first chunks, while the time of a run is not known.
FIRST = 4


@dataclass
class Done:
    """What a chunk gave: of each run its number, its result as bytes, and its processor seconds; the runs not come to; or an error."""

    runs: list[tuple[int, bytes, float]] = field(default_factory=list)
    left: tuple[Numbered, ...] = ()
    error: str = ""


@dataclass(frozen=True)
class Chunk:
    """Runs to do, the tables to give back of each, the seconds to spend, and the engine that the others use."""

    jobs: tuple[Numbered, ...]
    tables: tuple[str, ...]
    budget_s: float
    build: str


def run_chunk(chunk: Chunk) -> Done:
    """Does the runs of a chunk, until the time is over or one fails.

    Raises:
        HeadgateError: this is another build of headgate than the one that made the chunk.
    """
    if build() != chunk.build:
        raise HeadgateError(
            f"a worker has headgate {short(build())}; expected {short(chunk.build)}, the same build as here"
        )
    done, began = Done(), time.perf_counter()
    for i, (number, (text, seed, run)) in enumerate(chunk.jobs):
        if i and time.perf_counter() - began > chunk.budget_s:
            done.left = chunk.jobs[i:]
            break
        start = time.thread_time()
        try:
            result = _core.run(text, seed, run, _core.Control(share(None, os.cpu_count() or 1)))
        except _core.ScenarioError as e:
            return Done(error=str(e))
        cpu_s = time.thread_time() - start
        done.runs.append((number, pack(result, chunk.tables), cpu_s))
    return done


class Cluster:
    """A cluster at work for papers."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        """Takes the address of a Dask scheduler; without one, starts a cluster of processes on this machine.

        Raises:
            MissingExtraError: Dask is not installed.
            HeadgateError: no scheduler answers.
        """
        self._engine: Engine = Dask(address, workers, run_chunk)
        self._run_s = math.nan

    def close(self) -> None:
        """Stops at once."""
        self._engine.close()

    def run_all(
        self,
        jobs: Sequence[tuple[str, int | None, int]],
        take: Callable[[int, bytes, float], T],
        tables: Sequence[str],
        progress: Progress,
    ) -> list[T]:
        """As `run_all` of `work.py`; `take` is called here with the number of a job, its result as bytes, and processor seconds.

        Raises:
            HeadgateError: a run failed, or workers die of it.
        """
        waiting, results = deque[Numbered](enumerate(jobs)), dict[int, T]()
        #: Runs of chunks that were lost: each is tried alone.
        suspects, deaths = deque[Numbered](), Counter[int]()
        while len(results) < len(jobs):
            while self._engine.free() > 0 and (waiting or suspects):
                chosen = [suspects.popleft()] if suspects else self._next(waiting)
                self._engine.submit(Chunk(tuple(chosen), tuple(tables), CHUNK_S, build()))
            for chunk, done, how in self._engine.outcomes(0.1):
                if done is None:
                    if how:
                        for number, _ in chunk.jobs:
                            deaths[number] += 1
                            if deaths[number] >= DEATHS:
                                raise HeadgateError(f"workers died {DEATHS} times in the same run ({how})")
                    suspects.extend(chunk.jobs)
                    continue
                if done.error:
                    raise HeadgateError(done.error)
                waiting.extendleft(reversed(done.left))
                for number, data, cpu_s in done.runs:
                    results[number] = take(number, data, cpu_s)
                    self._run_s = cpu_s if math.isnan(self._run_s) else 0.9 * self._run_s + 0.1 * cpu_s
            progress(len(results) / len(jobs), len(results), len(jobs))
        return [results[n] for n in range(len(jobs))]

    def _next(self, waiting: deque[Numbered]) -> list[Numbered]:
        """The runs of the next chunk: about a second of work, and something for every worker."""
        fair = math.ceil(len(waiting) / (2 * self._engine.workers()))
        guess = FIRST if math.isnan(self._run_s) else math.ceil(CHUNK_S / max(self._run_s, 1e-6))
        return [waiting.popleft() for _ in range(max(1, min(guess, fair)))]
