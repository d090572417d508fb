"""Ctrl-C and memory: a run ends in order at any time, and leaves nothing half-written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from headgate.base import parallel
from headgate.sweep import variants

from ..conftest import Cli, dumbbell
from ..studies import sweep_of

# Says when the engine has been called or has simulated something, and at the end how far it came.
CHILD = """
import os, sys, threading, time
from headgate import _core
from headgate.base import parallel
from headgate.cli import main

when, real_control, real_run, controls = sys.argv.pop(1), _core.Control, _core.run, []

def control(most):
    controls.append(real_control(most))
    return controls[-1]

def run(*args):
    if when == "called":
        say("called")
    return real_run(*args)

def watch():
    while not any(c.share > 0 for c in controls):
        time.sleep(0.01)
    say("simulating")

# One write for a line: runs begin side by side, and one of them while the process ends.
def say(line):
    os.write(1, f"{line}\\n".encode())

_core.Control, _core.run = control, run
if when == "simulating":
    threading.Thread(target=watch, daemon=True).start()
# The process ends at once, without a wait until a large run is freed.
end = os._exit
os._exit = lambda code: (say(f"share {max(c.share for c in controls)}"), end(code))
main()
"""

# Says when the disciplines are to send what waits, and whether that was stopped.
REPLAY = """
from headgate import _core
from headgate.cli import main

class Replay:
    def __init__(self, options):
        self.real = real(options)
    def __getattr__(self, name):
        return getattr(self.real, name)
    def finish(self):
        try:
            print("busy", flush=True)
            return self.real.finish()
        except KeyboardInterrupt:
            try:
                self.real.packets
            except RuntimeError as e:
                print(e, flush=True)
                raise
        # Ctrl-C came before the work had begun, and is asked for again.
        return self.finish()

real, _core.Replay = _core.Replay, Replay
main()
"""

ENDLESS: dict[str, Any] = {"duration": "18000000s", "interval": "9000000s"}


@pytest.mark.parametrize(
    ("when", "scenario"),
    [
        pytest.param("simulating", dumbbell(**ENDLESS), id="long"),
        # A picosecond of simulated time to an event: the share done stays next to nothing.
        pytest.param(
            "simulating",
            dumbbell(
                flows=[{"name": "f", "from": "s", "to": "k", "workload": {"kind": "telnet", "mean": "100ps"}}],
                **ENDLESS,
            ),
            id="slow",
        ),
        pytest.param(
            "called", dumbbell(flows=[{"name": "f", "from": "s", "to": "k", "count": 300_000}], **ENDLESS), id="set-up"
        ),
    ],
)
def test_ctrl_c_stops_cleanly(when: str, scenario: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "long.json").write_text(json.dumps(scenario))
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, when, "run", "long.json", "--replications", "3", "--threads", "2", "--out", "out"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == f"{when}\n"
    process.send_signal(signal.SIGINT)
    # The time is a kill switch for a process that hangs: a run to its end would take days.
    out, err = process.communicate()
    assert process.returncode == 130, err
    assert err.split() == ["stopped"]
    shares = [float(line.removeprefix("share ")) for line in out.splitlines() if line.startswith("share ")]
    assert len(shares) == 1 and shares[0] < 0.01, "it went on after Ctrl-C"
    assert not (tmp_path / "out").exists()


def test_ctrl_c_while_a_discipline_is_busy(tmp_path: Path) -> None:
    """A byte more for each of 65,000 queues in a round, and hardly one of them may send: billions of checks of a queue."""
    flows = range(500, 65_500)
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n" + "".join(f"0,{i},{i}\n" for i in flows) * 2)
    queue = '{kind = "drr", quantum = "1B", buffer = "unlimited"}'
    process = subprocess.Popen(
        [sys.executable, "-c", REPLAY, "replay", "t.csv", "--queue", queue, "--rate", "1Gbit/s", "--out", "o.csv"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    while (out := process.stdout.readline()) == "busy\n":
        process.send_signal(signal.SIGINT)
    _, err = process.communicate()
    assert (process.returncode, err) == (130, "stopped\n")
    assert out == "it was interrupted; expected a new one\n", "it went on after Ctrl-C"
    assert [p.name for p in tmp_path.iterdir()] == ["t.csv"]


def test_ctrl_c_does_not_wait_for_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Freeing the memory of a large run takes seconds: the run ends after the command has returned from Ctrl-C."""
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def run(*_: object) -> None:
        begun.set()
        # The wait takes this long, and then the run has ended.
        may_end.wait(10)
        ended.set()

    def wait(*_: object, **__: object) -> None:
        begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(parallel._core, "run", run)
    monkeypatch.setattr(parallel, "wait", wait)
    with pytest.raises(KeyboardInterrupt):
        parallel.run_all([("", None, 0)] * 3, lambda _, result: result, threads=1)
    assert not ended.is_set()
    may_end.set()
    ended.wait()


