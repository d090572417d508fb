"""What takes long tells how far it is, also where there is no terminal."""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import re
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from headgate.cli import finding, studies, terminal

from ..conftest import ROOT, Cli, dumbbell
from ..own_programs import command


class Watched(io.StringIO):
    """A stream that tells when something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = threading.Event()

    def write(self, text: str) -> int:
        done = super().write(text)
        if "\n" in text:
            self.written.set()
        return done


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line comes at once."""
    monkeypatch.delenv("HEADGATE_PROGRESS")
    monkeypatch.setattr(terminal, "AFTER_S", 0.0)


@pytest.mark.parametrize(
    ("completed", "total", "seconds", "line"),
    [
        (20, 80, 20, "judging: 25 % after 20 s, about 60 s more"),
        (1, 200, 5, "judging: 0 % after 5 s, about 17 min more"),
        (1, 2, 9000, "judging: 50 % after 2.5 h, about 2.5 h more"),
        (0, 80, 5, "judging: 5 s so far"),
        (0, None, 200, "judging: 3 min so far"),
        (80, 80, 40, "judging: 40 s so far"),
    ],
)
def test_how_far_it_is(completed: float, total: float | None, seconds: float, line: str) -> None:
    """Three quarters take three times as long as the first one."""
    assert terminal.far(terminal.Undrawn("judging", total, completed), seconds) == line


def test_the_page_has_such_a_line() -> None:
    assert "judging: 25 % after 20 s, about 60 s more" in (ROOT / "docs/how-to/shell-and-editor.md").read_text("utf-8")


@pytest.mark.usefixtures("at_once")
def test_what_has_ended_nothing_yet_says_so_too() -> None:
    told = Watched()
    with contextlib.redirect_stderr(told), terminal.progress("judging", "; --trusted is faster"):
        assert told.written.wait(60)
    assert re.match(r"judging: \d+ s so far; --trusted is faster\n", told.getvalue())


@pytest.mark.usefixtures("at_once")
def test_the_estimate_is_that_of_the_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    told = Watched()
    monkeypatch.setattr(terminal, "far", lambda found, _: f"{found.description} {found.completed:g} of {found.total:g}")
    with contextlib.redirect_stderr(told), terminal.progress("judging") as update:
        assert update is not None
        update(0.25, 1, 4)
        told.written.clear()
        assert told.written.wait(60)
    assert "judging 1 of 4" in told.getvalue()


def test_it_can_be_left_out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(terminal, "AFTER_S", 0.0)
    with terminal.progress("judging") as update:
        assert update is None
    assert capsys.readouterr().err == ""


def test_a_program_as_subject_is_told_of(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a command prints stays as it is, and nothing is left of the thread that told."""
    from headgate.lab.conformance import controls, work

    monkeypatch.delenv("HEADGATE_PROGRESS")
    monkeypatch.setattr(terminal, "AFTER_S", 0.0)
    monkeypatch.setitem(work.CHECKS, "control", dict(controls.CHECKS[:2]))
    done = cli("conform", json.dumps(command()), "--json")
    assert done.returncode == 0 and json.loads(done.stdout)["passed"]
    # Whether it took long enough for one is the machine's affair.
    assert all(line.startswith("testing: ") for line in done.stderr.splitlines())
    (tmp_path / "a.json").write_text(json.dumps(dumbbell(duration="7s", interval="1s")))
    for words in (("diff", "a.json", "a.json"), ("run", "a.json")):
        done = cli(*words)
        assert done.returncode == 0 and "Traceback" not in done.stderr
    assert not [thread for thread in threading.enumerate() if "tell" in thread.name]


@pytest.mark.parametrize("name", finding.own_names())
def test_a_command_says_how_far_it_is_or_that_it_ends_at_once(name: str) -> None:
    found = finding.class_of(name)
    text = inspect.getsource(inspect.getmodule(found))  # type: ignore[arg-type]
    assert any(call in text for call in ("progress(", " ran(", "judging(", "answered(", " fill(")) != found.at_once, (
        f"{name}: expected `progress` of terminal.py, or `at_once = True`"
    )


def test_lines_that_are_due_together_are_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After 5, 10, 20 and 40 s lines are due; a machine that stood still until 77 s has one of them, and the next one is later."""
    times, now, said = iter([0.0, 0.0, 77.0, 78.0, 79.0]), [0.0], threading.Event()

    class Event(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            waits.append(timeout or 0.0)
            if len(waits) > 1:
                said.set()
                return super().wait(10)
            return False

    waits: list[float] = []

    def clock() -> float:
        now[0] = next(times, now[0])
        return now[0]

    bar = terminal.Lines()
    bar.add_task("judging", total=None)
    monkeypatch.setattr(terminal, "threading", SimpleNamespace(Event=Event, Thread=threading.Thread))
    monkeypatch.setattr(terminal, "time", SimpleNamespace(monotonic=clock))
    with terminal._told(bar):
        assert said.wait(10)
    assert capsys.readouterr().err == "judging: 77 s so far\n"
    # The line after that of 40 s is due at 80 s.
    assert waits[:2] == [5.0, pytest.approx(80 - 78)]


@pytest.mark.usefixtures("at_once")
def test_a_study_tells_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """What prints the lines is loaded after the runs have begun, and knows what ended meanwhile."""
    monkeypatch.setattr(studies, "LOADED_S", 0.0)
    told = Watched()
    with contextlib.redirect_stderr(told), studies.study_progress("running part 3/64", Path("out")) as update:
        assert update is not None
        update(19, 80, 1)
        while "running part 3/64: 25 % after " not in told.getvalue():
            told.written.wait(0.1)
    assert not [thread for thread in threading.enumerate() if "tell" in thread.name]
