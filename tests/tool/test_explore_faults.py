"""What fails in a run on the page is said on the page: of a plugin and of a program, and of headgate itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from headgate import plugins
from headgate.explore.subject import subject_of

from ..conftest import ROOT
from ..explorer import Page
from ..own_plugins import GET, control, data, put, queue
from ..own_programs import by, command, scenario


def said(contents: dict[str, Any], folder: Path, **more: Any) -> list[dict[str, Any]]:
    """The lines of the answer to a run on the page of a scenario."""
    (folder / "a.json").write_text(json.dumps(contents))
    page = Page(subject_of(folder / "a.json", allow_code=True))
    return page.lines(
        "/api/run", {"scenario": page.get("/api/start").json()["scenario"], "seed": 1, "tab": "x"}, **more
    )


FAIL = "if self.calls == 300: raise ValueError('gone')"

#: Of each kind of plugin a file that fails, the flow control and the queue of the scenario, and how the message begins.
FAULTY = {
    "control": (control(f"        {FAIL}"), "own", "fcfs", "flow own, on_ack at 0."),
    "discipline": (queue(dequeue=f"        {FAIL}\n{GET}"), "reno", "own", "line"),
}


@pytest.mark.parametrize("kind", FAULTY)
def test_a_plugin_that_fails_is_said_with_its_line(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, flow, line, place = FAULTY[kind]
    file = put(tmp_path, text)
    at = 1 + next(i for i, each in enumerate(file.read_text().splitlines()) if "raise ValueError" in each)
    *_, last = said(data(flow, line, plugins=["mine.py"]), tmp_path)
    assert last.keys() == {"error"}
    message = last["error"]["message"]
    assert place in message
    assert "ValueError: gone" in message and message.endswith(f" (mine.py, line {at})")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (command("n < 9 or sys.exit('no more')"), "until its input ends; its error output ends with: no more"),
        (["/no/such"], "expected a program that can be started, found '/no/such'; No such file or directory"),
        (command("answer = 'hello'"), "answered 'hello'; expected JSON such as "),
    ],
)  # fmt: skip
def test_a_program_that_fails_is_said(
    program: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, last = said(scenario(by(program)), tmp_path)
    assert why in last["error"]["message"] and last["error"]["message"].startswith("flow f, on_")
    assert capsys.readouterr().err == ""


def test_in_a_comparison_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(tmp_path, FAULTY["control"][0])
    (tmp_path / "a.json").write_text(json.dumps(data("own", plugins=["mine.py"])))
    page = Page(subject_of(tmp_path / "a.json", allow_code=True))
    own = page.get("/api/start").json()["scenario"]
    last = page.lines("/api/compare", {"a": {"scenario": own}, "b": {"scenario": data("reno")}, "seeds": 1})[-1]
    assert "ValueError: gone (mine.py, line " in last["error"]["message"] and capsys.readouterr().err == ""


def test_code_that_was_not_allowed_is_said_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = Page(subject_of(ROOT / "scenarios/game.toml"))
    unknown = data("own", plugins=[{"name": "x.py", "source": "import headgate\n" + control()}])
    last = page.lines("/api/run", {"scenario": unknown, "seed": 1, "tab": "x"})[-1]
    assert "it would run code, which was not allowed" in last["error"]["message"]
    assert capsys.readouterr().err == "" and "own" not in plugins.registry.names()


def test_a_fault_of_headgate_ends_the_answer_with_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Planted in the run itself: the page has no other way to know of it."""
    with patch("headgate.explore.runs.run", side_effect=AssertionError("planted")):
        *_, last = said(data("reno"), tmp_path)
    assert "which is a fault of headgate; its terminal has a line about it" in last["error"]["message"]
    assert "AssertionError: 'planted'" in capsys.readouterr().err
