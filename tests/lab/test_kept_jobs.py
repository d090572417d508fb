"""Learning and conformance on the frame's jobs: killed, stopped and resumed, and on a cluster, all gives what it gives undisturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headgate.base.errors import HeadgateError
from headgate.lab import conformance, training
from headgate.lab.conformance import conform, work
from headgate.lab.frame import jobs
from headgate.lab.training import learning, measuring
from headgate.sweep import engines

from ..conftest import Cli
from ..episodes import SHORT
from ..own_plugins import control, put

pytest.importorskip("gymnasium")

#: Runs of a moment, and what is the same of every training here.
FEW: dict[str, Any] = {"generations": 2, "seed": 3}
TRAIN = ("train", "--out", "learned.py", "--generations", "2", "--episodes", "1", "--processes", "1", "--json")

#: The command with a signal while the sixth candidate is tried.
STOPPED = """
import os, signal
from headgate.lab.training import learning
learning.CANDIDATES, learning.BEST, learning.SCENARIOS = 4, 2, 1
tried, real = [], learning._returns
def returns(*given):
    tried.append(given)
    if len(tried) == 6:
        os.kill(os.getpid(), signal.SIGINT)
    return real(*given)
learning._returns = returns
from headgate.cli import main
main()
"""


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("CANDIDATES", 4), ("BEST", 2), ("SCENARIOS", 1)):
        monkeypatch.setattr(learning, name, value)


@pytest.fixture
def some(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three conformance tests, in this process; a worker has them under the same titles."""
    for kind, titles in (("control", ("determinism", "marks", "reaction to loss")),):
        monkeypatch.setitem(work.CHECKS, kind, {title: work.CHECKS[kind][title] for title in titles})


def kills(monkeypatch: pytest.MonkeyPatch, at: int) -> list[int]:
    """The first worker is killed when so many jobs were given away; gives the numbers of those that were killed."""
    given, killed, real = [], [], engines.Local.submit

    def submit(engine: engines.Local, job: Any) -> None:
        real(engine, job)
        given.append(job)
        if len(given) == at:
            killed.append(engine.processes()[0])
            os.kill(killed[0], signal.SIGKILL)

    monkeypatch.setattr(engines.Local, "submit", submit)
    return killed


def test_a_killed_worker_changes_no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    undisturbed = training.learn(SHORT, processes=1, **FEW)
    killed = kills(monkeypatch, 2)
    assert training.learn(SHORT, processes=2, **FEW) == undisturbed
    assert killed


def test_a_candidate_whose_processes_end_is_one_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object, wanted: list[object]) -> list[list[tuple[object, None, str]]]:
        return [[(wanted[0], None, "exit code 9")], [(job, {"utility": 1.0}, "") for job in wanted[1:]]]  # type: ignore[list-item]

    monkeypatch.setattr(jobs, "work_off", broken)
    with pytest.raises(
        HeadgateError, match=r"the process of its run ended by itself \(exit code 9\), and so did the next"
    ):
        training.learn(SHORT, processes=2, **FEW)


