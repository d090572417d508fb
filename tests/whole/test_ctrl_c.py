"""Ctrl-C and SIGTERM at chosen points of a command: code 130 or 143, the word `stopped`, no traceback, and nothing half-written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import headgate
from headgate.base.atomic import atomic
from headgate.sweep.engines import ctrl_c_waits

from ..conftest import dumbbell
from ..studies import plain, run_here, sweep_of, write

TABLE = {"axes": {"links.slow.queue": ["fcfs", "fq"]}, "replications": 3}

#: Ctrl-C when a module is looked for.
IMPORTING = """
import os, signal, sys
module = sys.argv.pop(1)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from headgate.cli import main
main()
"""

#: Ctrl-C before or after a function of the command is called for the first time.
CALLING = """
import importlib, os, signal, sys, threading
module, owner, name, when = sys.argv[1].split(":")
del sys.argv[1]
place = importlib.import_module(module)
place = getattr(place, owner) if owner else place
real, called = getattr(place, name), threading.Lock()
def wrapper(*args, **kwargs):
    # Threads may call it at the same time: one of the calls is the first.
    first = called.acquire(blocking=False)
    if when == "before" and first:
        os.kill(os.getpid(), signal.SIGINT)
    try:
        return real(*args, **kwargs)
    finally:
        if when == "after" and first:
            os.kill(os.getpid(), signal.SIGINT)
setattr(place, name, wrapper)
from headgate.cli import main
main()
"""


#: Each signal that ends a command, with its exit code.
ENDING = [("SIGINT", 130), ("SIGTERM", 143)]


def start(code: str, *args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *args], cwd=folder, capture_output=True, text=True
    )  # fmt: skip


SWEEP = ["sweep", "a.json", "--out", "out", "--workers", "2", "--resume"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "module",
    ["headgate.cli.group", "click", "numpy", "numpy.linalg", "rich.table", "headgate.cli.commands.sweep",
     "headgate.sweep", "pyarrow", "pyarrow.parquet", "headgate.sweep.engines", "headgate.stats.stopping"],
)  # fmt: skip
@pytest.mark.parametrize(("name", "code"), ENDING)
def test_while_libraries_are_loaded(module: str, name: str, code: int, tmp_path: Path) -> None:
    write(tmp_path / "a.json", TABLE)
    done = start(IMPORTING.replace("SIGINT", name), module, *SWEEP, folder=tmp_path)
    assert done.returncode == code, done.stderr
    if module.startswith(("pyarrow", "rich")):
        # They are loaded when the first runs have begun, and when the first rows are to be stored.
        assert done.stderr == "stopped\n" or "stopped; what is finished is in out" in done.stderr
        return
    assert (done.stdout, done.stderr) == ("", "stopped\n")
    assert [f.name for f in tmp_path.iterdir()] == ["a.json"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "point",
    ["headgate.scenario.scenario:Scenario:from_file:before", "headgate.sweep.sweep:Sweep:check:before",
     "headgate.sweep.sweep:Sweep:check:after", "headgate.sweep.store:Store:lock:after",
     "headgate.sweep.store:Store:write_manifest:before", "headgate.sweep.store:Store:write_manifest:after",
     "headgate.sweep.store:Store:clean:before", "headgate.sweep.engines:_Worker:__init__:before",
     "headgate.sweep.engines:_Worker:__init__:after", "headgate.sweep.engines:Local:submit:after",
     "headgate.sweep.store:Store:write_chunk:before", "headgate.sweep.store:Store:merge:before",
     "headgate.sweep.store:Store:merge:after", "headgate.sweep.study:Study:__init__:before",
     "headgate.sweep.summary::summary:before"],
)  # fmt: skip
def test_anywhere_in_a_study(point: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.json", TABLE)
    done = start(CALLING, point, *SWEEP, folder=tmp_path)
    assert done.returncode == 130, done.stderr
    lines = done.stderr.splitlines()
    assert "Traceback" not in done.stderr
    assert lines[-1] == "stopped" or lines[-2].startswith("stopped; what is finished is in out"), lines
    assert done.stdout == ""
    assert not list(tmp_path.rglob(".[mpc]*"))
    # Whatever is there can be continued.
    study = run_here(headgate.Sweep.from_file(tmp_path / "a.json"), monkeypatch, out=tmp_path / "out", resume=True)
    assert plain(study.flows) == plain(run_here(sweep_of(TABLE), monkeypatch).flows)


def test_sigterm_in_a_study(tmp_path: Path) -> None:
    write(tmp_path / "a.json", TABLE)
    asked = CALLING.replace("SIGINT", "SIGTERM")
    done = start(asked, "headgate.sweep.store:Store:write_chunk:before", *SWEEP, folder=tmp_path)
    assert done.returncode == 143, done.stderr
    assert "stopped; what is finished is in out" in done.stderr
    assert "Traceback" not in done.stderr


def test_twice_in_a_study(tmp_path: Path) -> None:
    write(tmp_path / "a.json", TABLE)
    twice = CALLING.replace("os.kill(os.getpid(), signal.SIGINT)", "[signal.raise_signal(signal.SIGINT) for _ in '12']")
    done = start(twice, "headgate.sweep.store:Store:write_chunk:before", *SWEEP, folder=tmp_path)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1] == "stopped"


def test_a_worker_never_notices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A SIGINT to every process reaches a worker while it starts."""
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if 'headgate.sweep.worker' in sys.orig_argv:\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    open('reached', 'w').close()\n"
    )
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    write(tmp_path / "a.json", TABLE)
    done = start("from headgate.cli import main; main()", *SWEEP, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "reached").exists()


