"""A scenario is data: what looks at one runs nothing of it, and what runs it needs the user's word."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import headgate
from headgate import plugins
from headgate.base.errors import HeadgateError
from headgate.base.programs import commands
from headgate.checks import diff
from headgate.explore.lesson_files import with_own
from headgate.explore.subject import subject_of
from headgate.lab.training.ranges import Scenarios
from headgate.papers import completing
from headgate.papers.load import load_paper
from headgate.plugins import CodeError, registry, trust, trust_list

from ..conftest import Cli
from ..explorer import Page
from ..own_plugins import CONTROL, data, queue
from ..own_programs import command
from ..papers.test_paper_folders import write_paper

Make = Callable[..., Path]

#: A control that says when its file is run.
LOUD = "import headgate, pathlib\npathlib.Path('MARK').touch()\n" + CONTROL.format(options="", body="        pass")
QUEUE = "import headgate, pathlib\npathlib.Path('MARK').touch()\n" + queue()
PROGRAM = ["/bin/sh", "-c", "touch MARK; exit 3"]


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """The file that code makes when it is run."""
    return tmp_path / "ran"


@pytest.fixture(autouse=True)
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "settings/headgate/trusted.json"


def forget() -> None:
    """As in a new process."""
    plugins.unload()
    trust.forget()


def inline(text: str, mark: Path) -> list[dict[str, str]]:
    return [{"name": "x.py", "source": text.replace("MARK", str(mark))}]


def program(mark: Path) -> dict[str, Any]:
    return {"kind": "process", "command": [part.replace("MARK", str(mark)) for part in PROGRAM]}


#: Ways in which a scenario names code, with the flow control and the queue that it then has.
WAYS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "control": lambda m: data({"kind": "own", "size": 5}, plugins=inline(LOUD, m)),
    "discipline": lambda m: data(queue={"kind": "own", "limit": 7}, plugins=inline(QUEUE, m)),
    "module": lambda m: data("own", plugins=["loud:Own"]),
    "dynamic": lambda m: data("own", plugins=inline(LOUD.replace('"own"', '"o" "wn"'), m)),
    "native": lambda m: data(
        "own", plugins=[{"name": "a.so", "source": json.dumps({"file": str(m.parent / "a.so"), "sha256": "0" * 64})}]
    ),
    "process": lambda m: data(program(m)),
}


@pytest.fixture(params=WAYS)
def scenario(request: pytest.FixtureRequest, mark: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    (mark.parent / "loud.py").write_text(LOUD.replace("MARK", str(mark)))
    monkeypatch.syspath_prepend(mark.parent)
    return WAYS[request.param](mark)


def put(folder: Path, contents: dict[str, Any], name: str = "a.json") -> Path:
    file = folder / name
    file.write_text(json.dumps(contents))
    return file


def test_commands_that_look_run_nothing(scenario: dict[str, Any], mark: Path, cli: Cli) -> None:
    """All of them are done, and say what they did not look at."""
    put(mark.parent, scenario)
    put(mark.parent, {**scenario, "sweep": {"axes": {"links.line.rate": ["1Mbit/s", "2Mbit/s"]}}}, "study.json")
    for words in (
        ["check", "a.json"],
        ["show", "a.json"],
        ["check", "study.json"],
        ["sweep", "study.json", "--dry-run"],
    ):
        done = cli(*words)
        assert done.returncode == 0, done.stderr
        if words[0] != "show":
            assert "not run" in done.stderr or "not started" in done.stderr, words
    shown = json.loads(cli("check", "a.json").stdout)
    # Parameters are as they were written: nobody asked the code for its defaults.
    assert shown["flows"][0]["control"].get("size", 5) == 5
    assert not mark.exists()
    assert "own" not in registry.names() and not trust.codes(scenario)[0].allowed


def test_commands_that_run_it_are_refused_and_show_it(scenario: dict[str, Any], mark: Path, cli: Cli) -> None:
    put(mark.parent, scenario)
    put(mark.parent, {**scenario, "sweep": {"axes": {"links.line.rate": ["1Mbit/s", "2Mbit/s"]}}}, "study.json")
    place = "flows[0].control.command" if "plugins" not in scenario else "plugins[0]"
    for words in (
        ["run", "a.json"],
        ["run", "study.json", "--base"],
        ["sweep", "study.json"],
        ["explore", "a.json", "--no-browser"],
        ["diff", "a.json", "a.json"],
    ):
        done = cli(*words)
        assert done.returncode == 2 and done.stdout == ""
        assert "it would run code, which was not allowed" in done.stderr and f"  {place}: " in done.stderr, words
        assert "--allow-code" in done.stderr and "Traceback" not in done.stderr
    assert not mark.exists() and not (mark.parent / "out").exists()


def test_python_is_as_safe(scenario: dict[str, Any], mark: Path) -> None:
    file = put(mark.parent, scenario)
    made = headgate.Scenario.from_file(file)
    assert made.resolve()["duration"] == "5s"
    assert headgate.Scenario.from_dict(scenario).set("duration", "1s").unread()
    study = headgate.Sweep(made, axes={"links.line.rate": ["1Mbit/s", "2Mbit/s"]})
    assert all(check.error is None for check in study.check())
    for work in (
        made.run,
        headgate.Scenario(scenario).run,
        study.run,
        lambda: study.variant(1).run(),
        lambda: Scenarios(file, {}, None, 1),
        lambda: subject_of(file),
        lambda: diff.load(file),
    ):
        with pytest.raises(CodeError, match="it would run code"):
            work()
    assert not mark.exists()


@pytest.mark.parametrize("way", ["control", "discipline"])
def test_the_word_of_the_user_runs_it(way: str, mark: Path, cli: Cli) -> None:
    contents = WAYS[way](mark)
    put(mark.parent, contents)
    assert cli("run", "a.json", "--allow-code").returncode == 0 and mark.exists()
    forget()
    assert headgate.Scenario(contents, allow_code=True).run(seed=1).flow_summaries()
    forget()
    # What is named on the command line is the user's own word, for a look too: the parameters are then checked.
    (mark.parent / "x.py").write_text(contents["plugins"][0]["source"])
    done = cli("check", "a.json", "--plugin", "x.py")
    assert done.returncode == 0 and "not run" not in done.stderr
    assert cli("run", "a.json", "--plugin", "x.py").returncode == 0
    forget()
    # The file names none, so that the one of the option is all that is run.
    put(mark.parent, {k: v for k, v in contents.items() if k != "plugins"})
    assert cli("run", "a.json", "--set", 'plugins=["x.py"]').returncode == 0


def test_a_command_of_an_option_is_the_users_own(mark: Path, cli: Cli) -> None:
    """And switching to a command that the file has is not."""
    put(mark.parent, data({"kind": "cubic"}))
    done = cli("run", "a.json", "--set", f"flows.own.control={{kind = 'process', command = {PROGRAM!r}}}")
    assert "not allowed" not in done.stderr and "exit code 3" in done.stderr
    put(mark.parent, data({"kind": "cubic", "command": program(mark)["command"]}))
    done = cli("run", "a.json", "--set", "flows.own.control.kind=process")
    assert "it would run code" in done.stderr and not mark.exists()


def test_what_is_trusted_is_asked_about_again_when_it_changes(mark: Path, cli: Cli, settings: Path) -> None:
    text = LOUD.replace("MARK", str(mark))
    (mark.parent / "own.py").write_text(text)
    file = put(mark.parent, data("own", plugins=["own.py"]))
    done = cli("trust", "a.json")
    assert done.returncode == 0 and "own.py, " in done.stdout and not mark.exists()
    assert settings.stat().st_mode & 0o077 == 0 or settings.parent.stat().st_mode & 0o077 == 0
    listed = json.loads(cli("trust", "--json").stdout)["files"]
    assert [entry["file"] for entry in listed] == [str(file)]
    assert cli("run", "a.json").returncode == 0 and mark.exists()
    assert cli("run", "a.json", "--set", "duration=1s").returncode == 0
    # A look runs nothing all the same.
    forget()
    mark.unlink()
    assert cli("check", "a.json").returncode == 0 and not mark.exists()
    assert headgate.Scenario.from_file(file).run(seed=1).flow_summaries()
    for change in (
        lambda: (mark.parent / "own.py").write_text(text + "\n"),
        lambda: put(mark.parent, data("own", plugins=["own.py"], duration="6s")),
    ):
        forget()
        change()
        assert "it would run code" in cli("run", "a.json").stderr
        assert cli("trust", "a.json").returncode == 0 and cli("run", "a.json").returncode == 0
    # One entry for a file, whatever it was before.
    assert len(trust_list.entries()) == 1
    forget()
    assert cli("trust", "--remove", "a.json").returncode == 0
    assert "it would run code" in cli("run", "a.json").stderr
    assert "is not on the list" in cli("trust", "--remove", "a.json").stderr
    assert cli("trust").stdout.startswith("0 files in ")


def test_a_program_is_trusted_with_the_files_that_it_is_given(mark: Path, cli: Cli) -> None:
    script = mark.parent / "answers.sh"
    script.write_text("exit 4\n")
    put(mark.parent, data({"kind": "process", "command": ["/bin/sh", "answers.sh"]}))
    assert cli("trust", "a.json").returncode == 0
    assert "exit code 4" in cli("run", "a.json").stderr
    forget()
    script.write_text("exit 5\n")
    assert "it would run code" in cli("run", "a.json").stderr


def test_bad_lists_and_files_are_one_error(cli: Cli, settings: Path, mark: Path) -> None:
    put(mark.parent, data("cubic"))
    assert "expected a scenario that names code" in cli("trust", "a.json").stderr
    put(mark.parent, WAYS["control"](mark))
    for text in ("{", "[1]", '[{"digest": 1}]', "null", '"text"'):
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(text)
        for words in (["trust"], ["trust", "a.json"], ["run", "a.json"]):
            done = cli(*words)
            assert done.returncode == 2 and f"{settings}: expected the list that" in done.stderr, (text, words)
    assert not mark.exists()


def test_commands_are_found_wherever_they_stand(mark: Path) -> None:
    nested = {
        "flows": [{"control": {"kind": "process", "command": ["a"]}}],
        "sweep": {
            "axes": {"flows.0.control": ["cubic", {"kind": "process", "command": ["b"]}]},
            "zip": [{"flows.0.control.command": [["c"], ["d", "1"]]}],
            "cases": {"x": {"one": {"flows.0": {"control": {"kind": "process", "command": ["e"]}}}}},
        },
    }
    assert sorted(c for _, c in commands(nested)) == [("a",), ("b",), ("c",), ("d", "1"), ("e",)]


def test_an_axis_starts_no_program_that_was_not_allowed(mark: Path, cli: Cli) -> None:
    """Neither one of a table nor one of a list of commands."""
    own = program(mark)
    for axes in (
        {"flows.own.control": ["cubic", own]},
        {"flows.own.control.command": [["/bin/true"], own["command"]]},
    ):
        base = data({"kind": "process", "command": ["/bin/true"]}) if "flows.own.control.command" in axes else data()
        put(mark.parent, {**base, "duration": "100ms", "sweep": {"axes": axes}})
        done = cli("sweep", "a.json", "--workers", "1")
        assert done.returncode == 2 and "touch" in done.stderr and not mark.exists()


def test_a_program_that_nobody_allowed_is_not_started_at_last(mark: Path) -> None:
    """The engine itself is given the scenario, past every question."""
    made = headgate.Scenario(data(program(mark)))
    with pytest.raises(headgate.PluginError, match="was not started: expected a program that was allowed to run"):
        headgate._core.run(made.to_json(), 1)
    assert not mark.exists()


def test_stored_studies_are_only_looked_at(mark: Path, cli: Cli) -> None:
    file = put(
        mark.parent,
        WAYS["control"](mark) | {"duration": "200ms", "sweep": {"axes": {"links.line.rate": ["1Mbit/s", "2Mbit/s"]}}},
    )
    assert cli("sweep", file.name, "--out", "study", "--allow-code", "--workers", "1").returncode == 0
    forget()
    mark.unlink()
    for words in (
        ["compare", "study", "--by", "rate", "--metric", "goodput"],
        ["plot", "study", "--out", "a.svg"],
    ):
        done = cli(*words)
        assert done.returncode in (0, 2) and "Traceback" not in done.stderr, done.stderr
    subject = subject_of(mark.parent / "study")
    assert subject.points is not None and subject.points.variant(1)["scenario"]["plugins"]
    with plugins.sealed():
        assert headgate.Scenario(subject.points.variant(1)["scenario"]).resolve()
        with pytest.raises(CodeError):
            headgate.Scenario(subject.points.variant(1)["scenario"]).run()
        with pytest.raises(HeadgateError, match="not loaded at the start"):
            headgate.Scenario(data("own", plugins=inline(LOUD + "#", mark))).resolve()
    assert not mark.exists()
    done = cli("sweep", file.name, "--out", "study", "--resume", "--workers", "1")
    assert done.returncode == 2 and "it would run code" in done.stderr and not mark.exists()


def test_a_program_of_an_axis_is_looked_at_too(mark: Path, cli: Cli) -> None:
    """The base of such a study names no program, and the page has to know of it before it takes nothing more."""
    own = {"kind": "process", "command": command()}
    study = data("reno", duration="100ms", sweep={"axes": {"flows.own.control": ["reno", own]}})
    put(mark.parent, study)
    assert cli("sweep", "a.json", "--out", "study", "--allow-code", "--workers", "1").returncode == 0
    forget()
    subject = subject_of(mark.parent / "study")
    with plugins.sealed():
        shown = headgate.Scenario(subject.points.variant(1)["scenario"])
        assert shown.resolve()["flows"][0]["control"]["kind"] == "process"
        with pytest.raises(CodeError):
            shown.run()


@pytest.mark.parametrize("text", ["loud.py", '["/bin/sh", "-c", "touch MARK"]', "loud:Own"])
def test_what_is_typed_on_a_page_runs_no_file(text: str, mark: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in the explorer, which is sealed, nor in a notebook, whose process goes on to load what its user wants."""
    (mark.parent / "loud.py").write_text(LOUD.replace("MARK", str(mark)))
    monkeypatch.chdir(mark.parent)
    monkeypatch.syspath_prepend(mark.parent)
    page = Page(subject_of(None))
    answer = page.post("/api/quick", {"given": {"flows": text.replace("MARK", str(mark))}})
    assert answer.status_code == 422, answer.json()
    assert not mark.exists() and not registry.is_sealed()