def test_learning_that_was_stopped_goes_on_and_gives_the_same_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranges = [word for name, value in SHORT.items() for word in ("--range", f"{name}={value}")]
    whole = cli(*TRAIN, *ranges)
    assert whole.returncode == 0, whole.stderr
    text = (tmp_path / "learned.py").read_bytes()
    (tmp_path / "learned.py").unlink()
    program = [sys.executable, "-c", STOPPED, *TRAIN, *ranges, "--resume", "kept"]
    stopped = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert stopped.returncode == 130 and "finished runs are in kept. Go on with" in stopped.stderr, stopped.stderr
    assert not (tmp_path / "learned.py").exists()
    # A line that was cut off is not trusted.
    lines = (tmp_path / "kept/runs.jsonl").read_text("utf-8").splitlines()
    assert len(lines) == 5
    (tmp_path / "kept/runs.jsonl").write_text("\n".join(lines[:4]) + "\n" + lines[4][:20], "utf-8")
    tried: list[list[float]] = []
    real = learning._returns
    monkeypatch.setattr(learning, "_returns", lambda numbers, *rest: tried.append(numbers) or real(numbers, *rest))
    again = cli(*TRAIN, *ranges, "--resume", "kept")
    assert (again.returncode, again.stdout) == (0, whole.stdout)
    assert (tmp_path / "learned.py").read_bytes() == text
    # Four were kept, and eight are needed.
    assert len(tried) == 4
    tried.clear()
    monkeypatch.setattr(measuring, "_values", lambda _: pytest.fail("it was made again"))
    assert cli(*TRAIN, *ranges, "--resume", "kept").stdout == whole.stdout and not tried
    shown = [word for word in (*TRAIN, *ranges, "--resume", "kept") if word != "--json"]
    assert "Of 2 generations 2 came from kept." in cli(*shown).stdout.splitlines()
    # Kept trials take no time: a time is that of new ones.
    timed = [word for word in shown if word not in ("--generations", "2")]
    said = " ".join(cli(*timed, "--seconds", "0.001", "--episodes", "0").stdout.split())
    assert (
        "Of 1 generation 1 came from kept; --seconds was the time of new trials. --generations gives the same policy"
        in said
    )
    other = cli(*TRAIN, *ranges, "--resume", "kept", "--seed", "4")
    assert (
        other.returncode == 2 and "kept: holds the runs of another question: seed is 1 there and 4 here" in other.stderr
    ), other.stderr


def test_a_test_that_ends_its_process_has_failed_and_no_other(tmp_path: Path, some: None) -> None:
    file = put(tmp_path, control("        if ack.marked: __import__('os')._exit(9)"))
    found = {check.name: check.found for check in conform(file, workers=2).checks}
    assert found == {
        "determinism": "",
        "marks": "the process of its run ended by itself (exit code 9)",
        "reaction to loss": conform(put(tmp_path, control()), workers=1).checks[2].found,
    }


def test_conformance_that_was_stopped_goes_on(tmp_path: Path, some: None, monkeypatch: pytest.MonkeyPatch) -> None:
    file = put(tmp_path, control("        self.window = 10 + 1 / (1 - ack.marked)"))
    whole = conform(file)
    assert [check.passed for check in whole.checks][1] is False and "ZeroDivisionError" in whole.checks[1].found
    made: list[str] = []

    def stopped(wanted: work.WantedCheck) -> dict[str, Any]:
        made.append(wanted.title)
        if len(made) == 3:
            raise KeyboardInterrupt
        return work.do(wanted)

    monkeypatch.setattr(conformance, "do", stopped)
    with pytest.raises(KeyboardInterrupt):
        conform(file, out=tmp_path / "kept")
    assert conform(file, out=tmp_path / "kept") == whole
    assert made == ["determinism", "marks", "reaction to loss", "reaction to loss"]
    # What the file says is part of the question.
    put(tmp_path, control())
    assert conform(file, out=tmp_path / "kept").checks[1].passed
    with pytest.raises(HeadgateError, match="holds the runs of another question: subjects"):
        conform("cubic", out=tmp_path / "kept")


def test_what_was_defined_here_is_tested_here(some: None) -> None:
    from headgate import plugins

    names: dict[str, Any] = {}
    exec("import headgate\n" + control(), names)
    try:
        assert [check.name for check in conform("own", workers=2).checks] == list(work.CHECKS["control"])
    finally:
        plugins.forget("own")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_what_this_machine_gives(tmp_path: Path, some: None) -> None:
    distributed = pytest.importorskip("distributed")
    file = put(tmp_path, control("        self.window = 10 + 1 / (1 - ack.marked)"))

    def found(**where: Any) -> tuple[Any, ...]:
        rows = training.measure(["aimd"], SHORT, company=["alone"], episodes=1, **where)
        return training.learn(SHORT, **FEW, **where), rows, conform(file, **where).to_dict()

    here = found()
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, silence_logs=50
    ) as cluster:
        assert found(engine="dask", address=cluster.scheduler_address) == here
