"""Progress reports of long work: a stream of lines that ends with the result or an error."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from typing import Any

from .runs import Job
from .wire import TOLD, StoppedError, fault, line, unforeseen

#: Seconds between two reports of progress.
REPORT_S = 0.1


class Notifier:
    """Wakes the loop of the server from another thread."""

    def __init__(self) -> None:
        """Makes a notifier for the event loop that runs now."""
        self._event, self._loop = asyncio.Event(), asyncio.get_running_loop()

    def __call__(self) -> None:
        """Notifies the loop. It may be called from any thread."""
        # The loop is closed when the server ends.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._event.set)

    async def wait(self) -> None:
        """Waits until there is something new, or it is time for a report."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._event.wait(), REPORT_S)
        self._event.clear()


async def of_run(job: Job, notifier: Notifier) -> AsyncIterator[bytes]:
    """The lines of a run: progress, perhaps its first part, and its end."""
    shown = False
    while not job.future.done():
        await notifier.wait()
        if job.future.done():
            break
        if job.part is not None and not shown:
            shown = True
            yield line({"preview": job.part.done})
        yield line({"progress": job.share})
    yield ended(job.future, lambda found: found.done)


async def of_work(future: Future[Any], share: Callable[[], float], notifier: Notifier) -> AsyncIterator[bytes]:
    """The lines of other work."""
    while not future.done():
        await notifier.wait()
        if not future.done():
            yield line({"progress": share()})
    yield ended(future, lambda found: found)


def ended(future: Future[Any], done: Callable[[Any], Any]) -> bytes:
    """The last line: the result, or the error."""
    stopped = {"error": {"message": "The run was stopped.", "path": None, "line": None}}
    if future.cancelled():
        return line(stopped)
    e = future.exception()
    if e is None:
        return line({"done": done(future.result())})
    if isinstance(e, StoppedError):
        return line(stopped)
    if isinstance(e, TOLD):
        return line(fault(e))
    if isinstance(e, MemoryError):
        return line({"error": {"message": "No memory is left for this run.", "path": None, "line": None}})
    # The answer has begun: its last line is all that the page can still be told by.
    return line(unforeseen("a run", e))
