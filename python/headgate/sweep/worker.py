"""The program of a local worker: takes jobs from a pipe, each with what does it, and gives back what that made of them."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from ..base.errors import HeadgateError
from ..base.memory import limit_to
from .work import Failed, Switch, run_chunk

#: A job and what does it, what is wrong with one that came, or None at the end.
Job = tuple[Callable[..., Any], Any] | Exception | None


def main(handle: int, driver: int, most: int) -> None:
    """Works until the driver closes the pipe or has ended; its runs may take so many bytes of memory."""
    limit_to(most)
    switch = Switch()
    # The driver handles Ctrl-C; SIGTERM requests the finished runs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, switch.set)
    threading.Thread(target=watch, args=(driver,), daemon=True).start()
    pipe: Connection = Connection(handle)
    jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, jobs), daemon=True).start()
    while (job := jobs.get()) is not None:
        try:
            pipe.send(_done(job, switch))
        except OSError:
            return
        if switch.on:
            return


def _done(job: tuple[Callable[..., Any], Any] | Exception, switch: Switch) -> object:
    """What became of a job. What is wrong in it is for the driver, which raises it; no traceback of a worker is of use to anybody."""
    try:
        if isinstance(job, Exception):
            raise job
        work, given = job
        return work(given, switch) if work is run_chunk else work(given)
    except HeadgateError as e:
        return e
    except Exception as e:
        return Failed(f"{type(e).__name__}: {e}")


def _receive(pipe: Connection, jobs: queue.SimpleQueue[Job]) -> None:
    """Reads jobs from the pipe at once: if both ends waited for the other to read, they would wait forever."""
    try:
        while True:
            try:
                jobs.put(pipe.recv())
            except (AttributeError, ImportError, pickle.UnpicklingError) as e:
                jobs.put(e)
    except (EOFError, OSError):
        jobs.put(None)


def watch(driver: int) -> None:
    """Ends this process soon after the driver has ended, although a run may need hours."""
    while os.getppid() == driver:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
