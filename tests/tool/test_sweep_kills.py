"""Studies whose processes are killed or stopped: nothing finished is lost or repeated."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import headgate

from ..conftest import wait_for
from ..studies import plain, results_of, write

# Chunks of a few runs, so that there are many moments to be killed at.
DRIVER = "import headgate.sweep.driver as d; d.CHUNK_S = 0.02; d.PATIENCE = 1e6; from headgate.cli import main; main()"

TABLE = {"axes": {"links.slow.rate": "40kbit/s ... 80kbit/s step 1kbit/s"}, "replications": 5}
RUNS = 41 * 5
LENGTH = {"duration": "7000s", "interval": "1000s"}


def start(folder: Path, workers: int = 2) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", DRIVER, "sweep", "a.json", "--out", "out", "--workers", str(workers), "--resume"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def children(process: subprocess.Popen[str]) -> list[int]:
    try:
        return [int(x) for x in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]
    except OSError:
        return []


def recorded(folder: Path) -> dict[tuple[int, int], float]:
    """The runs on the disk, each with the processor time of the very execution."""
    if not (folder / "out" / "manifest.json").exists():
        return {}
    rows = headgate.open_study(folder / "out").times.to_pylist()
    assert len({(r["variant"], r["replication"]) for r in rows}) == len(rows)
    return {(r["variant"], r["replication"]): r["cpu_s"] for r in rows}


def chunks(folder: Path) -> list[Path]:
    return list((folder / "out").glob("work-*/chunk-*"))


def names(folder: Path) -> set[str]:
    return {str(f) for f in chunks(folder)}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> headgate.Study:
    return headgate.Sweep.from_file(write(tmp_path_factory.mktemp("whole") / "a.json", TABLE, **LENGTH)).run(workers=2)


def check_whole(folder: Path, undisturbed: headgate.Study) -> None:
    study = headgate.open_study(folder / "out")
    assert study.complete
    assert len(study.failures) == 0
    assert [(r["variant"], r["replication"]) for r in study.runs.to_pylist()] == [
        (v, k) for v in range(41) for k in range(5)
    ]
    assert plain(study.runs) == plain(undisturbed.runs)
    assert plain(study.flows) == plain(undisturbed.flows)
    assert plain(study.links) == plain(undisturbed.links)
    # To the byte, in files of the same names, and even so in the manifest.
    assert results_of(folder / "out") == results_of(undisturbed.folder)
    files, expected = study.manifest["files"], undisturbed.manifest["files"]
    assert {k: v for k, v in files.items() if k != "times"} == {k: v for k, v in expected.items() if k != "times"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's list of child processes")
def test_killed_at_twenty_random_moments(tmp_path: Path, undisturbed: headgate.Study) -> None:
    rng = random.Random(20)
    write(tmp_path / "a.json", TABLE, **LENGTH)
    before: dict[tuple[int, int], float] = {}
    kills = 0
    while kills < 20:
        process = start(tmp_path, 1 + kills % 2)
        there, more = names(tmp_path), rng.randrange(1, 4)
        if kills % 5:
            # When some chunks of this process are there, or when the next one is being written.
            wait_for(lambda there=there, more=more: len(names(tmp_path) - there) >= more, process)
            if kills % 2:
                wait_for(lambda: list((tmp_path / "out").glob("work-*/.chunk-*")), process)
        else:
            # Sometimes early: it has looked at the folder, started a worker, or done nothing yet.
            early: list[Callable[[], object]] = [
                lambda: True,
                lambda: (tmp_path / "out/.lock").exists(),
                lambda process=process: children(process),
            ]
            wait_for(rng.choice(early), process)
        if kills % 4 == 3:
            # Workers too: the driver gives their runs to others.
            for _ in range(2):
                if workers := children(process):
                    worker = rng.choice(workers)
                    os.kill(worker, signal.SIGKILL)
                    wait_for(lambda worker=worker: not alive(worker), process)
        ended = process.poll() is not None
        process.kill()
        process.communicate()
        after = recorded(tmp_path)
        # What was finished is there and was not done again.
        assert before.items() <= after.items()
        before = after
        kills += not ended
        if ended:
            # It was done before its moment came: on with another study.
            check_whole(tmp_path, undisturbed)
            shutil.rmtree(tmp_path / "out")
            before = {}
    last = start(tmp_path)
    _, err = last.communicate()
    assert last.returncode == 0, err
    after = recorded(tmp_path)
    assert before.items() <= after.items()
    check_whole(tmp_path, undisturbed)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's list of child processes")
def test_workers_that_are_killed_are_replaced(tmp_path: Path, undisturbed: headgate.Study) -> None:
    write(tmp_path / "a.json", TABLE, **LENGTH)
    process = start(tmp_path)
    for i in range(6):
        # At once, or when something has been finished since the last one was killed.
        there = names(tmp_path)
        wait_for(lambda there=there, i=i: children(process) and (i % 2 or names(tmp_path) - there), process)
        for worker in children(process)[:1]:
            os.kill(worker, signal.SIGKILL)
            wait_for(lambda worker=worker: not alive(worker), process)
    _, err = process.communicate()
    assert process.returncode == 0, err
    check_whole(tmp_path, undisturbed)


def test_a_run_that_kills_its_worker_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No memory left, a crash of a library: here a run in which the worker kills itself."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal\n"
        "import headgate._core as core\n"
        "class Batch:\n"
        "    def __init__(self, *memory):\n"
        "        self.real = core_batch(*memory)\n"
        "    def __getattr__(self, name):\n"
        "        return getattr(self.real, name)\n"
        "    def run(self, text, seed, run):\n"
        "        if run == 3 and '60kbit/s' in text:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        return self.real.run(text, seed, run)\n"
        "core_batch, core.Batch = core.Batch, Batch\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    write(tmp_path / "a.json", {"axes": {"links.slow.rate": ["50kbit/s", "60kbit/s"]}, "replications": 6})
    study = headgate.Sweep.from_file(tmp_path / "a.json").run(workers=2)
    (failure,) = study.failures.to_pylist()
    assert (failure["variant"], failure["replication"]) == (1, 3)
    assert "died 3 times" in failure["error"]
    assert "SIGKILL" in failure["error"]
    assert len(study.runs) == 11


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c(times: int, tmp_path: Path, undisturbed: headgate.Study) -> None:
    write(tmp_path / "a.json", TABLE, **LENGTH)
    process = start(tmp_path)
    wait_for(lambda: chunks(tmp_path), process)
    workers = children(process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    first = process.stderr.readline()
    assert first.startswith("stopping: what is finished is being stored"), first
    if times == 2:
        process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 130, err
    assert "Traceback" not in err
    before = recorded(tmp_path)
    assert 0 < len(before) < RUNS
    if times == 1:
        assert "--resume" in err
        # The tables can be read by anything.
        assert list((tmp_path / "out" / "flows").glob("*.parquet"))
        assert not list((tmp_path / "out").glob("work-*"))
    assert not any(alive(w) for w in workers)
    again = start(tmp_path)
    _, err = again.communicate()
    assert again.returncode == 0, err
    assert before.items() <= recorded(tmp_path).items()
    check_whole(tmp_path, undisturbed)


def test_long_runs_stop_at_once(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"replications": 4}, duration="18000000s", interval="9000000s")
    process = start(tmp_path)
    wait_for(lambda: len(workers := children(process)) == 2 and all(map(listens, workers)), process)
    process.send_signal(signal.SIGTERM)
    # The driver would wait for them forever.
    _, err = process.communicate()
    assert process.returncode == 143, err
    assert "--resume" in err


def test_workers_end_with_their_driver(tmp_path: Path) -> None:
    write(tmp_path / "a.json", {"replications": 4}, duration="18000000s", interval="9000000s")
    process = start(tmp_path)
    wait_for(lambda: len(children(process)) == 2, process)
    workers = children(process)
    process.kill()
    process.communicate()
    while any(alive(w) for w in workers):
        time.sleep(0.05)


def listens(pid: int) -> bool:
    """Whether a process has its own handler for SIGTERM."""
    try:
        caught = Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    except (OSError, IndexError):
        return False
    return bool(int(caught, 16) & 1 << (signal.SIGTERM - 1))


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
