"""Windows and memory have bounds that nobody has to ask for: by what a path holds, and by what the machine has."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate import _core
from headgate.base import memory
from headgate.base.errors import HeadgateError
from headgate.base.parallel import run_once

from ..conftest import Cli
from ..own_plugins import data, put
from ..own_programs import by, command

#: A flow control that asks for this window.
WIDE = """
@headgate.control("wide")
class Wide:
    '''A window without a bound.'''
    def on_start(self, window):
        self.window = {window}
    def on_ack(self, ack):
        self.window = {window}
"""


def most(rate: float, trip: float, buffer: float, packet: int = 1500) -> int:
    """Ten times what the path holds, and 1,000 packets more: what the line sends in a round trip, and its buffer, both in bytes."""
    return math.ceil(10 * (rate / 8 * trip + buffer) / packet + 1000)


@pytest.fixture(autouse=True)
def no_limit() -> Iterator[None]:
    """Commands run in the process of the tests."""
    yield
    memory.limit_to(None)


@pytest.mark.parametrize("window", ["1e9", "None", "1e300"])
def test_a_window_is_bounded_by_what_its_path_holds(window: str, tmp_path: Path) -> None:
    entries = headgate.plugins.load(put(tmp_path, WIDE.format(window=window)))
    queue = {"kind": "fcfs", "buffer": "60000B"}
    scenario = data("wide", queue, plugins=entries, traces=["window"], duration="1s")
    # 10 Mbit/s, 10 ms each way, and a buffer of 60,000 bytes.
    assert largest(scenario) == most(10e6, 0.02, 60_000)
    # What an event makes of the line counts, too.
    scenario["events"] = [{"at": "500ms", "link": "line", "rate": "40Mbit/s"}]
    assert largest(scenario) == most(40e6, 0.02, 60_000)
    # A buffer without a limit holds nobody knows how much.
    scenario = data("wide", {"kind": "fcfs", "buffer": "unlimited"}, plugins=entries, traces=["window"], duration="1s")
    assert largest(scenario) == most(10e6, 0.02, 0)
    # One in packets, and packets of another length.
    scenario = data("wide", {"kind": "fcfs", "buffer": "100pkt"}, plugins=entries, traces=["window"], duration="1s")
    scenario["flows"][0]["packet"] = "500B"
    assert largest(scenario) == most(10e6, 0.02, 50_000, 500)


def largest(scenario: dict[str, Any]) -> float:
    run = headgate.Scenario(scenario).run()
    values = [v for name, v in zip(run.traces["trace"], run.traces["value"], strict=True) if "window" in str(name)]
    return max(values)


def test_a_program_that_says_null_has_the_same_bound() -> None:
    program = by(command("answer = json.dumps({'t': event['t'], 'cwnd': None})"))
    scenario = data(program, {"kind": "fcfs", "buffer": "60000B"}, traces=["window"], duration="1s")
    assert largest(scenario) == most(10e6, 0.02, 60_000)


def test_a_run_may_take_what_all_work_may(monkeypatch: pytest.MonkeyPatch) -> None:
    """A window of a million packets, of which each takes memory at its own host."""
    flow = {"kind": "generic", "window": 1_000_000}
    text = headgate.Scenario(data(flow, {"kind": "fcfs", "buffer": "100pkt"}, duration="60s")).to_json()
    memory.limit_to("20MB")
    with pytest.raises(headgate.ScenarioError, match=r"expected a run that takes at most 0\.020 GB of memory"):
        run_once(text)
    assert memory.share(None, 4) == 5_000_000


#: Every entry of the engine that makes a run, without a limit of its own.
ENTRIES: dict[str, Callable[[str], object]] = {
    "run": lambda text: _core.run(text),
    "run with a control": lambda text: _core.run(text, 1, 0, _core.Control()),
    "run with rows": lambda text: _core.run(text, 1, 0, None, lambda name, rows: None),
    "batch": lambda text: _core.Batch().run(text),
    "events": lambda text: _core.events(text, 1, 0, 0, 10**9),
    "tracks": lambda text: _core.tracks(text, 1, 0, 0.0, 1e3, 10),
    "part_of": lambda text: _core.part_of(text, 1, 0, 0.0, 1e3, 10),
    "follow": lambda text: _core.follow(text, 1, 0, lambda *part: None, False),
    "measure": _core.measure,
    "calls": lambda text: _core.Calls.record(text, "line"),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_entry_of_the_engine_is_without_the_limit(entry: str) -> None:
    """A window of a million packets takes more memory than the process may, while the run goes on."""
    flow = {"kind": "generic", "window": 1_000_000}
    # The structure of which `Calls` records the calls.
    queue = {"kind": "fq", "drop_policy": "largest_bid"}
    text = headgate.Scenario(data(flow, queue, duration="60s")).to_json()
    memory.limit_to("10MB")
    with pytest.raises(headgate.ScenarioError, match=r"at most 0\.010 GB of memory: after [\d.]+ s of simulated time"):
        ENTRIES[entry](text)


def test_all_entries_are_looked_at() -> None:
    """What has a scenario as its argument, by the stub: what makes a run of it belongs into the list above, or among what only reads it."""
    stub = (Path(headgate.__file__).parent / "_core.pyi").read_text("utf-8")
    given = re.findall(r"def (\w+)\(\s*(?:self, )?scenario_json", stub)
    # `Resolved(...)` is `__init__`.
    read = {
        "__init__",
        "check",
        "check_at",
        "controls",
        "value_at",
        "with_value",
        "in_step",
        "phase_scenarios",
        "discipline",
    }
    assert sorted(name for name in given if name not in read) == [
        "events",
        "follow",
        "measure",
        "part_of",
        "record",
        "run",
        "run",
        "tracks",
    ]


def test_the_memory_of_a_process_is_what_its_limits_leave(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = memory.of_machine()
    assert 0 < memory.limit() <= whole * 3 // 4
    group = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_containers", lambda: [str(group), str(tmp_path / "none")])
    for text, expected in (("max\n", whole), ("1000000000\n", 1_000_000_000)):
        group.write_text(text)
        assert memory.of_machine() <= expected
    assert memory.resource is not None
    monkeypatch.setattr(memory.resource, "getrlimit", lambda _: (500_000_000, 500_000_000))
    assert memory.of_machine() == 500_000_000 and memory.share(None, 1) == 375_000_000


#: Commands that make runs, with what they need.
COMMANDS = {
    "quick": ["5Mbit/s", "20ms", "reno"],
    "evaluate": ["reno", "--suite", "smoke"],
    "referee": ["reno"],
    "attack": ["reno"],
    "contract": ["reno"],
    "buffer": ["5Mbit/s", "20ms"],
    "conform": ["mine.py"],
    "diff": ["a.json", "a.json"],
    "train": ["--out", "learned.py"],
    "reproduce": ["demers1989"],
    "infer": ["demers1989"],
    "run": ["a.json"],
    "sweep": ["a.json"],
    "artifact": ["a.json"],
    "matrix": [],
    "game": [],
    "replay": ["t.csv"],
    "explore": [],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_makes_runs_has_a_limit_of_memory(name: str, cli: Cli) -> None:
    assert "--max-memory" in " ".join(cli(name, "--help").stdout.split())


def test_the_limit_reaches_the_runs_of_a_command(tmp_path: Path, cli: Cli) -> None:
    put(tmp_path, WIDE.format(window="1e9"))
    done = cli("conform", "mine.py", "--max-memory", "100kB")
    assert "at most 0.000 GB of memory" in " ".join((done.stdout + done.stderr).split())
    # Runs of reno may be known from another test of this process.
    done = cli("evaluate", "vegas", "--suite", "smoke", "--rounds", "1", "--max-memory", "1kB")
    assert (done.returncode, done.stdout) == (2, "") and "of memory" in done.stderr
    done = cli("evaluate", "reno", "--max-memory", "much")
    assert done.returncode == 2 and "memory 'much': expected a size above zero such as 512MB or 4GiB" in done.stderr


def test_a_size_that_is_none_is_refused() -> None:
    with pytest.raises(HeadgateError, match="expected a size"):
        memory.limit_to("lots")
