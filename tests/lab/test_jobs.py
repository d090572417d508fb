"""The runner of the referee and of attacks: its processes end with the program that started them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from headgate import example
from headgate.lab.frame.jobs import Runner
from headgate.lab.frame.part import Place
from headgate.lab.frame.store import RunStore
from headgate.lab.frame.work import RunJob, do

PROGRAM = """
import json, os, sys
import pytest

from headgate.lab.frame.part import Place
from headgate.lab.frame.jobs import Runner
from headgate.lab.frame.store import RunStore
from headgate.lab.frame.work import RunJob
from headgate import example

if __name__ == "__main__":
    text = json.dumps({**example("two-sources").data, "duration": "2000000s"})
    with Runner(RunStore(), workers=1) as runner:
        jobs = [RunJob(text, 1, (), Place(1.0, 0.0, [(0.0, 1.0)]))]
        runner._progress = lambda *_: print(*runner._engine.processes(), flush=True)
        runner.make(jobs)
        print(runner.get(jobs[0]))
"""


def test_a_process_ends_when_its_program_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        worker = int(program.stdout.readline())
        program.send_signal(signal.SIGKILL)
        program.wait()
        while alive(worker):
            time.sleep(0.05)


#: Two runs, one of which is over at once.
TWO = PROGRAM.replace("workers=1", "workers=2").replace(
    "        jobs = [",
    """        short = json.dumps(example("two-sources").data)
        jobs = [RunJob(short, 1, (), Place(1.0, 0.0, [(0.0, 1.0)])), """,
)


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_does_not_reach_the_processes() -> None:
    with subprocess.Popen([sys.executable, "-c", TWO], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        workers: list[int] = []
        while len(workers) < 2:
            workers = [int(word) for word in program.stdout.readline().split()]
        # One of them has nothing to do by then.
        time.sleep(1.5)
        for worker in workers:
            os.kill(worker, signal.SIGINT)
        time.sleep(0.5)
        assert all(alive(worker) for worker in workers) and program.poll() is None
        program.kill()


def test_a_process_that_ends_by_itself_costs_its_run_and_no_other(tmp_path: Path) -> None:
    place = Place(1.0, 0.0, [(0.0, 1.0)])
    text = json.dumps(example("two-sources").data)
    jobs = [RunJob(text, seed, (), place) for seed in (1, 2, 3)]
    with Runner(RunStore(tmp_path), workers=2, do=ends) as runner:
        runner.make(jobs)
    found = [runner.get(job) for job in jobs]
    assert found[0] == {"fault": "the process of its run ended by itself (exit code 3)"}
    assert all("digest" in run for run in found[1:])
    # It may have been the machine: it is made again next time.
    assert RunStore(tmp_path).get(jobs[0].key) is None and RunStore(tmp_path).get(jobs[1].key) is not None


def ends(job: RunJob) -> dict[str, Any]:
    if job.seed == 1:
        os._exit(3)
    return do(job)


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
            # Nobody may wait for it, so that it stays as a zombie.
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
    finally:
        os.sched_yield()
