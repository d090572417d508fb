"""Runs on threads of this process, without the interpreter's lock: progress, stop, bounds on their memory and their number."""

from __future__ import annotations

import json
import os
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from .. import _core
from ..base import memory
from ..base.resolved import Resolved
from ..results.results import Results
from ..scenario.effects import warnings
from ..scenario.scenario import Scenario
from .engine import run
from .page_scenario import prepared, shorter
from .replays.run import replayed
from .replays.settings import Settings
from .setup import Setup
from .stacked_backlog import paths, views_of
from .store import Finished, KeptRuns
from .wire import TOLD, RequestError, StoppedError

#: Runs that may wait for a thread.
WAITING = 64

#: How often a run's rows are in memory: in the engine and as its tables, and then as those and as the lines of the views.
COPIES = 2

#: Seconds after which the first part of a long run is computed, and seconds that this may take.
FIRST_S, PART_S = 0.06, 0.03

#: Default limits in bytes: of all runs together, and of the finished runs that are kept.
MEMORY, KEPT = 4_000_000_000, 600_000_000


@dataclass
class Job:
    """A requested run."""

    tab: str
    control: _core.Control
    #: Called from the run's thread when there is something to report.
    wake: Callable[[], None]
    started: float = 0.0
    stopped: bool = False
    #: Number of the replication.
    number: int = 0
    part: Finished | None = None
    future: Future[Finished] = field(default_factory=Future)
    controls: list[_core.Control] = field(default_factory=list)

    def stop(self) -> None:
        """Stops the run at its next check, or before it starts."""
        self.stopped = True
        self.future.cancel()
        self.control.stop()
        for control in list(self.controls):
            control.stop()

    @property
    def share(self) -> float:
        """Share of the simulated time that has passed."""
        return self.control.share


