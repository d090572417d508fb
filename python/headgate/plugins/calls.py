"""Calls and loading of plugins: what has no end is ended, and errors say where in the plugin they came from."""

from __future__ import annotations

import ctypes
import os
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .. import _core
from ..base.errors import HeadgateError

#: Seconds that a call may take.
_limit = 10.0

_lock = threading.Lock()
_watching = False

#: Seconds between two looks.
_PERIOD = 0.25

#: Seconds that a file may take until it is loaded, with all that it imports.
LOAD_S = 60.0

#: Threads whose calls wait for something outside of the run.
_waiting: set[int] = set()

#: Threads that load a file, and since when.
_loading: dict[int, float] = {}


class CallTooLongError(Exception):
    """A call of a plugin took longer than it may."""


def set_limit(seconds: float) -> None:
    """How long a call of a plugin may take, in seconds of real time; 10 unless set.

    A call within the C code of another library is not ended.

    Raises:
        HeadgateError: no time above zero.
    """
    global _limit
    if not 0 < seconds < 1e9:
        raise HeadgateError(f"limit: found {seconds}; expected seconds above 0")
    _limit = float(seconds)


def leave_alone() -> None:
    """Nothing looks after calls in this process: somebody else does."""
    global _watching
    _watching = True


def watch() -> None:
    """Looks after calls from now on."""
    global _watching
    with _lock:
        if not _watching:
            _watching = True
            threading.Thread(target=_look, name="headgate-plugin-calls", daemon=True).start()


@contextmanager
def waiting() -> Iterator[None]:
    """The call of this thread may take as long as it has to meanwhile, as when it waits for an agent; afterwards its time begins anew."""
    thread = threading.get_ident()
    _waiting.add(thread)
    try:
        yield
    finally:
        _waiting.discard(thread)


@contextmanager
def loading() -> Iterator[None]:
    """A file is loaded by this thread meanwhile, which is ended after `LOAD_S`."""
    watch()
    thread = threading.get_ident()
    before = _loading.get(thread)
    # What a file that is loaded loads in turn has no time of its own.
    _loading.setdefault(thread, time.monotonic())
    try:
        yield
    finally:
        if before is None:
            _loading.pop(thread, None)


def _look() -> None:
    since: dict[tuple[int, int], float] = {}
    while True:
        time.sleep(min(_PERIOD, _limit / 4))
        now = time.monotonic()
        for thread, began in list(_loading.items()):
            if now - began > LOAD_S and thread in _loading:
                _loading[thread] = now
                _end(thread, _too_long("loading it", LOAD_S))
        since = {call: since.get(call, now) for call in _core.plugin_calls() if call[0] not in _waiting}
        for (thread, call), began in list(since.items()):
            if now - began > _limit:
                # The call may have ended meanwhile: the exception then has nothing to end.
                if thread not in _waiting and (thread, call) in _core.plugin_calls():
                    _end(thread, _too_long("the call", _limit))
                since[thread, call] = now


def _end(thread: int, error: type[Exception]) -> None:
    """Raises an exception in another thread, once that is in Python code."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _too_long(what: str, limit: float) -> type[Exception]:
    """An exception class whose instances, which Python makes without arguments, say what happened."""

    class TooLongError(CallTooLongError):
        def __init__(self, *_: object) -> None:
            super().__init__(f"{what} took more than {limit:g} s")

    TooLongError.__name__ = "CallTooLongError"
    return TooLongError


def last_line(error: BaseException, file: str) -> str:
    """Where in a file an exception came from, as `, line 12`; empty if it did not come from there."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f", line {lines[-1]}" if lines else ""


#: The files of headgate itself, whose lines say nothing to who wrote a plugin.
_OURS = str(Path(__file__).resolve().parents[1]) + os.sep


def _own(error: BaseException) -> traceback.TracebackException | None:
    """The traceback of a plugin's own exception, without the lines of headgate; None if none of the plugin's are left."""
    cause = error.__cause__
    if cause is None:
        return None
    found = traceback.TracebackException(type(cause), cause, cause.__traceback__)
    frames = [frame for frame in found.stack if not frame.filename.startswith(_OURS)]
    found.stack = traceback.StackSummary.from_list(frames)
    return found if frames else None


def story(error: BaseException) -> str:
    """The traceback of a plugin's own exception, without headgate's lines; empty if there is none, as where a program failed."""
    found = _own(error)
    return "" if found is None else "".join(found.format(chain=False)).rstrip()


def place(error: BaseException) -> str:
    """The line of a plugin at which it failed, as `mine.py, line 12`; empty if it has none."""
    found = _own(error)
    return "" if found is None else f"{Path(found.stack[-1].filename).name}, line {found.stack[-1].lineno}"