def test_stored_runs_that_differ_are_not_repeated_unasked(mark: Path, cli: Cli) -> None:
    put(mark.parent, WAYS["control"](mark))
    for seed in (1, 2):
        assert cli("run", "a.json", "--seed", seed, "--out", f"out{seed}", "--allow-code").returncode == 0
    manifest = mark.parent / "out2/manifest.json"
    manifest.write_text(manifest.read_text().replace('"digest": "', '"digest": "0'))
    forget()
    mark.unlink()
    assert cli("diff", "out1", "out1").returncode == 0
    done = cli("diff", "out1", "out2")
    assert done.returncode == 2 and "it would run code" in done.stderr and not mark.exists()


def test_lessons_and_cases_of_others_are_asked_about(mark: Path, cli: Cli) -> None:
    lesson = next((Path(headgate.__file__).parent / "explore/lessons").glob("*.toml")).read_text()
    entries = json.dumps(inline("", mark)[0]["source"])
    start = f"\n[scenario]\nplugins = [{{ name = 'x.py', source = {entries} }}]\n"
    (mark.parent / "lessons").mkdir()
    (mark.parent / "lessons/own.toml").write_text(lesson.replace("\n[scenario]\n", start, 1))
    with pytest.raises(CodeError, match=r"own\.toml: scenario: it would run code"):
        with_own(mark.parent / "lessons")
    words = json.dumps(program(mark)["command"])
    (mark.parent / "own.case").write_text(
        'title = "t"\nsource = "s"\njudges = "control"\nline = { rate = "1Mbit/s", rtt = "20ms" }\nreport = [{ metric = "goodput" }]\n'
        '[[flows]]\nname = "own"\ncontrol = "subject"\n'
        f'[[flows]]\nname = "beside"\ncontrol = {{ kind = "process", command = {words} }}\n'
    )
    done = cli("referee", "cubic", "--case", "own.case")
    assert done.returncode == 2 and "own.case: it would run code" in done.stderr and not mark.exists()
    # Allowed, its program is started, and fails as it is made to.
    cli("referee", "cubic", "--case", "own.case", "--runs", "1", "--workers", "1", "--allow-code")
    assert mark.exists()


