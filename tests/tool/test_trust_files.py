"""Files of a scenario that lie outside of its folder, and code that is known by its contents."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from headgate.cli import scenario_files
from headgate.plugins import native, trust, trust_list

from ..conftest import Cli
from ..own_plugins import data
from ..whole.test_trust import LOUD, forget, put


class Terminal:
    """A terminal in which a user answers questions."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.asked = list(answers), ""

    def isatty(self) -> bool:
        return True

    def readline(self) -> str:
        return self.answers.pop(0) + "\n"

    def write(self, text: str) -> None:
        self.asked += text

    def flush(self) -> None:
        """Nothing waits."""


def answering(monkeypatch: pytest.MonkeyPatch, *answers: str) -> Terminal:
    terminal = Terminal(*answers)
    monkeypatch.setattr(scenario_files, "sys", SimpleNamespace(stdin=terminal, stderr=terminal))
    return terminal


def outside(folder: Path) -> Path:
    """A scenario in a folder of its own that names two files beside that: a plugin, which says when it is run, and a rate."""
    (folder / "own").mkdir()
    (folder / "rates.csv").write_text("0s,1Mbit/s\n")
    (folder / "own.py").write_text(LOUD.replace("MARK", str(folder / "ran")))
    contents = data("own", plugins=["../own.py"], duration="200ms")
    contents["links"][1]["rate"] = {"kind": "steps", "file": "../rates.csv"}
    return put(folder / "own", contents)


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))


@pytest.mark.parametrize("words", [["check"], ["show"], ["run", "--allow-code"]])
def test_who_says_yes_has_the_files_read(
    words: list[str], tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is asked about once, by the path that it has; a yes to a file is none to its code."""
    outside(tmp_path)
    terminal = answering(monkeypatch, "y", "YES")
    done = cli(*words, "own/a.json")
    assert done.returncode == 0, done.stderr
    questions = [line for line in terminal.asked.split("[y/N] ") if line]
    assert len(questions) == 2 and not terminal.answers
    for file in ("own.py", "rates.csv"):
        assert sum(str(tmp_path / file) in question for question in questions) == 1
    assert all("lies outside of the folder of the scenario. Read it?" in question for question in questions)
    assert (tmp_path / "ran").exists() == ("--allow-code" in words)


@pytest.mark.parametrize("answers", [["n"], ["y", ""], ["y", "yep"]])
def test_who_says_no_to_one_has_none_read(
    answers: list[str], tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside(tmp_path)
    terminal = answering(monkeypatch, *answers)
    done = cli("run", "own/a.json", "--allow-code")
    assert done.returncode == 2 and "expected a file in the folder of the scenario" in done.stderr
    assert not terminal.answers and not (tmp_path / "ran").exists()


def test_the_files_and_the_code_are_two_questions(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    outside(tmp_path)
    terminal = answering(monkeypatch, "y", "y", "n")
    done = cli("run", "own/a.json")
    assert done.returncode == 2 and "it would run code" in done.stderr
    assert "Run it this once?" in terminal.asked and not terminal.answers and not (tmp_path / "ran").exists()
    forget()
    answering(monkeypatch, "y", "y", "y")
    assert cli("run", "own/a.json").returncode == 0 and (tmp_path / "ran").exists()


def test_trust_asks_about_files_too_and_is_of_what_they_have(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside(tmp_path)
    answering(monkeypatch, "n")
    assert cli("trust", "own/a.json").returncode == 2 and not trust_list.entries()
    answering(monkeypatch, "y", "y")
    assert cli("trust", "own/a.json").returncode == 0 and len(trust_list.entries()) == 1
    assert not (tmp_path / "ran").exists()
    # Trusted is the code, whose file is still read only where that is allowed.
    terminal = answering(monkeypatch, "y", "y")
    assert cli("run", "own/a.json").returncode == 0 and (tmp_path / "ran").exists()
    assert "Run it" not in terminal.asked
    forget()
    assert cli("run", "own/a.json", "--allow-files", ".").returncode == 0
    (tmp_path / "own.py").write_text((tmp_path / "own.py").read_text() + "\n")
    forget()
    terminal = answering(monkeypatch, "y", "y", "n")
    assert cli("run", "own/a.json").returncode == 2 and "Run it this once?" in terminal.asked


def test_files_outside_of_the_folder_stay_an_error_without_a_terminal(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "rates.csv").write_text("0s,1Mbit/s\n")
    contents = data()
    contents["links"][1]["rate"] = {"kind": "steps", "file": "../rates.csv"}
    put(tmp_path / "own", contents)
    for words in (["check", "own/a.json"], ["run", "own/a.json"], ["show", "own/a.json"]):
        assert "expected a file in the folder of the scenario" in cli(*words).stderr
    assert cli("check", "own/a.json", "--allow-files", ".").returncode == 0


def test_native_code_is_known_by_its_contents(tmp_path: Path) -> None:
    for name, text in (("a.so", "1"), ("b.so", "1"), ("c.so", "2")):
        (tmp_path / name).write_text(text)
    a, b, c = (trust.of_entry(native.entry_of(tmp_path / n, n, ""), "").digest for n in ("a.so", "b.so", "c.so"))
    assert a == b != c
