"""A program that answers lines: started, asked within a time, and ended whatever happens to the run that asks it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from pathlib import Path

from ..base.errors import cut, visible
from . import guard

#: Maximum length of an answer in bytes, and of what is kept of the error output.
LONGEST = 65_536
KEPT = 4_096

#: Programs that may run at a time: each flow has one.
MOST = 256

#: Seconds that a program has to end by itself once its input has ended.
GRACE_S = 0.5

#: The programs that run, by their ids.
_running: dict[int, subprocess.Popen[bytes]] = {}

_closed = False


_EXPECTED = "expected a line for each event until its input ends"


class ProcessError(Exception):
    """A program that is a flow's control ended, or its answer is none."""


class Pipe:
    """A program that is asked line by line. It has a process group of its own, and is killed with it when nothing asks it any more."""

    def __init__(self, command: list[str], seconds: float) -> None:
        """Starts it, without a shell.

        Raises:
            ProcessError: it cannot be started.
        """
        self.name = Path(command[0]).name
        self._seconds = seconds
        if _closed or len(_running) >= MOST:
            raise ProcessError(
                f"{self.name} was not started; expected at most {MOST} programs at a time, one for each flow"
            )
        pipe = subprocess.PIPE
        try:
            with guard.ours():
                # Ctrl-C in the terminal is for headgate alone, which then ends the program.
                self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True)
        except (OSError, ValueError) as e:
            reason = e.strerror if isinstance(e, OSError) else e
            raise ProcessError(
                f"expected a program that can be started, found {cut(repr(command[0]))}; {reason}"
            ) from None
        process = self._process
        _running[process.pid] = process
        self._end = weakref.finalize(self, _end, process, os.getpid())
        assert process.stdin and process.stdout and process.stderr
        self._in, self._out, self._err = (f.fileno() for f in (process.stdin, process.stdout, process.stderr))
        for handle in (self._in, self._out, self._err):
            os.set_blocking(handle, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._rest = b""
        self._said = b""

    def ask(self, text: bytes, answers: int) -> list[bytes]:
        """Writes lines and gives as many lines of answers.

        Raises:
            ProcessError: it ended, it takes too long, or a line is too long.
        """
        deadline = time.monotonic() + self._seconds
        unsent = self._write(memoryview(text))
        if unsent:
            self._poll.register(self._in, select.POLLOUT)
        found: list[bytes] = []
        while unsent or len(found) < answers:
            left = deadline - time.monotonic()
            if left <= 0:
                raise ProcessError(
                    f"{self.name} answered {len(found)} of {answers} events within {self._seconds:g} s; expected all of them in "
                    f"that time (answer_within){self.story()}"
                )
            for handle, _ in self._poll.poll(left * 1000 + 1):
                if handle == self._in:
                    unsent = self._write(unsent)
                    if not unsent:
                        self._poll.unregister(self._in)
                elif handle == self._out:
                    self._take(found)
                elif self._listen() == b"":
                    self._poll.unregister(self._err)
        if self._rest or len(found) > answers:
            more = (found[answers:] or [self._rest])[0].decode("utf-8", "replace")
            raise ProcessError(
                f"{self.name} answered {cut(repr(more))} more than it was asked; expected one line for each event{self.story()}"
            )
        return found

    def end(self) -> None:
        """Ends the program, unless it has ended."""
        self._end()

    def _write(self, text: memoryview) -> memoryview:
        """Writes what the program takes now; gives the rest."""
        try:
            return text[os.write(self._in, text) :] if text else text
        except BlockingIOError:
            return text
        except BrokenPipeError:
            raise self._over() from None

    def _take(self, found: list[bytes]) -> None:
        """Reads lines of answers."""
        got = os.read(self._out, LONGEST)
        if not got:
            raise self._over()
        *lines, self._rest = (self._rest + got).split(b"\n")
        found += lines
        if len(self._rest) >= LONGEST:
            raise ProcessError(
                f"{self.name} answered a line without an end; expected at most {LONGEST} bytes{self.story()}"
            )

    def _listen(self) -> bytes | None:
        """Reads error output: nothing once it is closed, None if there is none now."""
        try:
            got = os.read(self._err, LONGEST)
        except BlockingIOError:
            return None
        self._said = (self._said + got)[-KEPT:]
        return got

    def _over(self) -> ProcessError:
        """The program has closed its output: how it ended."""
        with guard.ours():
            code = _wait(self._process, GRACE_S)
        if code is None:
            return ProcessError(f"{self.name} closed its output; {_EXPECTED}{self.story()}")
        how = f"signal {_signal(-code)}" if code < 0 else f"exit code {code}"
        return ProcessError(f"{self.name} ended with {how}; {_EXPECTED}{self.story()}")

    def story(self) -> str:
        """The end of the error output, for a message."""
        while self._listen():
            pass
        lines = [line.strip() for line in self._said.decode("utf-8", "replace").splitlines() if line.strip()]
        return f"; its error output ends with: {visible(' / '.join(lines[-3:]))[-300:]}" if lines else ""


def _signal(number: int) -> str:
    """The name of a signal; those of real time have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _wait(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    """Waits for the end of a program, whose number the system keeps: its exit code, less than 0 for a signal, None if it goes on."""
    deadline, pause = time.monotonic() + seconds, 0.0005
    while True:
        try:
            found = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return process.returncode or 0
        if found is not None:
            return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status
        if time.monotonic() > deadline:
            return None
        time.sleep(pause)
        pause = min(2 * pause, 0.02)


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    """Ends a program, with all that it started."""
    if os.getpid() != owner:
        # A process that was forked since then.
        return
    with guard.ours():
        assert process.stdin and process.stdout and process.stderr
        try:
            # What reads its input ends by itself.
            process.stdin.close()
            _wait(process, GRACE_S)
        finally:
            _kill(process)
            process.wait()
            process.stdout.close()
            process.stderr.close()
            _running.pop(process.pid, None)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kills a program and what it started. Before it is waited for: its number is not another's until then."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def kill_all() -> None:
    """Kills all programs, before this process ends at once; none is started any more."""
    global _closed
    _closed = True
    with guard.ours():
        for process in list(_running.values()):
            _kill(process)
