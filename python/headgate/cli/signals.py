"""Ctrl-C and SIGTERM: whatever a command is doing, it ends with the word `stopped`, and with exit code 130 or 143.

All of this holds for SIGTERM as it does for Ctrl-C.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

#: What ends a command; the exit code is 128 more, as shells have it.
_ENDING = (signal.SIGINT, signal.SIGTERM)

#: Seconds after which Ctrl-C is tried again where it was lost.
AGAIN_S = 0.01

#: The number of the last signal; 0 if there was none.
_signal = 0
_reported = False
_kept: BaseException | None = None


def interrupted() -> bool:
    """Whether Ctrl-C was pressed: a library may have replaced it by another exception."""
    return _signal > 0


def code() -> int:
    """The exit code of a command that was stopped, by the last signal."""
    return 128 + (_signal or signal.SIGINT)


def note(number: int) -> None:
    """Records a signal that other code has handled."""
    global _signal
    _signal = number


def reported() -> bool:
    """Whether a command itself reported to the user that it was stopped."""
    return _reported


def mark_reported() -> None:
    """Records that a command has reported to the user that it was stopped."""
    global _reported
    _reported = True


def keep(interrupt: BaseException) -> None:
    """Keeps the memory of an interrupted command until the process has ended: freeing it could take seconds."""
    global _kept
    _kept = interrupt


def end_at_once() -> None:
    """From here on Ctrl-C ends the process at once."""
    _set(_end)


@contextmanager
def loading() -> Iterator[None]:
    """While libraries are loaded, Ctrl-C ends the process at once: there is nothing to clean up, and a half-loaded library may lose it.

    In a thread other than the main one, to which no signal comes, nothing changes.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = [signal.getsignal(number) for number in _ENDING]
    end_at_once()
    try:
        yield
    finally:
        for number, handler in zip(_ENDING, before, strict=True):
            _set_one(number, handler)


def interrupt() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt, so that running code can clean up."""
    # Raised where Python throws exceptions away, as in a destructor, it would be lost.
    sys.unraisablehook = _unraisable
    global _signal, _reported
    _signal, _reported = 0, False
    signal.signal(signal.SIGALRM, _raise)
    _set(_raise)


def ignore() -> None:
    """From here on Ctrl-C does nothing: the command has ended, and its exit code is known."""
    _set(signal.SIG_IGN)


def _set(handler: object) -> None:
    for number in _ENDING:
        _set_one(number, handler)


def _set_one(number: int, handler: object) -> None:
    # A shell starts jobs in the background so that Ctrl-C does not reach them; this is kept.
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, handler)  # type: ignore[arg-type]


def _end(number: int, _frame: FrameType | None) -> None:
    os.write(2, b"stopped\n")
    os._exit(128 + number)


def _raise(number: int, _frame: FrameType | None) -> None:
    global _signal
    # The alarm replaces the signal that was lost.
    if number != signal.SIGALRM:
        _signal = number
    raise KeyboardInterrupt


def _unraisable(args: UnraisableHookArgs) -> None:
    if issubclass(args.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    else:
        sys.__unraisablehook__(args)
