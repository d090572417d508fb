"""Ctrl-C and SIGTERM: whatever a command is doing, it ends with the word `stopped`, and with exit code 130 or 143.

What is said of Ctrl-C below holds for SIGTERM, too.
"""

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

#: What ends a command; the exit code is 128 more, as shells have it.
_ENDING = (signal.SIGINT, signal.SIGTERM)

#: Seconds after which Ctrl-C is tried again where it was lost.
AGAIN_S = 0.01

#: The number of the signal that came last; 0 if none did.
_asked = 0
_said = False
_kept: BaseException | None = None


def asked() -> bool:
    """Whether Ctrl-C was pressed: a library may have turned it into another exception."""
    return _asked > 0


def code() -> int:
    """The exit code of a command that was stopped: by which signal, says the last one that came."""
    return 128 + (_asked or signal.SIGINT)


def note(number: int) -> None:
    """Records a signal that other code has handled."""
    global _asked
    _asked = number


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
    global _asked, _said
    _asked, _said = 0, False
    signal.signal(signal.SIGALRM, _raise)
    _set(_raise)


def ignore() -> None:
    """From here on Ctrl-C does nothing: the command has ended, and its exit code is known."""
    _set(signal.SIG_IGN)


def _set(handler: object) -> None:
    for number in _ENDING:
        _set_one(number, handler)


def _set_one(number: int, handler: object) -> None:
    # A shell starts jobs in the background so that Ctrl-C does not reach them; it stays so.
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, handler)  # type: ignore[arg-type]


def _end(number: int, _frame: FrameType | None) -> None:
    os.write(2, b"stopped\n")
    os._exit(128 + number)


def _raise(number: int, _frame: FrameType | None) -> None:
    global _asked
    # The alarm stands for the signal that was lost.
    if number != signal.SIGALRM:
        _asked = number
    raise KeyboardInterrupt


def _unraisable(args: UnraisableHookArgs) -> None:
    if issubclass(args.exc_type, KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
    else:
        sys.__unraisablehook__(args)