@pytest.mark.parametrize(
    ("point", "args"),
    [
        ("headgate.results.spool:Spool:add:before", ["run", "a.json", "--out", "out"]),
        ("headgate.results.spool:Spool:add:after", ["run", "a.json", "--out", "out", "--replications", "3"]),
        ("headgate.results.results:Results:save:before", ["run", "a.json", "--out", "out"]),
        ("headgate.results.tables::_csv:before", ["run", "a.json", "--out", "out"]),
        ("headgate.results.tables::_csv:after", ["run", "a.json", "--out", "out"]),
        ("headgate.base.parallel::wait:before", ["run", "a.json", "--replications", "3"]),
        ("headgate.cli.tables.run::print_results:before", ["run", "a.json"]),
        ("headgate.checks.diff::compare:before", ["diff", "a.json", "a.json"]),
        (
            "headgate.replays.run::_drive:before",
            ["replay", "t.csv", "--queue", "fq", "--rate", "1Mbit/s", "--out", "o.csv"],
        ),
        ("headgate.papers.runner::run_all:before", ["reproduce", "demers1989", "scenario-1"]),
    ],
)
@pytest.mark.parametrize(("name", "code"), ENDING)
def test_other_commands(point: str, args: list[str], name: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(dumbbell()))
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n0,a,100\n")
    done = start(CALLING.replace("SIGINT", name), point, *args, folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (code, "", "stopped\n")
    # A folder that has no manifest is not complete, and no file in it is half-written.
    assert not list(tmp_path.rglob(".*"))
    assert not (tmp_path / "out/manifest.json").exists() and not (tmp_path / "o.csv").exists()


def test_lost_in_a_destructor(tmp_path: Path) -> None:
    """Python throws away what a destructor raises; the command ends all the same."""
    (tmp_path / "a.json").write_text(json.dumps(dumbbell(duration="18000000s", interval="9000000s")))
    code = """
import headgate.base.parallel as parallel, os, signal
class Thing:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
real = parallel.wait
def wait(*args, **kwargs):
    Thing()
    return real(*args, **kwargs)
parallel.wait = wait
from headgate.cli import main
main()
"""
    done = start(code, "run", "a.json", folder=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_after_the_end_it_changes_nothing(tmp_path: Path) -> None:
    code = (
        "import atexit, os, signal; atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT));"
        "from headgate.cli import main; main()"
    )
    done = start(code, "list", "papers", "--json", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)


def test_a_job_in_the_background_does_not_notice(tmp_path: Path) -> None:
    """A shell ignores SIGINT for it, and so does the command."""
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    write(tmp_path / "a.json", TABLE)
    done = start(
        code + CALLING, "headgate.sweep.store:Store:write_chunk:before", *SWEEP, folder=tmp_path
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_as_soon_as_a_temporary_file_is_there_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = os.close

    def interrupted(handle: int) -> None:
        close(handle)
        raise KeyboardInterrupt

    monkeypatch.setattr("headgate.base.atomic.os.close", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic(tmp_path / "a.txt"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_it_waits_while_a_process_is_started_whatever_thread_receives_it() -> None:
    reached = []

    def from_another_thread() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt), ctrl_c_waits():
        thread = threading.Thread(target=from_another_thread)
        # It was started before the signal was blocked, as the thread of a progress bar is.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        thread.start()
        thread.join()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        reached.append(True)
    assert reached
