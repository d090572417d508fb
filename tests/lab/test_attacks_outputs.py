"""What an attack writes and prints, and what it says where something is wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario
from headgate.lab.attacks import AttackResult, Budget, bounds
from headgate.lab.attacks.break_runs import told
from headgate.lab.attacks.failure_time import RunSeries, moment
from headgate.lab.attacks.finding import FoundBreak
from headgate.lab.attacks.genome import Candidate
from headgate.lab.attacks.objective import OBJECTIVES
from headgate.lab.attacks.outputs import write
from headgate.lab.attacks.run import attack
from headgate.lab.attacks.sentences import sentence
from headgate.lab.frame.part import Place
from headgate.lab.frame.subjects import Judged, named
from headgate.lab.referee import judge
from headgate.lab.referee.files import read

from ..conftest import Cli

INTERNET = bounds.read("internet")


@pytest.fixture(scope="module")
def found() -> AttackResult:
    """A break of a small buffer: BBR version 1 loses what others do not."""
    narrow = replace(INTERNET, duration=4.0, ranges={**INTERNET.ranges, "rate": (1e6, 2e6)}, queues=("fcfs",))
    against = [Judged("cubic", {"kind": "cubic"})]
    return attack(
        named("bbr1", "control"), None, objective_name="loss", bounds=narrow, against=against, workers=0,
        budget=Budget(100, findings=1),
    )  # fmt: skip


@pytest.mark.slow
def test_a_break_is_a_scenario_a_figure_and_a_case(found: AttackResult, tmp_path: Path) -> None:
    files = write(found, tmp_path)
    text = files[0].read_text()
    words = " ".join(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    assert sentence(found.at, found.findings[0]) in words and "--at" in words
    run = Scenario.from_file(files[0]).run()
    own = [f for f in run.flow_summaries() if f.flow.startswith("own")]
    lost = sum(f.drops for f in own) / sum(f.sent for f in own)
    assert lost == pytest.approx(found.findings[0].judgements[0].value, rel=1e-3)
    svg = (tmp_path / "break-1.svg").read_text()
    assert svg.startswith("<?xml") and "goodput" in svg and "cubic" in svg
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["findings"][0]["failed"] >= 8
    # As a case, the scheme fails and the reference passes.
    case = read(str(tmp_path / "break-1.case"), "own")
    for name, verdict in (("bbr1", "fail"), ("cubic", "pass")):
        entries = judge(named(name, "control"), [case], workers=0, runs=3, more=False).entries
        assert [e.verdict for e in entries if e.kind == "must"] == [verdict]


def test_the_moment_is_where_it_is_worst() -> None:
    import numpy as np

    at = np.arange(0.5, 20, 1.0)
    place = Place(20.0, 0.0, [(0.0, 1e6)])
    rate = np.where((at > 7) & (at < 8), 0.0, 1e6)
    flows = {"own1": rate, "own2": np.full(20, 1e6)}
    waits = {name: np.where(at > 15, 0.5, 0.01) for name in flows}
    series = RunSeries(at, flows, waits, {name: np.where(at < 1, 9.0, 0.0) for name in flows})
    assert moment(series, OBJECTIVES["goodput"], place) == (7.0, 8.0)
    assert moment(series, OBJECTIVES["share"], place) == (7.0, 8.0)
    assert moment(series, OBJECTIVES["delay"], place)[0] >= 15
    assert moment(series, OBJECTIVES["loss"], place) == (0.0, 1.0)


def words_of(found: AttackResult, objective: str, judges: str, **changes: Any) -> str:
    c = Candidate({**INTERNET.neutral, "flows": 2.0}, "fcfs").put(**changes)
    queue = Judged("red", {"kind": "red"}) if judges == "queue" else None
    at = replace(found.at, objective=OBJECTIVES[objective], queue=queue)
    judgements = tuple(
        replace(j, score=1.0, value=0.04, references={"cubic": 0.5}) for j in found.findings[0].judgements
    )
    return sentence(at, FoundBreak(c, (), judgements, c, 1))


def test_a_sentence_says_who_suffers_what_and_where(found: AttackResult) -> None:
    assert words_of(found, "share", "control", offset=2.0) == (
        "bbr1: one of its flows has 4 % of the goodput of another when 2 flows of bbr1 share 10 Mbit/s with 40 ms of round trip and a "
        "fcfs queue of 1 BDP and each flow starts 2 s after the one before; in the same place cubic has 50 % (10 of 10 runs with other "
        "seeds)."
    )
    text = words_of(found, "victim-delay", "queue", flows=1.0, burst_rate=2.0, loss=0.01)
    assert text.startswith(
        "red: 95 % of the packets of a call of 64 kbit/s wait up to 40 ms when 1 flow of the aggressor uses 10 Mbit/s"
    )
    assert "bursts of 30 ms at 2 times the rate come every 300 ms and the line loses 1 % of the packets" in text
    late = words_of(found, "starvation", "control", delay=0.02, pattern="worst", times=(3.0,))
    assert "one of its flows has 4 % of its share for" in late and "delayed by 20 ms from 3 s on" in late
    assert "share 10 Mbit/s" in words_of(found, "goodput", "control", delay=0.02, pattern="sawtooth")


def test_the_best_reference_is_run_in_the_same_place(found: AttackResult) -> None:
    made = told(found.at, found.findings[0], found.references)
    assert made.beside is not None and made.beside[0] == "cubic"
    assert set(made.run.goodput) == set(made.beside[1].goodput)
    assert made.seed in range(101, 111) and made.when[0] >= made.place.warm_up


def test_the_command_finds_prints_and_goes_on(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(bounds_text(rate='["1Mbit/s", "2Mbit/s"]', duration='"4s"', queues='["fcfs"]'))
    options = [
        "--objective",
        "loss",
        "--preset",
        str(tmp_path / "b.toml"),
        "--against",
        "cubic",
        "--candidates",
        "100",
        "--findings",
        "1",
    ]
    first = cli("attack", "bbr1", *options, "--out", tmp_path / "o", "--workers", 1)
    assert (
        first.returncode == 1
        and "bbr1: it loses" in first.stdout.replace("\n", " ")
        and "in the same place: cubic" in first.stdout
    )
    runs = (tmp_path / "o" / "runs.jsonl").read_text()
    again = json.loads(cli("attack", "bbr1", *options, "--out", tmp_path / "o", "--workers", 1, "--json").stdout)
    assert len(again["findings"]) == 1 and (tmp_path / "o" / "runs.jsonl").read_text() == runs
    assert "victim-delay" in cli("attack", "--list").stdout
    assert json.loads(cli("attack", "--list", "--json").stdout)["presets"]["wifi"]


def bounds_text(**changes: str) -> str:
    lines = (bounds.FOLDER / "internet.toml").read_text().splitlines()
    top = {k: v for k, v in changes.items() if k not in INTERNET.ranges}
    out = [f"{k} = {v}" for k, v in top.items()]
    for line in lines:
        name = line.split(" = ")[0]
        if name in top:
            continue
        out.append(f"{name} = {changes[name]}" if name in changes else line)
    return "\n".join(out) + "\n"


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"rate": '["9Mbit/s", "2Mbit/s"]'}, "ranges.rate: .*expected 0 < least <= greatest"),
        ({"rate": '["1Mbit", "2Mbit/s"]'}, "ranges.rate: found '1Mbit'; expected a rate"),
        ({"rate": "[1, 2, 3]"}, r"ranges.rate: .*expected \[least, greatest\]"),
        ({"loss": "[0.1, 0.9]"}, "ranges.loss: found 0.9; expected at most 0.5"),
        ({"flows": "[1, 2.5]"}, "ranges.flows: .*whole numbers"),
        ({"flows": "[1, 100000]"}, "ranges.flows: found 100000; expected at most 1000"),
        ({"ratio": "[0.5, 2]"}, "ranges.ratio: found 0.5; expected at least 1"),
        ({"burst_length": "[0.1, 1.5]"}, "ranges.burst_length: found 1.5; expected at most 1"),
        ({"queues": '["fcsf"]'}, "queues: found 'fcsf'.*did you mean|queues: found 'fcsf'"),
        ({"patterns": '["saw"]'}, "patterns: found 'saw'; expected none, uniform"),
        ({"duration": '"2h"'}, "duration: found 2h; expected 0.1s to 3600s"),
        ({"times": "21"}, "times: found 21"),
        ({"speed": "1"}, "speed: found 1"),
    ],
)
def test_bounds_that_make_no_scenario_are_errors(cli: Cli, tmp_path: Path, changes: dict[str, str], wrong: str) -> None:
    import re

    file = tmp_path / "b.toml"
    file.write_text(bounds_text(**changes))
    said = cli("attack", "cubic", "--preset", file)
    assert said.returncode == 2 and re.search(wrong, said.stderr.replace("\n", " ")), said.stderr


@pytest.mark.parametrize(
    ("args", "wrong"),
    [
        ([], "CONTROL: missing"),
        (["cubci"], "CONTROL: found 'cubci'"),
        (["--queue", "rde"], "--queue: found 'rde'"),
        (["cubic", "--queue", "rde"], "--queue: found 'rde'"),
        (["cubic", "--against", "reno,cubci"], "--against: found 'cubci'"),
        (["cubic", "--objective", "victim-delay"], "victim-delay is one of a queue"),
        (["cubic", "--objective", "shares"], 'Did you mean "share"'),
        (["--queue", "red", "--objective", "goodput"], "goodput is one of a control"),
        (["cubic", "--preset", "internet2"], "--preset: found 'internet2'"),
        (["cubic", "--preset", "none.toml"], "none.toml: cannot be read"),
        (["cubic", "--against", "reno", "--absolute"], "--absolute"),
        (["cubic", "--address", "tcp://x:1"], "--engine dask"),
        (["cubic", "--set", "beta"], "--set beta: expected NAME=VALUE, such as beta=0.5"),
        (["cubic", "--set", "beta=x"], "beta"),
        (["cubic", "--noise", "1furlong"], "noise"),
        (["cubic", "--candidates", "1"], "50<=x"),
    ],
)
def test_wrong_options_are_errors(cli: Cli, args: list[str], wrong: str) -> None:
    few = ["--candidates", "50"] if "--candidates" not in args else []
    said = cli("attack", *args, "--workers", 1, *few)
    assert said.returncode == 2 and wrong in said.stderr.replace("\n", " "), said.stderr
