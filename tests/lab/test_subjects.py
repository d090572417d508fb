"""Every command that takes a flow control or a discipline takes every kind of it, or says why it cannot."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

import headgate
from headgate.base.errors import HeadgateError
from headgate.lab.conformance import controls, disciplines, work
from headgate.lab.evaluation import suite
from headgate.lab.referee.report import RefereeReport
from headgate.scenario.subjects import Scheme, divided, read, read_all, several, spelled

from ..conftest import Cli
from ..own_plugins import control, put, queue
from ..own_programs import command
from ..tool.test_native_control import built, template  # noqa: F401

#: Names of kinds, with what a user writes for a flow control; `None` stands for the shared object.
KINDS: dict[str, Callable[[Path], str]] = {
    "name": lambda so: "reno",
    "short name": lambda so: "bbr",
    "parameters": lambda so: "aimd:increase=2",
    "file": lambda so: "mine.py",
    "one of a file": lambda so: "two.py:second",
    "class of a module": lambda so: "own_subject:Own",
    "shared object": str,
    "JSON table": lambda so: '{"kind": "cubic", "beta": 0.8}',
    "TOML table": lambda so: '{kind = "cubic", beta = 0.8}',
    "process table": lambda so: json.dumps({"kind": "process", "command": command()}),
    "command": lambda so: json.dumps(command()),
}

#: What a scenario has in the end for each.
TABLES: dict[str, dict[str, Any]] = {
    "name": {"kind": "reno"},
    "short name": {"kind": "bbr3"},
    "parameters": {"kind": "aimd", "increase": 2},
    "file": {"kind": "own"},
    "one of a file": {"kind": "second"},
    "class of a module": {"kind": "own"},
    "shared object": {"kind": "mine"},
    "JSON table": {"kind": "cubic", "beta": 0.8},
    "TOML table": {"kind": "cubic", "beta": 0.8},
    "process table": {"kind": "process", "command": command()},
    "command": {"kind": "process", "command": command()},
}
CODE = {"file", "one of a file", "class of a module", "shared object"}
PROGRAM = {"process table", "command"}

QUEUES = {
    "name": "codel", "other name": "droptail", "parameters": "red:gentle=true", "file": "fifo.py", "class of a module": "own_queue:Own",
    "JSON table": '{"kind": "fq", "aqm": "codel"}', "TOML table": '{kind = "fq", aqm = "codel"}',
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, control())
    two = control().replace('"own"', '"first"') + control().replace('"own"', '"second"').replace(
        "class Own", "class Other"
    )
    put(tmp_path, two, "two.py")
    put(tmp_path, queue(), "fifo.py")
    put(tmp_path, control(), "own_subject.py")
    put(tmp_path, queue().replace('"own"', '"own_q"'), "own_queue.py")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("own_subject", "own_queue"):
        sys.modules.pop(module, None)


def runs(scheme: Scheme, key: str = "control") -> float:
    """Packets that a flow gets through with it: what was read can be run, without anything else that was loaded."""
    headgate.plugins.unload()
    place = scheme.table if key == "control" else "reno", scheme.table if key == "queue" else "fcfs"
    nodes = [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}]
    links = [
        {"from": "a", "to": "g", "rate": "10Mbit/s"},
        {"from": "g", "to": "b", "rate": "1Mbit/s", "delay": "5ms", "queue": place[1]},
    ]
    data = {"duration": "1s", "plugins": list(scheme.plugins), "nodes": nodes, "links": links}
    data["flows"] = [{"name": "f", "from": "a", "to": "b", "control": place[0]}]
    return headgate.Scenario(data).run(seed=1).flow_summaries()[0].received


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def written(kind: str, built: Path) -> str:  # noqa: F811
    return KINDS[kind](built)


def test_what_is_read_runs(kind: str, written: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    found = read(written, "control")
    assert found.table == TABLES[kind]
    assert bool(found.plugins) == (kind in CODE)
    assert runs(found) > 20
    # In a list it is written by its name, and means the same.
    if kind not in CODE:
        assert read(found.text, "control").table == found.table


@pytest.mark.parametrize("kind_of_queue", QUEUES)
def test_what_is_read_as_a_queue_runs(kind_of_queue: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert runs(read(QUEUES[kind_of_queue], "discipline"), "queue") > 20


#: The judges, and how each is called: what does the work is replaced, and what it is given is looked at.
JUDGES = {
    "referee": ("headgate.lab.referee.judge.judge", ["referee", "{}", "--quick"], "headgate.lab.referee"),
    "attack": ("headgate.lab.attacks.run.attack", ["attack", "{}"], None),
    "attack --against": ("headgate.lab.attacks.run.attack", ["attack", "copa", "--against", "reno,{}"], None),
    "contract": ("headgate.lab.contracts.run.contract", ["contract", "{}"], "headgate.lab.contracts"),
}


@pytest.mark.parametrize("judge", JUDGES)
def test_judges_are_given_what_runs(judge: str, kind: str, written: str, cli: Cli) -> None:
    target, words, shown = JUDGES[judge]
    seen: list[Scheme] = []

    def take(*given: Any, **more: Any) -> Any:
        found = more["against"][-1] if judge == "attack --against" else given[0]
        seen.append(found)
        raise HeadgateError("seen")

    module, name = target.rsplit(".", 1)
    with patch(f"{shown or module}.{name}", take):
        done = cli(*(word.replace("{}", written) for word in words))
    assert (done.returncode, done.stderr) == (2, "error: seen\n")
    assert seen[0].table == TABLES[kind] and runs(seen[0]) > 20


def test_conform_takes_it(kind: str, written: str, cli: Cli) -> None:
    with patch.dict(work.CHECKS, control=dict(controls.CHECKS[:1])):
        done = cli("conform", written)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 of 1 tests passed" in done.stdout


def quickly() -> Any:
    """Without trials of how long it takes."""
    return patch("headgate.lab.frame.study.expected_seconds", lambda *_: 1.0)


def test_evaluate_takes_it(kind: str, written: str, cli: Cli) -> None:
    small = [suite("smoke", "")[0]]
    with patch("headgate.lab.evaluation.judge.suite", lambda *_: small):
        words = ("evaluate", written, "--suite", "smoke", "--rounds", "1", "--workers", "1", "--json")
        done = cli(*words, *(["--trusted"] if kind in CODE | PROGRAM else []))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["control"] == TABLES[kind]["kind"]
        alone = cli(*words) if kind in (PROGRAM | CODE) - {"file", "one of a file"} else None
    # What cannot be kept from cheating needs to be trusted, and the error says why.
    if alone is not None:
        why = (
            "a program has all rights"
            if kind in PROGRAM
            else "only one file of Python can run in a process without rights"
        )
        assert alone.returncode == 2 and "--trusted" in alone.stderr and why in alone.stderr, alone.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("quick", "2Mbit/s", "20ms", "{}", "--duration", "1s", "--no-phase", "--json"),
        ("matrix", "--controls", "vegas,{}", "--queues", "fcfs", "--rate", "2Mbit/s", "--dry-run", "--json"),
        (
            "game",
            "--controls",
            "vegas,{}",
            "--flows",
            "2",
            "--queues",
            "fcfs",
            "--rate",
            "2Mbit/s",
            "--dry-run",
            "--json",
        ),
    ],
    ids=lambda words: words[0],
)
def test_lists_of_flows_have_it(kind: str, written: str, words: tuple[str, ...], cli: Cli) -> None:
    with quickly():
        done = cli(*(word.replace("{}", written) for word in words))
    assert done.returncode == 0, done.stderr
    name = TABLES[kind]["kind"]
    if words[0] == "quick":
        flows = json.loads(done.stdout)["flows"]
        assert {flow["control"] for flow in flows} == {name}
    else:
        assert name in done.stdout or kind == "short name"


def test_control_and_train_take_it(
    kind: str, written: str, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO('{"t": 0, "ev": "sent"}\n'))
    done = cli("control", written, "--stdio")
    assert done.returncode == 0 and json.loads(done.stdout)["cwnd"] >= 1, done.stderr
    from headgate.lab.training.ranges import Scenarios

    monkeypatch.chdir(tmp_path)

    class First:
        def random(self) -> float:
            return 0.0

    _, made = Scenarios(ranges={"control": [written], "competitors": 1, "duration": "1s"}).draw(First())
    flow = made.resolve()["flows"][-1]
    assert TABLES[kind].items() <= flow["control"].items()


@pytest.mark.parametrize("kind_of_queue", QUEUES)
@pytest.mark.parametrize(
    "words",
    [
        ("quick", "2Mbit/s", "20ms", "reno", "--queue", "{}", "--duration", "1s", "--no-phase"),
        ("matrix", "--controls", "reno", "--queues", "fcfs,{}", "--dry-run"),
        ("game", "--controls", "reno,vegas", "--flows", "2", "--queues", "fcfs,{}", "--dry-run"),
        ("replay", "t.csv", "--queue", "{}", "--rate", "1Mbit/s"),
        ("conform", "{}"),
        ("referee", "--aqm", "{}"),
        ("attack", "--queue", "{}"),
    ],
    ids=lambda words: words[0],
)  # fmt: skip
def test_queues_too(kind_of_queue: str, words: tuple[str, ...], cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time_s,flow,size_bytes\n0,a,1500\n0.1,a,1500\n")
    written = QUEUES[kind_of_queue]
    if (words[0], kind_of_queue) in (("matrix", "other name"), ("game", "other name")):
        # The same scheme as the one beside it, which stands there once.
        written = "droptail:buffer=20pkt"
    report = RefereeReport("x", [], [])
    with (
        patch("headgate.lab.referee.judge", lambda *_, **__: report),
        patch("headgate.lab.attacks.run.attack", side_effect=HeadgateError("seen")),
        quickly(),
        patch.dict(work.CHECKS, discipline=dict(disciplines.CHECKS[:1])),
    ):
        done = cli(*(word.replace("{}", written) for word in words))
    if words[0] == "attack":
        assert done.stderr == "error: seen\n"
    else:
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("written", "kind_of", "why"),
    [
        ("renno", "control", "found 'renno'; expected a flow control: a name of `headgate list controls`, a file such as mine.py"),
        ("fq", "control", "found fq, which is a queueing discipline; expected a flow control"),
        ("reno", "discipline", "found reno, which is a flow control; expected a queueing discipline"),
        ("fifo.py", "control", "fifo.py has the queueing discipline own; expected a flow control"),
        ("mine.py", "discipline", "mine.py has the flow control own; expected a queueing discipline"),
        ("two.py", "control", "two.py has 2 of the kind flow control; expected --control with one of first, second, or two.py:first"),
        ("two.py:third", "control", "found 'third'; expected one of first, second"),
        ("json:loads", "control", "json:loads: expected @headgate.control(...) or @headgate.discipline(...) at a class"),
        ("json:JSONDecoder", "control", "json:JSONDecoder: expected @headgate.control(...) or @headgate.discipline(...) at a class"),
        ("json:nothing", "control", "json:nothing: expected a module that has nothing"),
        ("none.py", "control", "none.py: expected a file of Python; No such file"),
        ("libnone.so", "control", "libnone.so: expected a shared object; No such file"),
        ("[]", "control", "found []; expected a program and its arguments"),
        ("[1]", "control", "found [1]; expected a program and its arguments"),
        ('["x"]', "discipline", "found a program; expected a queueing discipline: only flow controls run as programs of their own"),
        ("process", "control", "found process; expected its program, as process:command="),
        ('{"beta": 2}', "control", 'found {"beta": 2}; expected a table with `kind`'),
        ("{kind = 3", "control", "expected a table with `kind`"),
        ('{"a":' * 5000, "control", "too deep"),
        ("{a = " + "[" * 5000, "control", "too deep"),
        ("cubic*2", "control", "found 'cubic*2'; expected one flow control, without a number"),
        ("cubic:beta", "control", "found 'beta'; expected KEY=VALUE after cubic:"),
        ("cubic:bta=2", "control", "cubic: found 'bta'; expected one of beta"),
        ("cubic:kind=reno", "control", "cubic: found 'kind'; expected one of beta"),
        ("", "control", "found ''; expected a flow control"),
    ],
)  # fmt: skip
def test_what_is_no_subject(
    written: str, kind_of: str, why: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HeadgateError) as found:
        read(written, kind_of)
    assert why in str(found.value)
    assert str(found.value).startswith(("NAME: ", "--control: "))


#: Parameters that a subject does not take, with the error: it is about the subject, whoever judges it, and nothing is run.
WRONG = {
    "cubic:beta=7": "cubic: beta: found 7; expected a number at most 0.95",
    '{"kind": "process", "command": []}': "process: command: found []; expected a program and its arguments",
    "mine.py:size=1000": "own: size: found 1000; expected a number at most 100",
}


@pytest.mark.parametrize("command", ["conform", "referee", "evaluate", "attack", "contract"])
@pytest.mark.parametrize("written", WRONG)
def test_parameters_out_of_bounds_are_one_error_about_the_subject(
    written: str, command: str, cli: Cli, tmp_path: Path
) -> None:
    put(tmp_path, control())
    done = cli(command, written, *(["--trusted"] if command == "evaluate" and "process" in written else []))
    place = {"conform": "SUBJECT", "evaluate": "control", "referee": "NAME"}.get(command, "CONTROL")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error: {place}: {WRONG[written]}" in done.stderr


def test_a_queue_that_cases_cannot_give_a_buffer_is_told_so(cli: Cli, tmp_path: Path) -> None:
    put(tmp_path, queue())
    done = cli("referee", "--aqm", "mine.py", "--only", "a79-06")
    assert done.returncode == 2
    assert "own: found no parameter `buffer`; expected one for packets or bytes that may wait" in done.stderr
    done = cli("referee", "--aqm", "mine.py:limit=0", "--only", "a79-06")
    assert "error: --aqm: own: limit: found 0; expected a number at least 1" in done.stderr


def test_a_parameter_is_no_other_scheme() -> None:
    with pytest.raises(
        HeadgateError, match="parameters: found kind, which chooses the control; expected parameters of cubic"
    ):
        read("cubic", "control", parameters={"kind": "bbr3"})


def test_a_module_is_asked_for_one_class(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = control() + queue().replace('"own"', '"own_q"').replace("class Own", "class OwnQueue")
    put(tmp_path, text, "own_both.py")
    monkeypatch.syspath_prepend(tmp_path)
    assert [(kind, scheme.name) for kind, scheme in read_all("own_both:OwnQueue")] == [("discipline", "own_q")]
    assert [(kind, scheme.name) for kind, scheme in read_all("own_both:Own")] == [("control", "own")]


def test_what_a_page_sends_loads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether there is such a file is not said either."""
    monkeypatch.chdir(tmp_path)
    with headgate.plugins.sealed():
        for written in ("mine.py", "none.py", "own_subject:Own", "libmine.so"):
            with pytest.raises(HeadgateError, match="which was not loaded at the start; expected --plugin"):
                headgate.quick.scenario("1Mbit/s", "10ms", written)
    assert "own_subject" not in sys.modules


def test_the_parts_of_lists() -> None:
    assert several('reno,aimd:increase=2,decrease=0.5,["a", "b"],mine.py,gain=2', "--controls") == [
        "reno", "aimd:increase=2,decrease=0.5", '["a", "b"]', "mine.py:gain=2",
    ]  # fmt: skip
    assert divided("./a.py*3:gain=2") == ("./a.py", "*3:gain=2")
    assert spelled('["a", "b"]*2:packet=500B', "control", "--flows") == 'process*2:command=["a", "b"],packet=500B'


def test_a_program_goes_through_cases_of_steps(cli: Cli) -> None:
    """A program with a fixed window meets no step that asks for another one; before, the case ended with an error of its own."""
    done = cli("referee", json.dumps({"kind": "process", "command": command()}), "--family", "steps", "--json")
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert "unknown variant" not in done.stdout and found