def allowed(max_memory: str | int | None) -> int:
    """Bytes that all work of a server may take together.

    Raises:
        HeadgateError: `max_memory` is no size.
    """
    return min(memory.of_machine() // 2, MEMORY) if max_memory is None else memory.share(max_memory, 1)


class Runs:
    """All runs of a server."""

    def __init__(self, max_memory: str | int | None = None, at_a_time: int | None = None, taken: int = 0) -> None:
        """Makes the pools of threads.

        `max_memory` limits all runs together, including those that are kept; the default is half of the machine's memory and at most
        4 GB. `taken` is how many of these bytes something else uses.
        """
        whole = max(allowed(max_memory) - taken, 1)
        self.at_a_time = max(1, at_a_time or os.cpu_count() or 1)
        self.store = KeptRuns(min(whole // 4, KEPT))
        #: Limits in bytes of all work at a time, and of each piece of it: there may be as many queries about runs as runs, and one check.
        self.most_bytes = max(whole * 3 // 4 // COPIES, 1)
        self.most = max(self.most_bytes // (2 * self.at_a_time + 1), 1)
        self._pool = ThreadPoolExecutor(self.at_a_time, "run")
        self._parts = ThreadPoolExecutor(self.at_a_time, "part")
        # Queries about the last run, such as its packets, have their own threads, so that they do not delay the next run.
        self._queries = ThreadPoolExecutor(self.at_a_time, "look")
        # Checks that the user did not request run one at a time, so that the other processors are free for requests.
        self._checks = ThreadPoolExecutor(1, "check")
        self._lock = threading.RLock()
        self._tabs: dict[str, Job] = {}
        self._jobs: set[int] = set()

    def start(
        self,
        setup: Setup,
        seed: int | None,
        tab: str,
        wake: Callable[[], None] = lambda: None,
        number: int = 0,
    ) -> Job:
        """Starts a run and stops the last one of the same tab. `number` is that of the replication.

        Raises:
            RequestError: too many runs wait.
        """
        job = Job(tab, _core.Control(self.most), wake, number=number)
        with self._lock:
            before = self._tabs.get(tab)
            if before is not None:
                # A run that still waits frees its place in the queue at once.
                before.stop()
            self._require_place()
            self._tabs[tab] = job
            self._jobs.add(id(job))
            job.future = self._pool.submit(self._work, job, setup, seed)
        # Job and future do not refer to each other: objects in a circle stay in memory until the garbage collector runs.
        job.future.add_done_callback(partial(self._ended, tab, id(job), wake))
        return job

    def call(
        self, work: Callable[[_core.Control], Any], wake: Callable[[], None] = lambda: None, unasked: bool = False
    ) -> tuple[_core.Control, Future[Any]]:
        """Starts other long work, on threads of its own, with a control that stops it; `unasked` work runs one piece at a time.

        Raises:
            RequestError: too many runs wait.
        """
        control = _core.Control(self.most)
        with self._lock:
            self._require_place()
            self._jobs.add(id(control))
            future = (self._checks if unasked else self._queries).submit(work, control)
        future.add_done_callback(partial(self._ended, "", id(control), wake))
        return control, future

    def _require_place(self) -> None:
        if len(self._jobs) >= self.at_a_time + WAITING:
            raise RequestError(503, f"{WAITING} runs wait already; expected fewer: try again when some are done")

    def close(self) -> None:
        """Stops all runs, without waiting for their end."""
        with self._lock:
            for job in self._tabs.values():
                job.stop()
        for pool in (self._pool, self._queries, self._checks, self._parts):
            pool.shutdown(wait=False, cancel_futures=True)

    def _ended(self, tab: str, number: int, wake: Callable[[], None], _: object) -> None:
        with self._lock:
            self._jobs.discard(number)
            if tab in self._tabs and id(self._tabs[tab]) == number:
                del self._tabs[tab]
        wake()

    def _work(self, job: Job, setup: Setup, seed: int | None) -> Finished:
        if job.stopped:
            raise StoppedError
        job.started = time.perf_counter()
        if isinstance(setup, Settings):
            settings = setup if seed is None else setup.with_(seed=seed)
            found = self.replay(settings, job.control, partial(self._shown, job))
        else:
            found = self._simulated(job, setup, seed)
        self.store.put(found)
        with suppress(RuntimeError):
            # It runs on another thread, since nothing waits for it. After the end of the server there is no such thread.
            self._parts.submit(memory.give_back)
        return found

    def replay(
        self, settings: Settings, control: _core.Control, first: Callable[[Finished], None] = lambda part: None
    ) -> Finished:
        """A replay to its end, on this thread.

        Raises:
            StoppedError: the control stopped it.
        """
        return replayed(settings, control, self.most * COPIES, first)

    def _shown(self, job: Job, part: Finished) -> None:
        """Keeps the first part of a long run, and notifies the stream of progress."""
        self.store.put(part)
        job.part = part
        job.wake()

    def _simulated(self, job: Job, scenario: Scenario, seed: int | None) -> Finished:
        ready = prepared(scenario)
        note = None
        timer = threading.Timer(FIRST_S, self._start_part, (job, scenario, ready, seed))
        timer.daemon = True
        timer.start()
        try:
            try:
                result = run(ready, seed, job.control, job.number)
            except _core.ScenarioError:
                # The scenario itself is valid, so the error is that the rows would take too much memory.
                note = "Only intervals and drops are shown: the other traces would take more memory than a run may."
                ready = prepared(scenario, few=True)
                job.control = _core.Control(self.most)
                if job.stopped:
                    raise StoppedError from None
                result = run(ready, seed, job.control, job.number)
        finally:
            timer.cancel()
            for control in job.controls:
                control.stop()
        found = finished(scenario, ready, result, time.perf_counter() - job.started, note)
        del result
        return found

    def _start_part(self, job: Job, scenario: Scenario, ready: Scenario, seed: int | None) -> None:
        """Runs the first part of a long run beside the run itself, so that the page can show it early."""
        passed = time.perf_counter() - job.started
        share = job.share
        if job.stopped or share >= 0.4:
            return
        if share <= 0 and passed < 1:
            timer = threading.Timer(0.02, self._start_part, (job, scenario, ready, seed))
            timer.daemon = True
            timer.start()
            return
        control = _core.Control(self.most)
        job.controls.append(control)

        def work() -> None:
            started = time.perf_counter()
            part, _ = shorter(ready, share * PART_S / passed)
            whole = _core.quantity(ready.data["duration"])[2]
            try:
                found = finished(
                    scenario, part, run(part, seed, control, job.number), time.perf_counter() - started, None, whole
                )
            except (StoppedError, *TOLD):
                # The whole run will give the same error, or the result.
                return
            self._shown(job, found)

        self._parts.submit(work)


def finished(
    scenario: Scenario,
    as_run: Scenario,
    result: _core.RunResult,
    seconds: float,
    note: str | None,
    whole_s: float | None = None,
) -> Finished:
    """What is kept of a run: the lines of its views and its summary; the engine's rows are freed.

    `whole_s`: the duration of the whole run, if this is its first part.
    """
    results = Results([result])
    whole = Resolved(json.loads(result.scenario), result)
    until = _core.quantity(whole["duration"])[2]
    flows, ports = results.flows["flow"].tolist(), results.links["link"].tolist()
    shown = views_of(result, until, _core.busiest(result))
    before, lines = paths(result.table)
    name = secrets.token_hex(8)
    done = {
        "run": name,
        "digest": result.digest,
        "seed": result.seed,
        "replication": result.run,
        "events": result.events,
        "duration": until if whole_s is None else whole_s,
        "until": until,
        "seconds": seconds,
        "note": note,
        "noise": whole.engine.noise(),
        **json.loads(_core.summary(result, warnings(whole, whole_s), whole_s)),
        "network": json.loads(whole.engine.picture()),
        "views": [view.head() for view in shown],
    }
    return Finished(
        name,
        dict(scenario.data),
        dict(as_run.data),
        result.seed,
        ports,
        flows,
        until,
        done,
        shown,
        before,
        lines,
        number=result.run,
    )
