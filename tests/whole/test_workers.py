"""Processes that do jobs for a command: none is left behind, Ctrl-C is one word, and one that is killed costs its job alone."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headgate.base.errors import HeadgateError
from headgate.lab.evaluation import evaluate
from headgate.sweep.engines import DEATHS, Local, ctrl_c_waits, work_off
from headgate.sweep.work import Failed, Switch
from headgate.sweep.worker import _done

from ..own_plugins import put
from .test_ctrl_c import CALLING, ENDING, start

#: Commands with workers of their own.
COMMANDS = {
    "evaluate": ["evaluate", "reno", "--workers", "2"],
    "contract": ["contract", "reno", "--workers", "2", "--quick"],
    "referee": ["referee", "cubic", "--set", "beta=0.61", "--quick", "--workers", "2"],
    "attack": ["attack", "reno", "--workers", "2", "--budget", "20"],
    "train": ["train", "--out", "learned.py", "--generations", "1", "--processes", "2"],
    "conform": ["conform", "cubic", "--workers", "2"],
}


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("name", "code"), ENDING)
def test_while_a_worker_is_started_a_signal_is_one_word(
    command: str, when: str, name: str, code: int, tmp_path: Path
) -> None:
    point = f"headgate.sweep.engines:_Worker:__init__:{when}"
    done = start(CALLING.replace("SIGINT", name), point, *COMMANDS[command], folder=tmp_path)
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.splitlines()[-1] == "stopped" and "Traceback" not in done.stderr


#: A command that says which processes its workers are, and goes on.
TELLS = """
import sys
from headgate.sweep import engines
real = engines._Worker.__init__
def told(self, most):
    real(self, most)
    print(self.process.pid, flush=True)
engines._Worker.__init__ = told
from headgate.cli import main
main()
"""


def below(process: int) -> list[int]:
    """The processes that a process has started, and those that these have started."""
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        # It may have ended meanwhile.
        with contextlib.suppress(OSError):
            found += map(int, task.read_text().split())
    return found + [further for child in found for further in below(child)]


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_a_command_its_workers_end(number: int, tmp_path: Path) -> None:
    put(tmp_path, "@headgate.control('own')\nclass Own:\n    def on_ack(self, ack):\n        while True: pass\n")
    command = [sys.executable, "-c", TELLS, "evaluate", "mine.py", "--workers", "2"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as program:
        assert program.stdout is not None and program.stderr is not None
        workers = [int(program.stdout.readline()) for _ in range(2)]
        # Until the template of a worker is there, and a copy of it, which is busy for ever.
        while not any(below(process) for worker in workers for process in below(worker)):
            time.sleep(0.02)
        workers += [process for process in below(program.pid) if process not in workers]
        os.killpg(program.pid, number)
        program.wait()
        assert program.stderr.read() == ("" if number == signal.SIGKILL else "stopped\n")
    for worker in workers:
        while Path(f"/proc/{worker}").exists():
            time.sleep(0.02)


def test_a_job_that_ends_its_worker_costs_itself_alone() -> None:
    with Local(2, os._exit) as engine:
        (outcome,) = [outcome for ended in work_off(engine, [3]) for outcome in ended]
    assert outcome == (3, None, "exit code 3")
    with Local(2, math.sqrt) as engine:
        jobs = [float(i) for i in range(-1, 20)]
        found = {job: (value, how) for ended in work_off(engine, jobs) for job, value, how in ended}
        assert found.pop(-1.0)[0] is None
        assert found == {job: (math.sqrt(job), "") for job in jobs[1:]}
        # One that is killed meanwhile is replaced, and what it had is done again.
        later = [float(i) for i in range(100, 200)]
        for process in engine.processes():
            os.kill(process, signal.SIGKILL)
        assert len([1 for ended in work_off(engine, later) for _, value, _ in ended if value]) == 100
    assert DEATHS == 2 and not engine.processes()


def test_what_a_worker_raises_is_told_in_words() -> None:
    failed = _done((math.sqrt, -1.0), Switch())
    assert isinstance(failed, Failed) and failed.how.startswith("ValueError: ")
    failed = _done(ImportError("no module of this name"), Switch())
    assert isinstance(failed, Failed) and failed.how == "ImportError: no module of this name"


def test_sigterm_waits_while_a_process_is_started() -> None:
    reached = []

    def handler(*_: object) -> None:
        reached.append("handled")

    before = signal.signal(signal.SIGTERM, handler)
    try:
        with ctrl_c_waits():
            os.kill(os.getpid(), signal.SIGTERM)
            assert reached == []
        assert reached == ["handled"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_killed_worker_costs_its_run_of_an_evaluation(tmp_path: Path) -> None:
    """The control ends the process in all cases but the one that lasts 12 s, which has its scores."""
    text = "        if ack.now > 13: __import__('os')._exit(9)\n"
    file = put(tmp_path, f"@headgate.control('own')\nclass Own:\n    def on_ack(self, ack):\n{text}")
    found = evaluate(file, "smoke", rounds=1, trusted=True, workers=1)
    faults = {case["name"]: case["fault"] for case in found["cases"]}
    assert faults["itself-1"] is None and found["convergence"] > 0
    assert faults["alone-3"] == "the process of its run ended by itself (exit code 9)"


def test_a_killed_worker_of_the_known_control_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from headgate.lab.evaluation import judge
    from headgate.lab.frame import jobs

    def broken(_: object, wanted: list[object]) -> list[list[tuple[object, None, str]]]:
        return [[(job, None, "signal 9, SIGKILL")] for job in wanted]

    monkeypatch.setattr(jobs, "work_off", broken)
    monkeypatch.setattr(judge, "_kept", {})
    with pytest.raises(HeadgateError, match=r"generic: the process of its run ended by itself \(signal 9, SIGKILL\)"):
        evaluate("reno", "smoke", rounds=1)
