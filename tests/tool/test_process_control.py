"""The flow control `process`: a program that is asked what a flow may send, in simulated time."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate import _core
from headgate.base.errors import HeadgateError
from headgate.plugins import pipe, registry, trust
from headgate.plugins.calls import story
from headgate.plugins.pipe import Pipe, ProcessError
from headgate.plugins.process import Numbers, answer_of

from ..own_programs import ANSWERS, MAIN, by, command, goodput, scenario

#: Processes that were there before a test: what other tests in this process have started, such as the tracker of multiprocessing.
_before: set[int] = set()


def children() -> list[int]:
    """The processes that this one has started during a test, ended ones that nothing waited for included."""
    return sorted(all_children() - _before)


def all_children() -> set[int]:
    found = []
    for task in [Path(f"/proc/self/task/{os.getpid()}"), *Path("/proc/self/task").iterdir()]:
        # A thread may end meanwhile.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += (task / "children").read_text().split()
    return {int(pid) for pid in found}


@pytest.fixture(autouse=True)
def only_own_children():
    _before.clear()
    _before.update(all_children())


@pytest.fixture
def unsealed():
    yield
    sys.modules["headgate.plugins.registry"]._sealed = False  # type: ignore[attr-defined]
    trust.forget()
    pipe._closed = False
    headgate.plugins.forget("process")


def test_a_program_of_ours_gives_about_what_the_engine_gives():
    """Not the same: packets above a hole let the window grow, and a loss is over once a packet sent after it arrives, as in QUIC."""
    ours = headgate.Scenario(scenario("sack", "10s")).run()
    program = headgate.Scenario(scenario(by([*MAIN, "control", "reno", "--stdio"]), "10s")).run()
    there, here = ours.flow_summaries()[0], program.flow_summaries()[0]
    assert here.control == "process"
    assert here.goodput_pps.mean == pytest.approx(there.goodput_pps.mean, rel=0.02)
    assert here.queueing_s.mean == pytest.approx(there.queueing_s.mean, rel=0.2)
    again = headgate.Scenario(scenario(by([*MAIN, "control", "reno", "--stdio"]), "10s")).run()
    assert [r.digest for r in again.runs] == [r.digest for r in program.runs]


def test_until_the_first_loss_it_is_the_same_window():
    traced = {"traces": ["window"], "duration": "1500ms"}
    data = [scenario(control, **traced) for control in ("reno", by([*MAIN, "control", "reno", "--stdio"]))]
    for one in data:
        one["links"][1]["queue"]["buffer"] = "1000pkt"
    for one in data:
        one.update(traced)
    runs = [headgate.Scenario(one).run() for one in data]
    windows = [[list(run.traces[column]) for column in ("time_s", "value")] for run in runs]
    assert windows[0] == windows[1] and len(windows[0][0]) > 50


def test_nothing_is_left_of_a_program():
    goodput(by(command()))
    gc.collect()
    assert not pipe._running and not children()
    with pytest.raises(_core.PluginError):
        goodput(by(command("1 / 0")))
    gc.collect()
    assert not pipe._running and not children()


def test_one_that_does_not_end_is_killed_with_what_it_started():
    stubborn = "import subprocess; subprocess.Popen(['sleep', '77']) if n == 0 else None"
    program = [sys.executable, "-c", ANSWERS.replace("FAULT", stubborn) + "\ntime.sleep(99)"]
    began = time.monotonic()
    goodput(by(program), duration="500ms")
    gc.collect()
    assert time.monotonic() - began < 60 and not pipe._running and not children()
    assert not sleepers("77")


def sleepers(word: str) -> list[str]:
    """The processes `sleep WORD` of this machine."""
    out = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (folder / "cmdline").read_bytes().split(b"\0")[:2] == [b"sleep", word.encode()]:
                out.append(folder.name)
        except OSError:
            continue
    return out


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("n < 9 or sys.exit(3)", "ended with exit code 3"),
        ("n < 9 or os.kill(os.getpid(), 9)", "ended with signal SIGKILL"),
        ("n < 9 or 1 / 0", "ended with exit code 1; expected a line for each event until its input ends; its error output ends with: "),
        ("n < 9 or 1 / 0", "ZeroDivisionError: division by zero"),
        ("answer = 'hello'", "answered 'hello'; expected JSON such as {\"t\": 0, \"cwnd\": 10"),
        ("answer = '[1]'", "answered '[1]'; expected JSON"),
        ("answer = '{\"t\": 0}'", "expected JSON such as"),
        ("answer = answer.replace('20', 'NaN')", "expected JSON such as"),
        ("answer = answer.replace('20', '-3')", "cwnd -3; expected a number of packets, at least 1, or null"),
        ("answer = answer.replace('20', '0.5')", "cwnd 0.5; expected a number of packets, at least 1, or null"),
        ("answer = answer.replace('20', '1e999')", "cwnd Infinity; expected"),
        ("answer = answer.replace('20', '1' + '0' * 400)", "cwnd 1000"),
        ("answer = answer.replace('20', 'true')", "cwnd true; expected"),
        ("answer = answer.replace('20', '\"20\"')", 'cwnd "20"; expected'),
        ("answer = answer.replace('\"pacing\": null', '\"pacing\": 0')", "pacing 0; expected a number of packets a second above 0"),
        ("answer = answer.replace('\"ssthresh\": null', '\"ssthresh\": -1')", "ssthresh -1; expected a number of packets above 0"),
        ("answer = answer.replace('\"t\": ', '\"t\": 1')", "expected an answer to that of 0 ns, one for each event"),
        ("answer += '\\n' + answer", "more than it was asked; expected one line for each event"),
        ("n < 9 or time.sleep(99)", "events within 0.3 s; expected all of them in that time (answer_within)"),
        ("answer = 'x' * 100_000; print(answer, end='', flush=True); time.sleep(99)", "a line without an end; expected"),
        ("n < 9 or os.close(1) or time.sleep(99)", "closed its output"),
        ("n < 9 or os.kill(os.getpid(), 40)", "ended with signal 40"),
        ("answer = 'no'; sys.stderr.write('a\\nb\\nc\\nthe end\\n'); sys.stderr.flush()", "its error output ends with: b / c / the end"),
    ],
)  # fmt: skip
def test_what_a_program_does_wrong_is_said_with_flow_and_time(fault: str, why: str):
    with pytest.raises(_core.PluginError) as found:
        goodput(by(command(fault), answer_within="300ms" if "answer_within" in why else "20s"))
    assert why in str(found.value), str(found.value)
    assert str(found.value).startswith("flow f, on_") and found.value.at_s >= 0
    assert isinstance(found.value.__cause__, ProcessError)
    # One sentence: the lines of headgate that noticed it say nothing to who wrote the program.
    assert story(found.value) == "" and "\n" not in str(found.value)
    assert not children()


def test_a_program_that_is_not_there_is_an_error_when_it_is_started():
    with pytest.raises(_core.PluginError, match=r"on_packet_sent at 0 s: .*found '/no/such'; No such file"):
        goodput(by(["/no/such"]))


def test_a_program_may_write_as_much_as_it_likes_to_its_error_output():
    assert goodput(by(command("sys.stderr.write('x' * 20000 + '\\n')")), duration="1s") > 10


@pytest.mark.parametrize(
    ("control", "why"),
    [
        ("process", r"command: found \[\]; expected a program and its arguments"),
        (by([]), r"command: found \[\]"),
        (by([""]), r'command: found \[""\]'),
        ({"kind": "process", "command": "ls"}, "command"),
        ({"kind": "process", "command": [1]}, "command"),
        (by(["a\0b"]), "command: found"),
        (by(["a"], every="now"), "every: found \"now\"; expected one of 'ack' or 'round'"),
        (by(["a"], answer_within="0s"), "answer_within: found .*; expected above 0 s and at most 3600s"),
        (by(["a"], answer_within="2h"), "answer_within: found .*"),
        (by(["a"], answer_in="1s"), "unknown key `answer_in`; did you mean `answer_within`"),
    ],
)
def test_parameters_that_are_wrong(control: Any, why: str):
    with pytest.raises(headgate.ScenarioError, match=why):
        headgate.Scenario(scenario(control)).resolve()


def test_events_of_a_round_are_handed_over_together(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []
    ask = Pipe.ask
    monkeypatch.setattr(Pipe, "ask", lambda pipe, text, answers: asked.append(answers) or ask(pipe, text, answers))
    each = goodput(by(command()))
    one_by_one, total = len(asked), sum(asked)
    asked.clear()
    rounds = goodput(by(command(), every="round"))
    assert rounds == pytest.approx(each, rel=0.01) and sum(asked) == pytest.approx(total, rel=0.05)
    assert len(asked) < one_by_one / 8


def events_of(tmp_path: Path, **more: Any) -> list[dict[str, Any]]:
    """The events that a program sees."""
    told = tmp_path / "told"
    program = [*command("open(sys.argv[1], 'a').write(line)"), str(told)]
    goodput(by(program, **more.pop("control", {})), **more)
    return [json.loads(line) for line in told.read_text().splitlines()]


def test_events_are_those_of_the_flow(tmp_path: Path):
    events = events_of(tmp_path, duration="2s")
    kinds = {e["ev"] for e in events}
    assert kinds == {"sent", "ack"} and events[0] == {"t": 0, "ev": "sent", "pn": 0}
    assert [e["t"] for e in events] == sorted(e["t"] for e in events)
    assert [e["pn"] for e in events if e["ev"] == "sent"] == list(range(sum(e["ev"] == "sent" for e in events)))
    out: set[int] = set()
    for e in events:
        if e["ev"] == "sent":
            out.add(e["pn"])
        else:
            assert e["n"] == 1 and e["rtt"] >= 40_000_000
            out.remove(e["pn"])
        assert len(out) <= 20


@pytest.mark.parametrize("every", ["ack", "round"])
def test_each_packet_is_sent_and_then_arrives_or_is_lost_once(tmp_path: Path, every: str):
    more = {"duration": "20s", "control": {"every": every}}
    told = tmp_path / "told"
    program = [*command("open(sys.argv[1], 'a').write(line)"), str(told)]
    data = scenario(by(program, every=every), more["duration"])
    data["links"][1]["loss"] = {
        "forward": {"kind": "bernoulli", "probability": 0.05},
        "reverse": {"kind": "bernoulli", "probability": 0.2},
    }
    summary = headgate.Scenario(data).run().flow_summaries()[0]
    events = [json.loads(line) for line in told.read_text().splitlines()]
    out: list[int] = []
    lost = timeouts = 0
    for e in events:
        if e["ev"] == "sent":
            out.append(e["pn"])
        elif e["ev"] == "ack":
            place = out.index(e["pn"])
            assert place + 1 >= e["n"] >= 1
            del out[place + 1 - e["n"] : place + 1]
        elif e["ev"] == "loss" and "timeout" in e:
            timeouts += 1
        elif e["ev"] == "loss":
            out.remove(e["pn"])
            lost += 1
    assert len(out) <= 30 and lost > 20 and timeouts > 0
    assert lost >= summary.retransmissions - 5


def test_marks_are_told_before_their_acknowledgement(tmp_path: Path):
    told = tmp_path / "told"
    program = [*command("open(sys.argv[1], 'a').write(line)"), str(told)]
    data = scenario(by(program), "4s")
    data["links"][1]["queue"] = {"kind": "fcfs", "buffer": "30pkt", "aqm": {"kind": "codel", "mark": True}}
    data["flows"][0]["transport"] = {"ecn": True}
    summary = headgate.Scenario(data).run().flow_summaries()[0]
    events = [json.loads(line) for line in told.read_text().splitlines()]
    marks = [i for i, e in enumerate(events) if e["ev"] == "ce"]
    assert summary.drops == 0 and summary.marks > 0
    assert sum(events[i]["n"] for i in marks) >= summary.marks
    assert all(events[i + 1]["ev"] == "ack" and events[i + 1]["t"] == events[i]["t"] for i in marks)


def test_numbers_are_those_of_transmissions():
    n = Numbers()
    assert [n.sent(seq) for seq in range(6)] == [0, 1, 2, 3, 4, 5]
    # 1 is lost; 2 and 3 arrive above it.
    assert n.arrived(0, 1, 1) == [(0, 1)] and n.arrived(2, 1, 1) == [(2, 1)] and n.arrived(3, 1, 1) == [(3, 1)]
    assert n.lost(1) == 1 and n.lost(1) is None
    assert n.sent(1) == 6 and n.out == {4: 4, 5: 5, 1: 6}
    # It arrives, and with it 4, whose acknowledgement was lost.
    assert n.arrived(1, 5, 2) == [(4, 1), (6, 1)] and n.out == {5: 5}
    # What a range reports beside the packet that caused the acknowledgement.
    for seq in (6, 7, 8, 9):
        n.sent(seq)
    assert n.arrived(9, 5, 3) == [(10, 3)] and n.out == {5: 5, 6: 7}
    # Declared lost, and it arrives after all: nothing is in the network that could.
    assert n.lost(5) == 5 and n.arrived(5, 6, 1) == [] and n.out == {6: 7}
    n = Numbers()
    assert [n.sent(seq) for seq in range(2)] == [0, 1]
    assert n.lost(1) == 1 and n.arrived(1, 0, 1) == [] and n.out == {0: 0}
    # Lost, sent again, and arrived above a hole: when the hole is filled it is no spurious loss.
    n = Numbers()
    assert [n.sent(seq) for seq in range(4)] == [0, 1, 2, 3]
    assert n.lost(1) == 1 and n.sent(1) == 4 and n.arrived(1, 0, 1) == [(4, 1)]
    assert n.arrived(3, 2, 3) == [(0, 1), (3, 2)] and n.out == {}


def test_answers():
    assert answer_of(b'{"cwnd": 10}', 5, "p") == {
        "cwnd": 10,
        "t": 5,
        "pacing": None,
        "ssthresh": None,
        "slow_start": False,
    }
    assert answer_of(b'{"cwnd": 10, "ssthresh": null}', 5, "p")["slow_start"]
    assert answer_of(b'{"cwnd": 10, "ssthresh": 10}', 5, "p")["slow_start"] is False
    assert answer_of(b'{"cwnd": null, "pacing": 2, "t": 5}', 5, "p")["pacing"] == 2
    for wrong in (b"\xff", b"", b"null", b"[" * 100_000):
        with pytest.raises(ProcessError, match="expected JSON"):
            answer_of(wrong, 5, "p")


def test_a_long_text_does_not_block():
    echo = Pipe([sys.executable, "-c", "import sys\nfor line in sys.stdin: print(line[:9], flush=True)"], 20)
    lines = echo.ask(b"x" * 100 + b"\n", 1)
    assert lines == [b"x" * 9]
    assert echo.ask((b"y" * 100 + b"\n") * 20_000, 20_000) == [b"y" * 9] * 20_000
    echo.end()
    assert not pipe._running and not children()


def test_at_most_so_many_programs(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pipe, "MOST", 1)
    data = scenario(by(command()), "1s")
    data["flows"].append({**data["flows"][0], "name": "g"})
    with pytest.raises(_core.PluginError, match="expected at most 1 programs at a time"):
        headgate.Scenario(data).run()


def test_the_seed_of_the_flow(tmp_path: Path):
    told = tmp_path / "told"
    program = [*command("n or open(sys.argv[1], 'a').write(sys.argv[2] + '\\n')"), str(told), "seed-{seed}"]
    headgate.Scenario(scenario(by(program), "1s")).run(replications=2, threads=1)
    found = told.read_text().split()
    assert len(set(found)) == 2 and all(word.startswith("seed-") and word[5:].isdigit() for word in found)


def test_workers_of_a_study_know_it(unsealed: None, tmp_path: Path):
    headgate.plugins.forget("process")
    data = scenario("sack", "1s", sweep={"axes": {"flows.f.control": ["sack", by(command())]}})
    file = tmp_path / "study.json"
    file.write_text(json.dumps(data))
    done = subprocess.run(
        [*MAIN, "sweep", str(file), "--out", str(tmp_path / "out"), "--allow-code"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_after_the_seal_only_programs_that_were_given_before(unsealed: None):
    headgate.plugins.forget("process")
    trust.forget()
    own = by(command())
    headgate.Scenario(scenario(own)).resolve()
    headgate.plugins.seal()
    headgate.Scenario(scenario({**own, "every": "round"})).resolve()
    with pytest.raises(headgate.ScenarioError, match="expected a program that the scenario given at the start has"):
        headgate.Scenario(scenario({"kind": "process", "command": ["/bin/true"]})).resolve()
    with pytest.raises(headgate.ScenarioError, match="expected a program that the scenario given at the start has"):
        _core.run(json.dumps(scenario({"kind": "process", "command": ["/bin/true"]})), 1, 0)
    headgate.plugins.forget("process")
    with pytest.raises(HeadgateError, match="it starts a program; expected such a scenario to be given at the start"):
        headgate.Scenario(scenario(by(command()))).resolve()
    headgate.Scenario(scenario("cubic", name="process")).resolve()
    assert "process" not in registry.names()


def test_a_fault_is_an_error_of_the_command_with_code_2(tmp_path: Path):
    file = tmp_path / "one.json"
    file.write_text(json.dumps(scenario(by(command("n < 40 or 1 / 0")))))
    done = subprocess.run([*MAIN, "run", str(file), "--allow-code"], capture_output=True, text=True, check=False)
    assert (
        done.returncode == 2
        and done.stderr.startswith("error: flow f, on_")
        and "Traceback" not in done.stderr.split("error output")[0]
    )
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_ends_the_program_too(tmp_path: Path, number: signal.Signals, code: int):
    word = f"7{code}"
    waits = f"import subprocess; n == 30 and (subprocess.Popen(['sleep', '{word}']), time.sleep(99))"
    file = tmp_path / "one.json"
    file.write_text(json.dumps(scenario(by(command(waits), answer_within="60s"))))
    running = subprocess.Popen(
        [*MAIN, "run", str(file), "--allow-code"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    began = time.monotonic()
    while not sleepers(word) and time.monotonic() - began < 20:
        time.sleep(0.05)
    assert sleepers(word)
    running.send_signal(number)
    assert running.wait(20) == code
    while sleepers(word) and time.monotonic() - began < 30:
        time.sleep(0.05)
    assert not sleepers(word)