def test_a_papers_folder_runs_where_it_is_named_to_run(mark: Path, cli: Cli) -> None:
    """And neither for a completion nor for a look at it."""
    folder = mark.parent / "mypaper"
    write_paper(folder)
    (folder / "claims.py").write_text(f"import pathlib\npathlib.Path({str(mark)!r}).touch()\n")
    assert load_paper(str(folder), look=True).items
    with pytest.raises(CodeError):
        subject_of(folder)
    completed = completing.items(SimpleNamespace(params={"paper": str(folder)}), None, "")  # type: ignore[arg-type]
    assert completed == ["two-sources"] and not mark.exists()
    assert cli("reproduce", str(folder)).returncode == 2 and mark.exists()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 2), ("", 2)])
def test_a_terminal_is_asked_once(answer: str, code: int, mark: Path) -> None:
    put(mark.parent, WAYS["control"](mark))
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", "from headgate.cli import main; main()", "run", "a.json"]
    running = subprocess.Popen(command, cwd=mark.parent, stdin=theirs, stderr=theirs, stdout=subprocess.PIPE, text=True)
    os.close(theirs)
    said = b""
    while b"[y/N]" not in said:
        said += os.read(ours, 1000)
    assert b"pathlib.Path(" in said and b"plugins[0]: x.py" in said and not mark.exists()
    os.write(ours, f"{answer}\n".encode())
    out, _ = running.communicate(timeout=60)
    os.close(ours)
    assert running.returncode == code and mark.exists() == (code == 0) and bool(out) == (code == 0)
