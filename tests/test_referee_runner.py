"""The runner of the referee and of attacks: its processes end with the program that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

PROGRAM = """
import json, os, sys
from headgate.referee.part import Place
from headgate.referee.runner import Runner
from headgate.referee.store import RefereeStore
from headgate.referee.work import RunJob
from headgate import example

if __name__ == "__main__":
    text = json.dumps({**example("two-sources").data, "duration": "2000000s"})
    with Runner(RefereeStore(), workers=1) as runner:
        jobs = [RunJob(text, 1, (), Place(1.0, 0.0, [(0.0, 1.0)]))]
        runner._progress = lambda *_: print(*runner._pool._processes, flush=True)
        runner.make(jobs)
"""


def test_a_process_ends_when_its_program_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        worker = int(program.stdout.readline())
        program.send_signal(signal.SIGKILL)
        program.wait()
        while alive(worker):
            time.sleep(0.05)


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
            # Nobody may wait for it, so that it stays as a zombie.
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
    finally:
        os.sched_yield()
