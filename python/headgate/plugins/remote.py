"""Flow controls of a file that runs in a process of its own: the engine's side.

The file is never run in this process. Each flow has a process, which knows nothing but the calls that it gets; `cell.py` is its program.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import struct
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut
from . import frames, guard, registered, said
from .load import Entry

#: Seconds in which a process has to load the file and be ready, in which it has to answer a call, and which all answers of a flow may take
#: together. Each is for the whole answer, however many pieces it comes in.
READY_S = 30.0
ANSWER_S = 10.0
RUN_S = 900.0

#: Longest text of a fault.
FAULT = 1000


class CellError(Exception):
    """A flow control in a process of its own failed."""


class ControlProcess:
    """A process with the classes of a file."""

    def __init__(self, entry: Entry, name: str = "", values: str = "") -> None:
        """Starts it: to describe what the file has, or as the flow control `name` with these parameters."""
        if isinstance(entry, str):
            raise HeadgateError(f"found {cut(entry)}; expected a file in Python")
        self._process = subprocess.Popen(
            # Isolated, but for the one variable below, which -I and -E would not let through: sets have the same order in each run.
            [sys.executable, "-s", "-S", "-P", "-c", _PROGRAM, json.dumps(_paths())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PYTHONHASHSEED": "0"},
            cwd="/",
            start_new_session=True,
            close_fds=True,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin.fileno(), self._process.stdout.fileno()
        # One that does not read is no reason to wait.
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._waited = 0.0
        self._end = weakref.finalize(self, _end, self._process)
        text = json.dumps({"file": entry["name"], "source": entry["source"], "name": name, "values": values}).encode()
        self._first = struct.pack("<I", len(text)) + text

    def close(self) -> None:
        """Ends the process."""
        self._end()

    def described(self) -> list[dict[str, Any]]:
        """What the file has, as far as it can be.

        Raises:
            CellError: it cannot be loaded, or says what cannot be.
        """
        with _believed_by_nobody():
            return said.described(self._ask(self._first, READY_S))

    def complete(self, names: frozenset[str]) -> str:
        """The complete parameters, which have these names. Waits until the object is there.

        Raises:
            CellError: it cannot be made.
        """
        with _believed_by_nobody():
            return said.complete(self._ask(self._first, READY_S), names)

    def call(self, request: bytes) -> tuple[float | None, float | None, float, bool]:
        """A call; what is allowed from then on.

        Raises:
            CellError: it failed.
        """
        body = self._ask(request, ANSWER_S)
        if self._waited > RUN_S:
            self.close()
            raise CellError(f"its answers took more than {RUN_S:g} s together")
        with _believed_by_nobody():
            return frames.read_answer(body)

    def _ask(self, request: bytes, seconds: float) -> bytes:
        """Hands over a request and gives the body of its answer."""
        began = time.monotonic()
        deadline = began + seconds
        if select.select([self._out], [], [], 0)[0]:
            # It would answer what it was not asked; or it has ended, and the pipe says so.
            if os.read(self._out, 1):
                self.close()
                raise CellError("its process answered before it was asked")
            raise CellError(self._ended())
        self._send(request, deadline, seconds)
        status, length = frames.HEAD.unpack(self._read(frames.HEAD.size, deadline, seconds))
        if length > frames.LONGEST or status > 1:
            self.close()
            raise CellError("its process wrote something else than answers")
        body = self._read(length, deadline, seconds)
        self._waited += time.monotonic() - began
        if status:
            raise CellError(body.decode("utf-8", "replace")[:FAULT])
        return body

    def _send(self, data: bytes, deadline: float, seconds: float) -> None:
        view = memoryview(data)
        while view:
            self._wait([], [self._in], deadline, seconds)
            try:
                view = view[os.write(self._in, view) :]
            except BlockingIOError:
                continue
            except OSError:
                raise CellError(self._ended()) from None

    def _read(self, count: int, deadline: float, seconds: float) -> bytes:
        data = b""
        while len(data) < count:
            self._wait([self._out], [], deadline, seconds)
            try:
                part = os.read(self._out, count - len(data))
            except BlockingIOError:
                continue
            if not part:
                raise CellError(self._ended())
            data += part
        return data

    def _wait(self, read: list[int], write: list[int], deadline: float, seconds: float) -> None:
        """Until one of them is ready, or the time for this answer is over."""
        left = deadline - time.monotonic()
        if left <= 0 or not any(select.select(read, write, [], left)):
            self.close()
            raise CellError(f"it did not answer within {seconds:g} s")

    def _ended(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(2)
            if code == -31:
                return "its process was ended: it asked the operating system for something that it may not have (a file, a socket ...)"
            return f"its process ended with code {code}"
        return "its process closed its pipe"


def _end(process: subprocess.Popen[bytes]) -> None:
    # It may be ended, or forgotten, while the engine calls a plugin.
    before = getattr(guard.own, "on", False)
    guard.own.on = True
    try:
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        process.wait()
    finally:
        guard.own.on = before


def _paths() -> list[str]:
    """Where the process finds headgate and the libraries that it needs, in this order."""
    package = str(Path(__file__).resolve().parents[2])
    return [package, *(path for path in sys.path if path and path != package)]


_PROGRAM = "import sys, json; sys.path[:0] = json.loads(sys.argv[1]); from headgate.plugins import cell; cell.main()"


@contextlib.contextmanager
def _believed_by_nobody() -> Iterator[None]:
    """What it says is checked; what cannot be is a fault."""
    try:
        yield
    except said.SaidError as e:
        raise CellError(f"its process says what cannot be: {e}") from None


class _Proxy:
    """A flow control whose object is in another process."""

    window: float | None = None
    rate: float | None = None
    burst: float = 1
    in_slow_start: bool = False

    def __init__(self, cell: ControlProcess) -> None:
        self._cell = cell

    def _take(self, answer: tuple[float | None, float | None, float, bool]) -> None:
        self.window, self.rate, self.burst, self.in_slow_start = answer

    def on_start(self, window: int) -> None:
        self._take(self._cell.call(frames.simple(frames.START, window)))

    def on_seed(self, seed: int) -> None:
        self._take(self._cell.call(frames.seed(seed)))

    def on_ack(self, ack: Any) -> None:
        self._take(self._cell.call(frames.ack(ack)))

    def on_loss(self, loss: Any) -> None:
        self._take(self._cell.call(frames.loss(loss)))

    def on_packet_sent(self, now: float, in_flight: int, app_limited: bool) -> None:
        self._take(self._cell.call(frames.simple(frames.SENT, now, in_flight, app_limited)))

    def on_packet_lost(self, now: float, packet: Any) -> None:
        values = (now, packet.seq, packet.at, packet.in_flight, packet.delivered, packet.lost)
        self._take(self._cell.call(frames.simple(frames.LOST, *values)))

    def on_idle(self, rule: str, initial: int, timeouts: int) -> None:
        self._take(self._cell.call(frames.simple(frames.IDLE, rule == "halved", initial, timeouts)))

    def on_undo(self) -> None:
        self._take(self._cell.call(frames.simple(frames.UNDO)))


def register(entry: Entry) -> list[str]:
    """Registers the flow controls of a file; they run in processes of their own. Gives their names.

    Raises:
        HeadgateError: the file cannot be loaded, or has no flow control.
    """
    place = cut(entry if isinstance(entry, str) else entry["name"])
    cell = ControlProcess(entry)
    try:
        described = cell.described()
    except CellError as e:
        raise HeadgateError(f"{place}: {e}") from None
    finally:
        cell.close()
    if not described:
        raise HeadgateError(f"{place}: expected @headgate.control(...) at a class")
    for one in described:
        _add(entry, one)
    return [str(one["name"]) for one in described]


def _add(entry: Entry, one: dict[str, Any]) -> None:
    name, names = str(one["name"]), said.parameters(one)

    # Every flow of every scenario asks: a process for each would take longer than the runs.
    @cache
    def read(text: str) -> Any:
        cell = ControlProcess(entry, name, text)
        try:
            return cell.complete(names)
        except CellError as e:
            return "", None, str(e)
        finally:
            cell.close()

    def factory(values: str) -> _Proxy:
        guard.own.on = True
        try:
            cell = ControlProcess(entry, name, values)
            cell.complete(names)
        finally:
            guard.own.on = False
        return _Proxy(cell)

    shown = registered.Described(name, one["source"], one["summary"], one["schema"], one["defaults"], read)

    def add() -> None:
        _core.register_control(shown, factory, one["calls"], [], one["every"], one["ecn"], one["rate_samples"])

    registered.add(name, "control", add)
