"""Ctrl-C: whatever a command is doing, it ends with exit code 130 and the word `stopped`."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

#: The exit code of what Ctrl-C ended.
STOPPED = 130

#: Seconds after which Ctrl-C is tried again where it was lost.
AGAIN_S = 0.01

_asked = False
_said = False
_kept: BaseException | None = None


def asked() -> bool:
    """Whether Ctrl-C was pressed: a library may have turned it into another exception."""
    return _asked


def said() -> bool:
    """Whether a command itself reported to the user that it was stopped."""
    return _said


def say() -> None:
    """Records that a command has reported to the user that it was stopped."""
    global _said
    _said = True


def keep(interrupt: BaseException) -> None:
    """Keeps the memory of an interrupted command until the process has ended: freeing it could take seconds."""
    global _kept
    _kept = interrupt


def end_at_once() -> None:
    """From here on Ctrl-C ends the process at once."""
    _set(_end)


@contextmanager
def loading() -> Iterator[None]:
    """While libraries are loaded, Ctrl-C ends the process at once: there is nothing to clean up, and a half-loaded library may lose it."""
    before = signal.getsignal(signal.SIGINT)
    end_at_once()
    try:
        yield
    finally:
        _set(before)


def interrupt() -> None:
    """From here on Ctrl-C raises KeyboardInterrupt, so that running code can clean up."""
    # Raised where Python throws exceptions away, as in a destructor, it would be lost.
    sys.unraisablehook = _unraisable
    global _asked, _said
    _asked = _said = False
    signal.signal(signal.SIGALRM, _raise)
    _set(_raise)


def ignore() -> None:
    """From here on Ctrl-C does nothing: the command has ended, and its exit code is known."""
    _set(signal.SIG_IGN)


def _set(handler: object) -> None:
    # A shell starts jobs in the background so that Ctrl-C does not reach them; it stays so.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, handler)  # type: ignore[arg-type]


def _end(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"stopped\n")
    os._exit(STOPPED)


def _raise(_number: int, _frame: FrameType | None) -> None:
    global _asked
    _asked = True
    raise KeyboardInterrupt


def _unraisable(args: UnraisableHookArgs) -> None:
    if issubclass(args.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    else:
        sys.__unraisablehook__(args)
