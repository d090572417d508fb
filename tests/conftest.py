from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import HealthCheck, settings

import headgate.plugins
from headgate.cli import main
from headgate.cli.finding import own_names
from headgate.papers.runs import Work

from .printed import undeclared
from .shared_runs import SharedRuns

# One profile for every property: how fast a machine is decides no test, and where CI is set the same examples are tried each time.
settings.register_profile(
    "headgate",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("headgate")

# A shell without job control starts background jobs with SIGINT ignored, which the programs under test would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)

# How long something takes decides no test.
os.environ["HEADGATE_PROGRESS"] = "off"

# What is no terminal has 80 columns.
os.environ.pop("COLUMNS", None)

ROOT = Path(__file__).parent.parent

# Whom the user of this machine trusts decides no test.
os.environ["XDG_CONFIG_HOME"] = str(ROOT / ".cache/test-settings")

Cli = Callable[..., subprocess.CompletedProcess[str]]

#: Fixtures that run a whole paper or a chapter: all tests that look at them are slow.
WHOLE = {"demers", "keshav", "chapter_3", "chapter_4", "chapter_5", "both"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what waits for a whole paper."""
    for item in items:
        if WHOLE & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@contextlib.contextmanager
def signals_kept() -> Iterator[None]:
    """Gives the process its own handlers back, which processes that are started later inherit: a command that ended ignores Ctrl-C."""
    handlers, hook = (
        {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)},
        sys.unraisablehook,
    )
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


@pytest.fixture(autouse=True)
def no_test_changes_what_later_ones_inherit() -> Iterator[None]:
    """A command that is run in the process of a test would leave Ctrl-C ignored, in each program that later tests start."""
    with signals_kept():
        yield


@pytest.fixture(scope="session", autouse=True)
def runs_of_papers_are_made_once() -> Iterator[None]:
    """Where a test names no folder for the runs of a paper, they are taken from one that all tests share; not those with planted faults."""
    if os.environ.get("HEADGATE_PLANTED"):
        yield
        return
    shared = SharedRuns(ROOT / ".cache/test-runs")
    begin, remember = Work.__init__, Work.remember

    def with_store(self: Work, threads: int | None = None, store: Any = None, cluster: Any = None, **more: Any) -> None:
        begin(self, threads, shared if store is None and cluster is None and sharing else store, cluster, **more)

    def measured(self: Work, make: Callable[[], Any], *parts: Any) -> Any:
        # What is measured on the machine differs each time.
        return json.loads(json.dumps(make())) if self.store is shared else remember(self, make, *parts)

    with patch.object(Work, "__init__", with_store), patch.object(Work, "remember", measured):
        yield


#: Not empty while runs of papers are taken from the folder that all tests share.
sharing = [True]


@pytest.fixture(autouse=True)
def own_runs(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test about how runs are made and kept makes its own: one marked `own_runs`."""
    if request.node.get_closest_marker("own_runs") is None:
        yield
        return
    kept, sharing[:] = list(sharing), []
    yield
    sharing[:] = kept


@pytest.fixture(autouse=True)
def no_plugins() -> Iterator[None]:
    """Commands run in the process of the tests, and what they load would stay."""
    yield
    headgate.plugins.unload()
    headgate.plugins.trust.forget()
    headgate.plugins.set_limit(10)


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """Runs the command in an empty folder, in the process of the test: most commands are done before another Python has started."""

    def run(*args: object) -> subprocess.CompletedProcess[str]:
        # As Python opens them: what a shell gives may be no text.
        modes = ("strict", "backslashreplace")
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", mode, write_through=True) for mode in modes)
        words = ["headgate", *map(str, args)]
        with (
            signals_kept(),
            contextlib.chdir(tmp_path),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            patch.object(sys, "argv", words),
            pytest.raises(SystemExit) as end,
        ):
            main()
        said = [stream.buffer.getvalue().decode() for stream in (out, err)]  # type: ignore[attr-defined]
        assert isinstance(end.value.code, int)
        if "--json" in words and end.value.code < 2 and words[1] in own_names() and said[0][:1] in ("[", "{"):
            assert undeclared(words[1], json.loads(said[0])) == []
        return subprocess.CompletedProcess(words, end.value.code, *said)

    return run


@pytest.fixture
def process(tmp_path: Path) -> Cli:
    """Runs the command in an empty folder, in a separate process: for what depends on the environment or on how Python starts."""

    def run(*args: object) -> subprocess.CompletedProcess[str]:
        code = "from headgate.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, args)], capture_output=True, text=True, cwd=tmp_path
        )

    return run


def wait_for(condition: Callable[[], object], process: subprocess.Popen[str]) -> None:
    """Until something holds or the process has ended."""
    while not condition() and process.poll() is None:
        time.sleep(0.002)


def of_docs(name: str) -> Any:
    """A module that the documentation is written with."""
    with patch.object(sys, "path", [str(ROOT / "docs"), *sys.path]):
        return importlib.import_module(name)


def dumbbell(queue: object = None, flows: object = None, **more: object) -> dict[str, object]:
    """Two hosts behind a gateway, one line of 80 kbit/s."""
    return {
        "duration": "140s",
        "interval": "20s",
        "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "k", "kind": "host"}],
        "links": [
            {"name": "fast", "from": "s", "to": "g", "rate": "800kbit/s"},
            {"name": "slow", "from": "g", "to": "k", "rate": "80kbit/s", "queue": queue or {"kind": "fcfs"}},
        ],
        "flows": flows or [{"name": "ftp", "from": "s", "to": "k", "control": {"kind": "generic", "window": 5}}],
        **more,
    }
