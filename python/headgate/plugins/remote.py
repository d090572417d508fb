"""Flow controls of a file that runs in a process of its own: the engine's side.

The file is never run in this process. Each flow has a process, which knows nothing but the calls that it gets; `cell.py` is its program,
and `crates/python/src/plugin/cell.rs` hands the calls over while a run goes on.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import sys
import time
import weakref
from collections.abc import Iterator
from functools import cache
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from ..base.memory import share
from . import answers, guard, registry
from .load import Entry
from .template import Template, TemplateError, template

#: Seconds in which a process has to load the file and be ready, in which it has to answer a call, and which all answers of a flow may take
#: together. Each is for the whole answer, however many pieces it comes in.
READY_S = 30.0
ANSWER_S = 10.0
RUN_S = 900.0

#: Bytes of memory that the processes of all flows of a run may have together, beside what headgate itself takes, and that each has at
#: least.
TOGETHER, LEAST = 2_000_000_000, 16_000_000

#: Flows whose processes have that memory at a time.
MOST = TOGETHER // LEAST

#: Bytes that all processes may have together, that each of the next ones may, and that those which are there may.
_together, _each, _given = TOGETHER, TOGETHER, 0


def divide(flows: int) -> None:
    """The processes of the next run share the memory of all: so many flows are there at a time."""
    global _together, _each
    _together = min(TOGETHER, share(None, 1))
    _each = max(_together // max(flows, 1), LEAST)


def _take() -> int:
    """The bytes that a further process may have.

    Raises:
        CellError: those that are there have all of them.
    """
    global _given
    # One alone has what it needs at least.
    if _given and _given + _each > _together:
        raise CellError(
            f"expected at most {max(_together // _each, 1)} flows at a time with a control of a file: their processes may have "
            f"{_together / 1e9:.3g} GB together"
        )
    _given += _each
    return _each


def _give_back(taken: int) -> None:
    global _given
    _given -= taken


class CellError(Exception):
    """A flow control in a process of its own failed."""


class ControlProcess:
    """A process with the classes of a file."""

    def __init__(self, entry: Entry, name: str = "", values: str = "") -> None:
        """Starts it: to describe what the file has, or as the flow control `name` with these parameters.

        Raises:
            CellError: it cannot be started.
        """
        if isinstance(entry, str):
            raise HeadgateError(f"found {cut(entry)}; expected a file in Python")
        if sys.platform == "win32":
            raise HeadgateError("a file in a process of its own needs Linux or macOS; expected --trusted")
        self._memory = _take()
        try:
            with guard.ours():
                self._pipes, theirs = _pipes()
            try:
                self._template = template()
                self._number = self._template.copy(*theirs.ends)
            except TemplateError as e:
                self._pipes.close()
                raise CellError(str(e)) from None
            finally:
                theirs.close()
        except BaseException:
            _give_back(self._memory)
            raise
        self._end = weakref.finalize(self, _end, self._template, self._number, self._pipes, self._memory)
        text = json.dumps(
            {"file": entry["name"], "source": entry["source"], "name": name, "values": values, "memory": self._memory}
        ).encode()
        self._request = struct.pack("<I", len(text)) + text

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def descriptors(self) -> tuple[int, ...]:
        """Hands over the pipes to it and from it, which are nobody else's from then on."""
        return self._pipes.detach()

    def described(self) -> list[dict[str, Any]]:
        """What the file has, as far as it can be.

        Raises:
            CellError: it cannot be loaded, or says what cannot be.
        """
        with _believed_by_nobody():
            return answers.described(self._ask())

    def complete(self, names: frozenset[str]) -> str:
        """The complete parameters, which have these names. Waits until the object is there.

        Raises:
            CellError: it cannot be made.
        """
        with _believed_by_nobody():
            return answers.complete(self._ask(), names)

    def ended(self) -> str:
        """How it ended, once its pipe is closed."""
        if not self._end.detach():
            return "its process was ended"
        _give_back(self._memory)
        self._pipes.close()
        try:
            code = self._template.end(self._number, kill=False)
        except TemplateError as e:
            return str(e)
        if code == -31:
            return "its process was ended: it asked the operating system for something that it may not have (a file, a socket ...)"
        return f"its process ended with {f'signal {-code}' if code < 0 else f'code {code}'}"

    def _ask(self) -> bytes:
        """Hands over what it is to do, and gives the body of its answer."""
        deadline = time.monotonic() + READY_S
        with guard.ours():
            view = memoryview(self._request)
            while view:
                self._wait([], [self._pipes.ends[0]], deadline)
                try:
                    view = view[os.write(self._pipes.ends[0], view) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise CellError(self.ended()) from None
            status, length = answers.HEAD.unpack(self._read(answers.HEAD.size, deadline))
            if length > answers.LONGEST or status > 1:
                self.close()
                raise CellError("its process wrote something else than answers")
            body = self._read(length, deadline)
        if status:
            raise CellError(body.decode("utf-8", "replace")[: answers.FAULT])
        return body

    def _read(self, count: int, deadline: float) -> bytes:
        data = b""
        while len(data) < count:
            self._wait([self._pipes.ends[1]], [], deadline)
            try:
                part = os.read(self._pipes.ends[1], count - len(data))
            except BlockingIOError:
                continue
            except OSError:
                part = b""
            if not part:
                raise CellError(self.ended())
            data += part
        return data

    def _wait(self, read: list[int], write: list[int], deadline: float) -> None:
        """Until one of them is ready, or the time for this answer is over."""
        left = deadline - time.monotonic()
        if left <= 0 or not any(select.select(read, write, [], left)):
            self.close()
            raise CellError(f"it was not ready within {READY_S:g} s")


class _Pipes:
    """Descriptors of one end each of the pipe of requests and of that of answers."""

    def __init__(self, requests: int, answers: int) -> None:
        self.ends: tuple[int, ...] = (requests, answers)

    def detach(self) -> tuple[int, ...]:
        """Gives them away."""
        ends, self.ends = self.ends, ()
        return ends

    def close(self) -> None:
        for end in self.detach():
            os.close(end)


def _pipes() -> tuple[_Pipes, _Pipes]:
    """Our ends and those of a process. One that does not read is no reason to wait."""
    try:
        read, write = os.pipe()
        try:
            answers, answering = os.pipe()
        except OSError:
            os.close(read)
            os.close(write)
            raise
    except OSError as e:
        raise CellError(f"the system has no further pipe; {e.strerror or e}") from None
    os.set_blocking(write, False)
    os.set_blocking(answers, False)
    return _Pipes(write, answers), _Pipes(read, answering)


def _end(of: Template, number: int, pipe: _Pipes, memory: int) -> None:
    _give_back(memory)
    # It may be ended, or forgotten, while the engine calls a plugin.
    with guard.ours(), contextlib.suppress(TemplateError):
        pipe.close()
        of.end(number)


@contextlib.contextmanager
def _believed_by_nobody() -> Iterator[None]:
    """What it says is checked; what cannot be is a fault."""
    try:
        yield
    except answers.SaidError as e:
        raise CellError(f"its process says what cannot be: {e}") from None


def register(entry: Entry) -> list[str]:
    """Registers the flow controls of a file; they run in processes of their own. Gives their names.

    Raises:
        HeadgateError: the file cannot be loaded, or has no flow control.
    """
    place = cut(entry if isinstance(entry, str) else entry["name"])
    try:
        with contextlib.closing(ControlProcess(entry)) as cell:
            described = cell.described()
    except CellError as e:
        raise HeadgateError(f"{place}: {e}") from None
    if not described:
        raise HeadgateError(f"{place}: expected @headgate.control(...) at a class")
    for one in described:
        _add(entry, one)
    return [str(one["name"]) for one in described]


def _add(entry: Entry, one: dict[str, Any]) -> None:
    name, names = str(one["name"]), answers.parameters(one)

    # Every flow of every scenario asks, and the answer is the same.
    @cache
    def read(text: str) -> Any:
        try:
            with contextlib.closing(ControlProcess(entry, name, text)) as cell:
                return cell.complete(names)
        except CellError as e:
            return "", None, str(e)

    def factory(values: str) -> ControlProcess:
        cell = ControlProcess(entry, name, values)
        cell.complete(names)
        return cell

    shown = registry.Described(name, one["source"], one["summary"], one["schema"], one["defaults"], read)

    def add() -> None:
        options = (one["calls"], one["every"], one["ecn"], one["rate_samples"], ANSWER_S, RUN_S)
        _core.register_cells(shown, factory, *options)

    registry.add(name, "control", add)
