"""The program of a process in which a flow control runs alone: it reads calls, answers them, and may do nothing else.

Before the file is run, the process gives up what it could harm or find out with: files, sockets, other programs, and on Linux every system
call but those that memory and its two pipes need. Modules that it may import are loaded before.
"""

from __future__ import annotations

import builtins as _builtins
import collections
import json
import os
import struct
import sys
import types
from typing import Any

from . import calls, define, frames, guard, registered, sandbox
from .parameters import Duration, Rate, Size, parameter

#: Modules that the file may import.
ALLOWED = [
    "abc",
    "bisect",
    "cmath",
    "collections",
    "collections.abc",
    "copy",
    "dataclasses",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "math",
    "numbers",
    "operator",
    "random",
    "statistics",
    "string",
    "typing",
    "__future__",
]


def main() -> None:
    """Serves the calls of one flow control."""
    requests, answers = os.dup(0), os.dup(1)
    # What the file prints is nobody's answer.
    calls.leave_alone()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)
    pipe = _Pipe(requests, answers)
    (length,) = struct.unpack("<I", pipe.read(4))
    given = json.loads(pipe.read(length))
    modules = _modules()
    sandbox.enter(requests, answers)
    try:
        found = _load(given, modules)
        if not given["name"]:
            plain = [{k: v for k, v in said.items() if k != "read"} for said, _ in found.values()]
            pipe.answer(json.dumps(plain).encode())
            return
        described, make = found[given["name"]]
        complete = described["read"](given["values"])
        if not isinstance(complete, str):
            path, value, expected = complete
            raise ValueError(f"{path}: {f'found {value}; ' if value else ''}{expected}")
        served = make(complete)
    except BaseException as e:
        pipe.fault(e)
        return
    pipe.answer(complete.encode())
    try:
        _serve(pipe, served)
    except BaseException as e:
        pipe.fault(e)


class _Pipe:
    """Both ends."""

    def __init__(self, requests: int, answers: int) -> None:
        self._requests, self._answers = requests, answers

    def read(self, count: int) -> bytes:
        data = os.read(self._requests, count)
        while len(data) < count:
            part = os.read(self._requests, count - len(data))
            if not part:
                # The run is over.
                os._exit(0)
            data += part
        return data

    def answer(self, body: bytes, status: int = 0) -> None:
        os.write(self._answers, frames.HEAD.pack(status, len(body)) + body)

    def fault(self, error: BaseException) -> None:
        self.answer(f"{type(error).__name__}: {error}"[:1000].encode("utf-8", "replace"), 1)


def _modules() -> dict[str, Any]:
    """The modules that the file may import, as it sees them; and all that is loaded on first use is loaded."""
    import importlib

    class Trial:
        """A flow control with everything that a class may have."""

        number: float = parameter(1.0, min=0, max=2, doc="A number.")
        time: Duration = parameter("5ms")
        size: Size = parameter("1B")
        pace: Rate = parameter("1Mbit/s")

        def on_ack(self, ack: Any) -> None:
            """Nothing."""

    said, make, _ = define.described_control("trial", Trial)
    make(said["read"]("{}"))
    said["read"]('{"number": 3}')
    loaded = {name: importlib.import_module(name) for name in ALLOWED}
    return {name: guard.seen(module) for name, module in loaded.items()}


def _load(given: dict[str, Any], modules: dict[str, Any]) -> dict[str, tuple[dict[str, Any], Any]]:
    """Runs the file; of each flow control what it is, and what makes it."""
    found: dict[str, tuple[dict[str, Any], Any]] = {}

    def control(name: str, **options: Any) -> Any:
        def define_it(cls: Any) -> Any:
            said, make, made = define.described_control(name, cls, **options)
            found[name] = (said, make)
            return made

        return define_it

    own = types.SimpleNamespace(Duration=Duration, Rate=Rate, Size=Size, parameter=parameter)
    facade = types.SimpleNamespace(control=control, discipline=_no_discipline, parameter=parameter, plugins=own)
    modules = {**modules, "headgate": facade, "headgate.plugins": own}

    def imported(name: str, _scope: Any = None, _local: Any = None, fromlist: Any = (), level: int = 0) -> Any:
        if level or name not in modules:
            raise ImportError(f"{name}: a flow control that is judged may import {', '.join(ALLOWED)} and headgate")
        return modules[name] if fromlist or "." not in name else modules[name.partition(".")[0]]

    names = {k: v for k, v in vars(_builtins).items() if k not in _REFUSED}
    scope = {"__builtins__": {**names, "__import__": imported}, "__name__": "plugin", "__file__": given["file"]}
    file = registered.File(given["file"], "")
    with registered.reading(file):
        exec(compile(given["source"], given["file"], "exec", dont_inherit=True), scope)
    return found


def _no_discipline(*_: Any, **__: Any) -> Any:
    """Disciplines of the file are passed over."""
    return lambda cls: cls


#: Built-in functions that it has no use for.
_REFUSED = frozenset(
    {"open", "input", "breakpoint", "exec", "eval", "compile", "id", "hash", "globals", "vars", "help", "exit", "quit"}
)


class _Ack:
    """An acknowledgement, with the names of `headgate.Ack`."""

    __slots__ = (*frames.WHOLE, *frames.TRUTH, *frames.NUMBERS)

    def __init__(self, values: tuple[Any, ...]) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)

    def copy(self) -> _Ack:
        return self


_Loss = collections.namedtuple("_Loss", "now kind in_flight remaining again")
_Sent = collections.namedtuple("_Sent", "seq at in_flight delivered lost")


def _serve(pipe: _Pipe, served: Any) -> None:
    while True:
        operation = pipe.read(1)[0]
        _perform(served, operation, pipe.read(frames.LENGTHS[operation]))
        window, rate = served.window, served.rate
        flags = (window is None) | (rate is None) << 1
        numbers = (window or 0.0, rate or 0.0, served.burst, bool(served.in_slow_start), flags)
        pipe.answer(frames.ANSWER.pack(*numbers))


def _perform(served: Any, operation: int, body: bytes) -> None:
    if operation == frames.ACK:
        served.on_ack(_Ack(frames.read_ack(body)))
    elif operation == frames.LOSS:
        served.on_loss(_Loss(*frames.read_loss(body)))
    elif operation == frames.SEED:
        served.on_seed(frames.read_seed(body))
    else:
        numbers = frames.read_simple(body)
        if operation == frames.START:
            served.on_start(int(numbers[0]))
        elif operation == frames.SENT:
            served.on_packet_sent(numbers[0], int(numbers[1]), numbers[2] != 0)
        elif operation == frames.LOST:
            now, seq, at, *counts = numbers
            served.on_packet_lost(now, _Sent(int(seq), at, *map(int, counts)))
        elif operation == frames.IDLE:
            served.on_idle("halved" if numbers[0] else "initial", int(numbers[1]), int(numbers[2]))
        elif operation == frames.UNDO:
            served.on_undo()


if __name__ == "__main__":
    sys.exit("this program is started by headgate")
