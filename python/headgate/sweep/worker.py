"""The program of a local worker: takes chunks from a pipe and gives back their results."""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection

from ..base.errors import HeadgateError
from .work import Chunk, Switch, run_chunk


def main(handle: int, driver: int) -> None:
    """Works until the driver closes the pipe or has ended."""
    switch = Switch()
    # The driver handles Ctrl-C; SIGTERM requests the finished runs.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, switch.set)
    threading.Thread(target=_watch, args=(driver,), daemon=True).start()
    pipe: Connection = Connection(handle)
    chunks: queue.SimpleQueue[Chunk | None] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, chunks), daemon=True).start()
    while (chunk := chunks.get()) is not None:
        try:
            answer: object = run_chunk(chunk, switch)
        except HeadgateError as e:
            answer = e
        try:
            pipe.send(answer)
        except OSError:
            return
        if switch.on:
            return


def _receive(pipe: Connection, chunks: queue.SimpleQueue[Chunk | None]) -> None:
    """Reads chunks from the pipe at once: if both ends waited for the other to read, they would wait forever."""
    try:
        while True:
            chunks.put(pipe.recv())
    except (EOFError, OSError):
        chunks.put(None)


def _watch(driver: int) -> None:
    """Ends this process soon after the driver has ended, although a run may need hours."""
    while os.getppid() == driver:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
