"""The phase check: which runs it looks at, what it says of them, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headgate import Scenario, quick
from headgate.checks import phase

from ..conftest import ROOT, Cli

LOCKED = ("--rate", "20Mbit/s", "--rtt", "20ms", "--buffer", "1BDP", "--duration", "60s")
FLOWS = "reno:name=a,reno:rtt=40ms,name=b"


def of(flows: str = FLOWS, queue: str = "fcfs", **more: str) -> Scenario:
    return quick.scenario("20Mbit/s", "20ms", flows, queue, buffer="1BDP", duration="60s", **more)


def test_a_share_that_the_phase_decides_is_named(cli: Cli) -> None:
    done = cli("quick", *LOCKED, "--flows", FLOWS)
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "host noise: each packet leaves its host later by 0 to 1 packet time" in text
    assert "The share of a depends on the phase of arrivals: 0.9" in text
    assert text.count(" ! ") >= 2
    found = json.loads(cli("quick", *LOCKED, "--flows", FLOWS, "--json").stdout)["phase"]
    assert (found["noise"], found["depends"]) == (["0pkt", "0.1pkt", "1pkt"], True)
    a, b = found["flows"]
    assert (a["flow"], b["flow"]) == ("a", "b")
    assert a["shares"][0] > 0.85 and a["shares"][2] < 0.75
    for i in range(3):
        assert a["shares"][i] + b["shares"][i] == pytest.approx(1)
    assert a["share_moves"] == pytest.approx(max(a["shares"]) - min(a["shares"]))


@pytest.mark.parametrize("queue", ["fq", "drr", "red", "random_drop"])
def test_queues_that_break_the_phase_are_left_alone(queue: str) -> None:
    assert phase.in_step(of(queue=queue)) == []


def test_one_word_turns_it_off_and_other_flows_never_have_it(cli: Cli) -> None:
    assert "phase" not in json.loads(cli("quick", *LOCKED, "--flows", FLOWS, "--no-phase", "--json").stdout)
    assert "phase" not in json.loads(cli("quick", *LOCKED, "--flows", "bbr1*2", "--json").stdout)
    assert "phase" not in json.loads(cli("quick", *LOCKED, "--flows", "reno", "--json").stdout)


def test_the_run_that_is_there_serves_for_its_level() -> None:
    scenario = of()
    with_it = phase.check(scenario, scenario.run(7))
    alone = phase.check(scenario, seed=7)
    assert with_it == alone
    # A flow's own noise, and another level: all three are run.
    other = scenario.set("hosts.noise", "3pkt")
    assert phase.check(other, other.run(7)) == alone
    own = scenario.set("flows.a.noise", "5pkt")
    assert phase.check(own, own.run(7)) == alone


def test_run_checks_a_file_when_it_is_asked(cli: Cli) -> None:
    args = ("run", ROOT / "scenarios/parking-lot.toml", "--set", "duration=20s", "--set", "interval=2s")
    plain, checked = (json.loads(cli(*args, *more, "--json").stdout) for more in ((), ("--phase",)))
    assert "phase" not in plain
    assert [flow["flow"] for flow in checked.pop("phase")["flows"]] == [flow["flow"] for flow in plain["flows"]]
    assert checked == plain
    assert "phase: shares and mean waits" in cli(*args, "--phase").stdout


def test_noise_takes_both_conditions_to_be_more_than_chance() -> None:
    """A share that moves within its error, or by less than a fifth of an equal share, is not flagged."""
    steady = phase.check(of("reno:name=a,cubic:name=b", queue="fq"))
    assert not steady.depends
    assert phase.check(of()).depends


def test_only_the_levels_that_were_not_run_are_run() -> None:
    seen: list[tuple[int, int]] = []
    scenario = of().set("duration", "1s")
    for results in (None, scenario.run()):
        phase.check(scenario, results, progress=lambda _, done, runs: seen.append((done, runs)))
    assert {runs for _, runs in seen} == {2, 3} and seen[-1] == (2, 2)


def study(noise: str, queue: str = "fcfs", axis: str = "topology.line.delay") -> dict[str, object]:
    values = {"topology.line.delay": ["5ms", "10ms"], "topology.line.rate": ["1Mbit/s", "2Mbit/s"]}[axis]
    data = quick.scenario("2Mbit/s", "20ms", "reno*2", queue, duration="5s", noise=noise).data
    return {**data, "sweep": {"axes": {axis: values}, "replications": 2}}


def test_a_study_of_round_trips_without_noise_is_warned_once(cli: Cli, tmp_path: Path) -> None:
    for name, content in (
        ("without", study("0")),
        ("with", study("1")),
        ("fair", study("0", "fq")),
        ("rates", study("0", axis="topology.line.rate")),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
        done = cli("sweep", f"{name}.json", "--out", name, "--workers", "1")
        assert done.returncode == 0, done.stderr
        compared = cli("compare", name, "--by", "rate" if name == "rates" else "delay", "--metric", "goodput")
        assert compared.returncode == 0, compared.stderr
        for text in (done.stderr, compared.stderr):
            assert text.count("warning:") == (name == "without"), (name, text)
            assert name != "without" or "Axis topology.line.delay varies round trips" in text