def test_ctrl_c_does_not_wait_for_checks_of_a_study(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end, ended = threading.Event(), threading.Event(), threading.Event()

    def check(*_: object) -> str:
        begun.set()
        # The wait takes this long, and then the run has ended.
        may_end.wait(10)
        ended.set()
        return ""

    class Pool(ThreadPoolExecutor):
        def map(self, *args: Any, **kwargs: Any) -> Any:
            super().map(*args, **kwargs)
            begun.wait()
            raise KeyboardInterrupt

    study = sweep_of({"replications": 2})
    monkeypatch.setattr(parallel._core, "check", check)
    monkeypatch.setattr(variants, "ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        study.check()
    assert not ended.is_set()
    may_end.set()
    ended.wait()


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("packets in queues", {"flows.ftp.control.window": 1_000_000_000}),
        ("traces", {"traces": ["rtt", "backlog"]}),
        ("interval", {"interval": "10s", "warm_up": "60s"}),
    ],
)
def test_a_run_that_takes_too_much_memory_is_refused_or_ended(
    what: str, changes: dict[str, Any], cli: Cli, tmp_path: Path
) -> None:
    (tmp_path / "big.json").write_text(json.dumps(dumbbell(**ENDLESS)))
    sets = [part for path, value in changes.items() for part in ("--set", f"{path}={json.dumps(value)}")]
    done = cli("run", "big.json", "--max-memory", "50MB", "--out", "out", *sets)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("error: big.json: ")
    assert "expected a run that takes at most 0.050 GB of memory" in done.stderr
    assert what in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["", "4", "4 apples", "0GB", "-1GB", "1e3GB", "9" * 100 + "GB"])
def test_max_memory_that_is_no_size(text: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(dumbbell()))
    done = cli("run", "a.json", "--max-memory", text)
    assert done.returncode == 2
    assert f"memory {text[:80]!r}: expected a size above zero such as 512MB or 4GiB" in done.stderr


@pytest.mark.parametrize(("most", "failed"), [("100MB", 0), ("4MB", 2)])
def test_max_memory_of_a_study_is_shared_by_its_workers(most: str, failed: int, cli: Cli, tmp_path: Path) -> None:
    # The flows of a run take more than 2 MB.
    flows = [{"name": "f{i}", "from": "s", "to": "k", "count": 10_000, "workload": {"kind": "telnet", "mean": "1h"}}]
    scenario = dumbbell(duration="2s", interval="1s", warm_up="1s", flows=flows)
    (tmp_path / "a.json").write_text(json.dumps({**scenario, "sweep": {"replications": 2}}))
    done = cli("sweep", "a.json", "--out", "out", "--workers", 2, "--max-memory", most, "--json")
    assert done.returncode == (1 if failed else 0), done.stderr
    failures = json.loads(done.stdout)["failures"]
    assert len(failures) == failed
    for failure in failures:
        assert "expected a run that takes at most 0.002 GB of memory" in failure["error"]


def test_max_memory_of_a_study_that_is_no_size(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**dumbbell(), "sweep": {"replications": 2}}))
    done = cli("sweep", "a.json", "--out", "out", "--max-memory", "4 apples")
    assert done.returncode == 2
    assert "memory '4 apples': expected a size above zero such as 512MB or 4GiB" in done.stderr
    assert not (tmp_path / "out").exists()
