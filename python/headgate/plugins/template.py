"""The process of which those are copies in which flow controls run that are not trusted: the side of whoever starts it.

It has loaded what such a process may import, and nothing of a user's. A copy of it is there in a thousandth of a second, where a program of
Python takes half a second to start: transfers need hundreds. `cell.py` is its program.
"""

from __future__ import annotations

import atexit
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from . import guard

#: What it is asked: a copy with the two descriptors that come along; the end of a copy, at once or once it has ended by itself; and
#: answers.
COPY, KILL, AWAIT = b"C", b"K", b"A"
ASKED = struct.Struct("<cq")
ANSWERED = struct.Struct("<q")

#: Copies that may be there at a time: each flow has one.
MOST = 1024

_PROGRAM = "import sys, json; sys.path[:0] = json.loads(sys.argv[1]); from headgate.plugins import cell; cell.main()"


class TemplateError(Exception):
    """It has ended, or cannot be started."""


class Template:
    """The process. It ends with this one, however that ends: its end of a pipe says so; and its copies end with it."""

    def __init__(self) -> None:
        """Starts it."""
        self.owner = os.getpid()
        self._lock = threading.Lock()
        self._copies = 0
        with guard.ours():
            self._pipe, theirs = socket.socketpair()
            with theirs:
                # Isolated, but for the one variable below, which -I and -E would not let through: texts have the same hash values in
                # each run. Ctrl-C in the terminal is for headgate alone.
                self._process = subprocess.Popen(
                    [sys.executable, "-s", "-S", "-P", "-c", _PROGRAM, json.dumps(_paths())],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={"PYTHONHASHSEED": "0"},
                    cwd="/",
                    start_new_session=True,
                    close_fds=True,
                )

    def copy(self, requests: int, answers: int) -> int:
        """A copy, which reads from the first of these descriptors and writes to the other one; gives its number.

        Raises:
            TemplateError: the process is not there, or has too many copies.
        """
        with self._lock:
            if self._copies >= MOST:
                raise TemplateError(f"expected at most {MOST} flows at a time with a control of a file")
            number = self._ask(COPY, 0, (requests, answers))
            if number <= 0:
                raise TemplateError("the system starts no further process")
            self._copies += 1
            return number

    def end(self, number: int, kill: bool = True) -> int:
        """Kills a copy, which ends soon; or waits a moment until it has ended by itself: its exit code, less than 0 for a signal."""
        with self._lock:
            self._copies -= 1
            return self._ask(KILL if kill else AWAIT, number)

    def close(self) -> None:
        """Ends it, with all copies."""
        with guard.ours():
            self._pipe.close()
            if self.owner == os.getpid():
                self._process.wait()

    def _ask(self, what: bytes, number: int, given: Sequence[int] = ()) -> int:
        with guard.ours():
            try:
                socket.send_fds(self._pipe, [ASKED.pack(what, number)], given)
                answer = self._pipe.recv(ANSWERED.size, socket.MSG_WAITALL)
            except OSError as e:
                raise TemplateError(f"the process of which all are copies has ended; {e.strerror or e}") from None
            if len(answer) < ANSWERED.size:
                raise TemplateError("the process of which all are copies has ended")
            return int(ANSWERED.unpack(answer)[0])


_template: Template | None = None
_starting = threading.Lock()


def template() -> Template:
    """That of this process."""
    global _template
    with _starting:
        # One that another process has started, of which this one is a fork, is not ours to ask.
        if _template is not None and (_template.owner != os.getpid() or _template._process.poll() is not None):
            _template._pipe.close()
            _template = None
        if _template is None:
            _template = Template()
            atexit.register(_template.close)
        return _template


def _paths() -> list[str]:
    """Where the process finds headgate and the libraries that it needs, in this order."""
    package = str(Path(__file__).resolve().parents[2])
    return [package, *(path for path in sys.path if path and path != package)]
