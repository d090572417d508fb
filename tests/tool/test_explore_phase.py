"""The phase check of the explorer: unasked work that gives what the terminal gives, and which host noise a run has."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from headgate import _core, quick
from headgate.checks import phase
from headgate.explore import answers, phases
from headgate.explore.wire import StoppedError

from ..explorer import Page, scenario
from ..explorer import page as page
from .test_explore_types import held


def in_step(count: int = 2, **more: str) -> dict[str, Any]:
    flows = "reno:name=a,reno:rtt=40ms,name=b" if count == 2 else f"reno*{count}"
    return quick.scenario("20Mbit/s", "20ms", flows, buffer="1BDP", duration="10s", **more).data


def test_it_is_that_of_the_terminal(page: Page) -> None:
    given = quick.scenario("20Mbit/s", "20ms", "reno:name=a,reno:rtt=40ms,name=b", buffer="1BDP", duration="60s")
    lines = page.lines("/api/phase", {"scenario": given.data, "seed": 7, "replication": 0})
    for line in lines:
        held(answers.PhaseLine, line)
    done, expected = lines[-1]["done"], phase.check(given, seed=7)
    assert done["in_step"] and done["depends"]
    assert done["flows"] == expected.to_dict()["flows"]
    assert done["sentence"].startswith(expected.sentence()) and expected.sentence()
    assert done["sentence"].endswith("see with several seeds how far these differ.")


def test_three_runs_at_most_and_none_where_no_flow_keeps_in_step(monkeypatch: pytest.MonkeyPatch) -> None:
    runs, real = [], phases.run
    monkeypatch.setattr(phases, "run", lambda *given: runs.append(given) or real(*given))  # type: ignore[func-returns-value]
    shares: list[float] = []
    base = quick.scenario("20Mbit/s", "20ms", "reno*2", duration="10s")
    found = phases.checked(base, 3, 2, _core.Control(), shares.append)
    assert len(runs) == 3
    assert shares == pytest.approx([1 / 3, 2 / 3, 1])
    # Seed and replication are those of the run that is looked at.
    assert {(seed, number) for _, seed, _, number in runs} == {(3, 2)}
    assert (found["depends"], found["sentence"]) == (False, "")
    runs.clear()
    assert not phases.checked(base.set("topology.line.queue.kind", "fq"), None, 0, _core.Control())["in_step"]
    assert not runs


def test_of_many_flows_those_that_move_most_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phases, "MOST", 3)
    given = quick.scenario("20Mbit/s", "20ms", "reno*5", duration="10s")
    found = phases.checked(given, None, 0, _core.Control())
    assert (len(found["flows"]), found["more_flows"]) == (3, 2)
    moves = [flow["share_moves"] for flow in found["flows"]]
    assert moves == sorted(moves, reverse=True)
    assert moves[-1] >= sorted(flow["share_moves"] for flow in phase.check(given).to_dict()["flows"])[2]


def test_a_run_says_which_host_noise_it_has(page: Page) -> None:
    said = "host noise: each packet leaves its host later by 0 to 1 packet time"
    done = page.run(in_step())
    assert done["noise"] == said
    # Lessons say all sentences but the last: the noise is none of them.
    assert said not in done["sentences"]
    assert page.run(scenario())["noise"] == ""


def test_it_can_be_stopped_and_faults_are_named(page: Page) -> None:
    control = _core.Control()
    control.stop()
    with pytest.raises(StoppedError):
        phases.checked(quick.scenario("20Mbit/s", "20ms", "reno*2", duration="1000h"), None, 0, control)
    for wrong in (-1, "1", None, 1.5):
        answer = page.post("/api/phase", {"scenario": in_step(), "seed": None, "replication": wrong})
        assert answer.status_code == 400, wrong
    lines = page.lines("/api/phase", {"scenario": in_step() | {"duration": "soon"}, "seed": None, "replication": 0})
    assert lines[-1]["error"]["path"] == "duration"


def test_it_takes_no_thread_of_what_was_asked(page: Page) -> None:
    runs, door = page.explorer.runs, threading.Event()
    waiting = [runs.call(lambda _: door.wait(60), unasked=True)[1] for _ in range(3)]
    asked = [runs.call(lambda _: None)[1] for _ in range(runs.at_a_time)]
    assert [one.result(60) for one in asked] == [None] * runs.at_a_time
    assert not any(one.done() for one in waiting)
    door.set()
    assert all(one.result(60) for one in waiting)


def test_host_noise_is_a_control(page: Page) -> None:
    controls = page.post("/api/controls", {"scenario": in_step(noise="0")}).json()["controls"]
    (control,) = (c for c in controls if c["path"] == "hosts.noise")
    assert (control["value"], control["main"]) == ("0pkt", True)
    body = {"scenario": in_step(noise="0"), "path": "hosts.noise", "value": "1pkt"}
    assert page.post("/api/set", body).json()["scenario"]["hosts"] == {"noise": "1pkt"}
    fault = page.post("/api/set", {**body, "value": "much"}).json()["error"]
    assert fault["path"] == "hosts.noise"
