"""Ctrl-C and memory: a run ends in order at any time, and leaves nothing half-written."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli, dumbbell

# Says when the engine has been called or has simulated something, and at the end how far it came.
CHILD = """
import atexit, sys, threading, time
from headgate import _core, parallel
from headgate.cli import main

when, real_control, real_run, controls = sys.argv.pop(1), _core.Control, _core.run, []

def control(most):
    controls.append(real_control(most))
    return controls[-1]

def run(*args):
    if when == "called":
        print("called", flush=True)
    return real_run(*args)

def watch():
    while not any(c.share > 0 for c in controls):
        time.sleep(0.01)
    print("simulating", flush=True)

_core.Control, _core.run = control, run
if when == "simulating":
    threading.Thread(target=watch, daemon=True).start()
atexit.register(lambda: print(max(c.share for c in controls)))
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
    out, err = process.communicate(timeout=600)
    assert process.returncode == 130, err
    assert err.split() == ["stopped"]
    assert float(out.splitlines()[-1]) < 0.01, "it went on after Ctrl-C"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("what", "changes"),
    [
        ("packets in queues", {"flows.ftp.control.window": 1_000_000_000}),
        ("traces", {"traces": ["rtt", "backlog"]}),
        ("interval", {"interval": "60s", "warm_up": "60s"}),
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
