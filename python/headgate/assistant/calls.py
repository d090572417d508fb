"""One call of a tool: what it may touch, how long it may take, and what is told of its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..base.errors import HeadgateError, cut
from ..base.folders import resolved, within


class Stopped(BaseException):
    """The call was cancelled, or took too long: nothing waits for its answer. No handler of errors takes it for one."""


@dataclass(frozen=True)
class CallLimits:
    """What the user allows to all calls.

    Attributes:
        folders: in which files may be read.
        code: whether the code that a call names may run.
        seconds: that a call may take.
        site: address of the page that links open; empty for links without one.
    """

    folders: tuple[Path, ...] = ()
    code: bool = False
    seconds: float = 300.0
    site: str = ""

    def file(self, name: str, place: str) -> Path:
        """A file that a call names: it lies in a folder that is allowed. A relative name is looked for in each of them.

        Raises:
            HeadgateError: it lies elsewhere; the error does not say whether it exists.
        """
        if not self.folders:
            raise HeadgateError(
                f"{place}: found {cut(repr(name))}; expected no file: none may be read unless the server is started with --allow-path DIR"
            )
        folders = resolved(self.folders[0], self.folders[1:])
        first: HeadgateError | None = None
        for folder in folders:
            try:
                found = within(folder, name, folders, place)
            except HeadgateError as e:
                first = first or e
                continue
            if found.exists():
                return found
        if first is not None:
            raise first
        return within(folders[0], name, folders, place)


@dataclass
class Call:
    """A call.

    Attributes:
        limits: what it may do.
        tell: is given the share done and what is done, several times a second.
        cancelled: set once nobody waits for the answer.
        began: when.
    """

    limits: CallLimits
    tell: Callable[[float, str], object] | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    began: float = field(default_factory=time.monotonic)

    def start(self) -> None:
        """Its time begins now."""
        self.began = time.monotonic()

    def check(self) -> None:
        """Raises if the call is to end.

        Raises:
            Stopped: it is.
        """
        if self.cancelled.is_set() or time.monotonic() - self.began > self.limits.seconds:
            raise Stopped

    @contextmanager
    def told(self, what: str) -> Iterator[Callable[..., None]]:
        """What is called with the progress of some work, which ends there once the call is to end."""
        self.check()

        def callback(share: float, *_: Any) -> None:
            self.check()
            if self.tell is not None and share == share:
                self.tell(min(max(share, 0.0), 1.0), what)

        yield callback
