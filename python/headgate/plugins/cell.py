"""The program of processes in which flow controls run alone: each reads calls, answers them, and may do nothing else.

The first is a template, which runs nothing of a user's. Its copies, one for a flow, give up what they could harm or find out with before
the file is run: files, sockets, other programs, and on Linux every system call but those that memory and the two ends of its pipe need.
Modules that it may import are loaded before.
"""

from __future__ import annotations

import builtins as _builtins
import ctypes
import gc
import io
import json
import os
import random
import signal
import socket
import struct
import sys
import time
import types
import warnings
from typing import Any, NoReturn

from .. import _core
from . import answers, calls, define, guard, registry, sandbox, template
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
    """Is the template: makes copies of itself, each of which serves the calls of one flow control, until nobody asks any more."""
    _settle()
    pipe = socket.socket(fileno=0)
    # What the file prints is nobody's answer.
    silent = _Silent()
    for name in ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__"):
        setattr(sys, name, silent)
    calls.leave_alone()
    # A warning would look for the line that it is about, in a file.
    warnings.simplefilter("ignore")
    modules = _modules()
    # The first copy has to be as the last one, also in what decides when memory is collected and where objects lie.
    gc.disable()
    gc.collect()
    gc.freeze()
    copies: set[int] = set()
    dying: set[int] = set()
    own = os.getpid()
    while True:
        asked, given, *_ = socket.recv_fds(pipe, template.ASKED.size, 2)
        if len(asked) < template.ASKED.size:
            break
        what, number = template.ASKED.unpack(asked)
        if what == template.COPY:
            try:
                answer = os.fork()
            except OSError:
                answer = -1
            if answer == 0:
                _copy(pipe, given, own, modules)
            for descriptor in given:
                os.close(descriptor)
            if answer > 0:
                copies.add(answer)
        else:
            answer = 0
            if number in copies and what == template.KILL:
                # Its number is not another's before it is waited for, and nobody waits for that.
                os.kill(number, signal.SIGKILL)
                dying.add(number)
            elif number in copies:
                answer = _ended(number)
            copies.discard(number)
        dying = {number for number in dying if not os.waitpid(number, os.WNOHANG)[0]}
        pipe.send(template.ANSWERED.pack(answer))
    for number in copies:
        os.kill(number, signal.SIGKILL)
    os._exit(0)


def _settle() -> None:
    """Starts this program again at places in memory that are the same each time, where the system permits it.

    The order of a set of objects whose hash values are their places is the same then, too.
    """
    if sys.platform != "linux":
        return
    personality = ctypes.CDLL(None).personality
    now = personality(0xFFFFFFFF)
    if now != -1 and not now & _NO_RANDOM_PLACES and personality(now | _NO_RANDOM_PLACES) != -1:
        os.execv(sys.executable, sys.orig_argv)


#: ADDR_NO_RANDOMIZE of personality(2).
_NO_RANDOM_PLACES = 0x0040000

#: Seconds that a copy which has closed its pipe has to end.
_GRACE_S = 2.0


def _ended(number: int) -> int:
    """Waits for the end of a copy; its exit code, less than 0 for a signal."""
    deadline = time.monotonic() + _GRACE_S
    while True:
        if time.monotonic() > deadline:
            os.kill(number, signal.SIGKILL)
            return os.waitstatus_to_exitcode(os.waitpid(number, 0)[1])
        found, status = os.waitpid(number, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)


def _copy(asks: socket.socket, given: list[int], parent: int, modules: dict[str, Any]) -> NoReturn:
    """Serves the calls of one flow control, and ends."""
    try:
        asks.detach()
        for own, descriptor in enumerate(given):
            os.dup2(descriptor, own)
            os.close(descriptor)
        sandbox.die_with(parent)
        gc.collect()
        gc.enable()
        _serve(_Pipe(), modules)
    finally:
        os._exit(0)


def _serve(pipe: _Pipe, modules: dict[str, Any]) -> None:
    (length,) = struct.unpack("<I", pipe.read(4))
    given = json.loads(pipe.read(length))
    # Python reads the file's lines for a syntax error or a warning about one. Nothing of the file is run before the filter is there.
    try:
        code = compile(given["source"], given["file"], "exec", dont_inherit=True)
    except BaseException as e:
        pipe.fault(e)
        return
    sandbox.enter(0, 1, given["memory"])
    try:
        found = _load(given, code, modules)
        if not given["name"]:
            plain = [{k: v for k, v in told.items() if k != "read"} for told, _ in found.values()]
            pipe.answer(json.dumps(plain).encode())
            return
        described, make = found[given["name"]]
        complete = described["read"](given["values"])
        if not isinstance(complete, str):
            path, value, expected = complete
            raise ValueError(f"{path}: {f'found {value}; ' if value else ''}{expected}")
        served = make(complete)
        pipe.answer(complete.encode())
        _core.serve_cell(served)
    except BaseException as e:
        pipe.fault(e)


class _Silent(io.TextIOBase):
    """Takes what is printed."""

    def write(self, text: str) -> int:
        return len(text)


class _Pipe:
    """Both ends: standard input and output, which nothing else uses."""

    def read(self, count: int) -> bytes:
        data = os.read(0, count)
        while len(data) < count:
            part = os.read(0, count - len(data))
            if not part:
                # The run is over.
                os._exit(0)
            data += part
        return data

    def answer(self, body: bytes, status: int = 0) -> None:
        view = memoryview(answers.HEAD.pack(status, len(body)) + body)
        while view:
            view = view[os.write(1, view) :]

    def fault(self, error: BaseException) -> None:
        said = ": ".join(filter(None, (type(error).__name__, str(error))))
        if isinstance(error, SyntaxError):
            said = (
                f"line {error.lineno}: expected Python; {error.msg}"
                if error.lineno
                else f"expected Python; {error.msg}"
            )
        self.answer(said[: answers.FAULT].encode("utf-8", "replace"), 1)


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

    told, make, _ = define.described_control("trial", Trial)
    make(told["read"]("{}"))
    told["read"]('{"number": 3}')
    loaded = {name: importlib.import_module(name) for name in ALLOWED}
    # What some function of theirs draws without a seed of its own is the same each time.
    random.seed(0)
    return {name: guard.seen(module) for name, module in loaded.items()}


def _load(
    given: dict[str, Any], code: types.CodeType, modules: dict[str, Any]
) -> dict[str, tuple[dict[str, Any], Any]]:
    """Runs the file; of each flow control what it is, and what makes it."""
    found: dict[str, tuple[dict[str, Any], Any]] = {}

    def control(name: str, **options: Any) -> Any:
        def define_it(cls: Any) -> Any:
            told, make, made = define.described_control(name, cls, **options)
            found[name] = (told, make)
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
    file = registry.File(given["file"], "")
    with registry.reading(file):
        exec(code, scope)
    return found


def _no_discipline(*_: Any, **__: Any) -> Any:
    """Disciplines of the file are passed over."""
    return lambda cls: cls


#: Built-in functions that it has no use for.
_REFUSED = frozenset(
    {"open", "input", "breakpoint", "exec", "eval", "compile", "id", "hash", "globals", "vars", "help", "exit", "quit"}
)


if __name__ == "__main__":
    sys.exit("this program is started by headgate")
