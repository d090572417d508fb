"""Flow controls and disciplines in Python: they are called as the engine's own, and what goes wrong in them is said."""

import json
import subprocess
import sys

import pyarrow as pa
import pytest

import headgate
from headgate import PluginError, ScenarioError, plugins
from headgate.base.errors import HeadgateError
from headgate.lab.conformance.disciplines import trace
from headgate.plugins import calls

from ..own_plugins import GET, PUT, control, data, headgate_command, put, queue


def run(**given: object):
    return headgate.Scenario(data(**given)).run(seed=1)


def test_a_window_of_ten_packets_sends_ten_packets_a_round_trip(tmp_path):
    entries = plugins.load(put(tmp_path, control()))
    flow = run(control="own", plugins=entries).flow_summaries()[0]
    # 10 packets of 1.2 ms each are below the round trip of 20 ms and some for transmission.
    assert flow.goodput_pps.mean == pytest.approx(10 / 0.0214, rel=0.01)
    wider = run(control={"kind": "own", "size": 15}, plugins=entries).flow_summaries()[0]
    assert wider.goodput_pps.mean == pytest.approx(15 / 0.0214, rel=0.02)


def test_a_rate_paces(tmp_path):
    plugins.load(put(tmp_path, control("        self.rate = 100.0")))
    assert run(control="own").flow_summaries()[0].goodput_pps.mean == pytest.approx(100, rel=0.01)


def test_once_a_round_trip_the_counts_of_all_acknowledgements_are_handed_over(tmp_path):
    body = """
        assert ack.round and ack.acks == ack.credit == ack.delivered == ack.newly_acked
        assert ack.min_rtt - 1e-12 <= ack.mean_rtt <= ack.max_rtt + 1e-12 and ack.rtt <= ack.max_rtt
        self.total = getattr(self, "total", 0) + ack.delivered
        assert self.total == ack.total_delivered
        assert self.calls < 300"""
    plugins.load(put(tmp_path, control(body, ', every="round"')))
    assert run(control="own").flow_summaries()[0].goodput_pps.mean > 400


def test_all_calls_arrive(tmp_path):
    body = """
        self.seen = getattr(self, "seen", set()) | {"ack"}
        self.window = min(self.window + 1, 100)
    def on_loss(self, loss):
        assert loss.kind in ("duplicates", "timeout") and loss.now > 0 and loss.in_flight >= loss.remaining
        self.seen.add(loss.kind)
        self.window = 5
    def on_packet_sent(self, now, in_flight, app_limited):
        self.sent = getattr(self, "sent", 0) + 1
    def on_packet_lost(self, now, packet):
        assert packet.at < now and packet.seq < self.sent
        self.seen.add("lost")
        self.lost = len(self.seen)"""
    plugins.load(put(tmp_path, control(body, ', gauges=["lost"]')))
    line = {"kind": "fcfs", "buffer": "5pkt"}
    result = run(control="own", queue=line, traces=["estimates"])
    traces = result.traces
    assert max(v for k, v in zip(traces["trace"], traces["value"], strict=True) if k == "lost") >= 3


def test_marks_and_rate_samples(tmp_path):
    body = """
        self.marks = getattr(self, "marks", 0) + ack.marks
        if ack.rate is not None and self.calls > 50:
            assert 10 < ack.rate < 10000
        self.window = min(self.window + 0.1, 200)
    def on_loss(self, loss):
        assert loss.kind == "mark"
        self.window = self.window / 2"""
    plugins.load(put(tmp_path, control(body, ', ecn="ect0", rate_samples=True, gauges=["marks"]')))
    assert run(control="own", queue={"kind": "codel", "mark": True}).flow_summaries()[0].marks > 0


def test_the_example_of_codel_decides_as_the_engine_does():
    plugins.load(plugins.example("codel"))
    for seed in range(3):
        rows = trace(seed, 2000, "busy")
        rows["flow"] = ["a"] * 2000
        found = headgate.replay(
            pa.table(rows), queue=[{"kind": "codel", "buffer": "1000pkt"}, "my_codel"], rate="2Mbit/s"
        )
        ours, theirs = (list(found.packets(name)["departure_s"]) for name in ("codel", "my_codel"))
        assert str(ours) == str(theirs)
        assert sum(x != x for x in ours) > 100


def test_examples_share_and_fill_a_line():
    plugins.load(*(plugins.example(name) for name in ("aimd", "cubic", "codel", "pid")))
    for flows, discipline in (("my_aimd*2", "fcfs"), ("my_cubic*2", "my_codel"), ("cubic*2", "my_pid")):
        result = headgate.quick.scenario("20Mbit/s", "40ms", flows, discipline, duration="30s").run(seed=1)
        got = [flow.goodput_pps.mean for flow in result.flow_summaries()]
        assert sum(got) > 0.97 * 20e6 / 8 / 1000 and min(got) > 0.2 * sum(got), (flows, discipline, got)
    assert max(link.queueing_s.mean for link in result.link_summaries()) < 0.016


def test_a_plugin_is_known_to_what_asked_for_the_lists_before(tmp_path):
    with pytest.raises(HeadgateError, match=r"One of your own is its file, such as mine.py"):
        headgate.quick.scenario("20Mbit/s", "40ms", "own")
    with pytest.raises(HeadgateError, match=r"One of your own is its file, such as mine.py"):
        headgate.quick.scenario("20Mbit/s", "40ms", "cubic", "own")
    plugins.load(put(tmp_path, control()))
    assert headgate.quick.scenario("20Mbit/s", "40ms", "own:size=20").resolve()["flows"][0]["control"]["size"] == 20
    plugins.unload()
    plugins.load(put(tmp_path, queue()))
    headgate.quick.scenario("20Mbit/s", "40ms", "cubic", "own:limit=20").resolve()
    assert "own" in headgate.replay(pa.table(trace(1, 100, "busy")), queue="own", rate="1Mbit/s").queues
    plugins.unload()
    with pytest.raises(HeadgateError, match="expected a flow control"):
        headgate.quick.scenario("20Mbit/s", "40ms", "own")


CONTROL_FAULTS = {
    "1 / 0": "ZeroDivisionError: division by zero",
    'self.window = float("nan")': "window: found NaN; expected a number of packets, at least 1",
    "self.window = -3": "window: found -3; expected a number of packets, at least 1",
    'self.rate = float("inf")': "rate: found inf; expected a number of packets a second above 0, or None",
    'self.window = "a"': "window: found 'a'; expected a number",
    "self.burst = 0": "burst: found 0; expected a number of packets, at least 1 and at most 1e9",
    "import time; time.time()": "time.time differs from run to run",
    "import random; random.random()": "random.random differs from run to run",
    "import random; random.Random()": "random.Random without a seed differs",
    "import numpy as np; np.random.rand()": "numpy.random.rand differs from run to run",
    "import datetime; datetime.datetime.now()": "datetime.datetime.now differs from run to run",
    "import os; os.urandom(1)": "os.urandom differs from run to run",
    'hash("a")': "the hash of a text differs from run to run",
    'open("/etc/hostname")': "it opened '/etc/hostname'",
    "import subprocess; subprocess.run(['true'])": "it used subprocess.Popen",
    "import socket; socket.socket().connect(('127.0.0.1', 1))": "it used socket.",
    "raise SystemExit": "SystemExit",
}


@pytest.mark.parametrize("body", CONTROL_FAULTS)
def test_a_fault_of_a_control_ends_the_run_and_says_where(tmp_path, body):
    plugins.load(put(tmp_path, control(f"        if self.calls == 300:\n            {body}")))
    with pytest.raises(PluginError, match=r"^flow own, on_ack at 0\.\d+ s: ") as e:
        run(control="own")
    assert CONTROL_FAULTS[body] in str(e.value)
    assert e.value.who == "flow own" and e.value.call == "on_ack" and 0 < e.value.at_s < 1


def test_the_time_of_a_fault_has_its_digits_and_no_others(tmp_path):
    """As a number of seconds, 100000000032 ps times 1e-12 are 0.10000000003199999."""
    plugins.load(put(tmp_path, control("        raise ValueError('at once')")))
    scenario = data("own")
    # 50 ms there and 50 ms back, and no line takes time.
    for link in scenario["links"]:
        link["rate"] = "1Tbit/s"
        link["delay"] = "25ms"
    scenario["flows"][0] |= {"packet": "1B", "ack": "1B"}
    with pytest.raises(PluginError) as e:
        headgate.Scenario(scenario).run()
    # 4 transmissions of a byte of 8 ps each.
    assert str(e.value).startswith("flow own, on_ack at 0.100000000032 s: ValueError: at once"), str(e.value)
    assert e.value.at_s == 0.100000000032


def test_what_has_a_seed_is_no_fault(tmp_path):
    body = """
        import random, math, datetime
        import numpy as np
        if not hasattr(self, "own"):
            self.own, self.other = random.Random(3), np.random.default_rng(4)
        self.window = 5 + 5 * self.own.random() + self.random.random() + self.other.random() + math.sqrt(2)
        assert datetime.timedelta(seconds=1) and datetime.datetime(2020, 1, 1).year == 2020"""
    plugins.load(put(tmp_path, control(body)))
    first, second = (run(control="own") for _ in range(2))
    assert first.runs[0].digest == second.runs[0].digest


def test_chance_is_the_flows_own(tmp_path):
    body = "        self.window = 1 + 20 * self.random.random()"
    plugins.load(put(tmp_path, control(body)))
    scenario = headgate.Scenario(data(control="own"))
    assert len({scenario.run(seed=seed).runs[0].digest for seed in (1, 2, 3)}) == 3


QUEUE_FAULTS = {
    ("        if self.calls != 300: self.queue.append(packet)", GET): "it lost 1 packet",
    (PUT, "        return self.queue[0] if self.queue else None"): "it gave a packet that does not wait in it",
    (PUT, "        return None"): "it gave no packet although",
    (PUT, "        return 3"): "found int; expected a packet or None",
    (PUT, "        cx.drop(self.queue[0], 'random'); " + GET.strip()): "it gave a packet that does not wait in it",
    (PUT + "; cx.drop(packet, 'no')", GET): "reason: found \"no\"; expected one of full, evicted",
    (PUT, GET + "\n    def __getattribute__(self, name): return -1.0 if name == 'timeout' else object.__getattribute__(self, name)"):
        "timeout: found -1; expected a time in seconds",
}  # fmt: skip


@pytest.mark.parametrize("parts", QUEUE_FAULTS)
def test_a_fault_of_a_discipline_ends_the_run_and_says_where(tmp_path, parts):
    plugins.load(put(tmp_path, queue(*parts)))
    with pytest.raises(PluginError, match=r"^link line, (enqueue|dequeue) at 0\.\d+ s: ") as e:
        run(queue="own")
    assert QUEUE_FAULTS[parts] in str(e.value)


def test_a_fault_in_a_replay_is_an_error(tmp_path):
    plugins.load(put(tmp_path, queue("        if self.calls != 30: self.queue.append(packet)")))
    with pytest.raises(PluginError, match=r"queue 1, enqueue at .* it lost 1 packet"):
        headgate.replay(pa.table(trace(1, 100, "busy")), queue="own", rate="1Mbit/s")


def test_a_discipline_that_waits(tmp_path):
    # Each packet waits 10 ms at least.
    get = """
        self.timeout = None
        if not self.queue:
            return None
        ready = self.queue[0].arrived + 0.01
        if cx.now < ready - 1e-12:
            self.timeout = ready
            return None
        return self.queue.popleft()"""
    plugins.load(put(tmp_path, queue(dequeue=get, options=", work_conserving=False")))
    rows = pa.table({"time_s": [0.0, 0.05], "flow": ["a", "a"], "size_bytes": [1000, 1000]})
    found = headgate.replay(rows, queue="own", rate="8Mbit/s").packets("own")
    assert list(found["departure_s"]) == pytest.approx([0.011, 0.061], abs=1e-9)


def test_a_call_without_an_end_is_ended(tmp_path):
    plugins.load(put(tmp_path, control("        while self.calls == 300: pass")))
    plugins.set_limit(0.2)
    with pytest.raises(PluginError, match=r"CallTooLongError: the call took more than 0\.2 s"):
        run(control="own")


def test_a_file_that_loads_without_an_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(calls, "LOAD_S", 0.2)
    with pytest.raises(HeadgateError, match=r"mine\.py, line 2: .*CallTooLongError: loading it took more than 0\.2 s"):
        plugins.load(put(tmp_path, "while True: pass"))
    plugins.load(put(tmp_path, control("        pass")))
    assert not calls._loading


DEFINITIONS = {
    'headgate.control("reno")(type("C", (), {"on_ack": lambda s, a: 0}))': "expected a name that no control of headgate has",
    'headgate.control("My")(type("C", (), {"on_ack": lambda s, a: 0}))': "expected a name of lower-case letters",
    'headgate.control("c")(type("C", (), {}))': "expected a method `def on_ack(self, ack)`",
    'headgate.control("c")(type("C", (), {"on_ack": lambda s: 0}))': "on_ack: expected a method `def on_ack(self, ack)`",
    'headgate.control("c", every="hour")(type("C", (), {"on_ack": lambda s, a: 0}))': "every: found 'hour'; expected one of ack, round",
    'headgate.control("c")(type("C", (), {"on_ack": lambda s, a: 0, "on_lost": lambda s, a: 0}))': "on_lost: no such call",
    'headgate.control("c")(type("C", (), {"on_ack": lambda s, a: 0, "__annotations__": {"rate": float}, "rate": 1.0}))':
        "parameter rate: expected another name",
    'headgate.control("c")(type("C", (), {"on_ack": lambda s, a: 0, "__annotations__": {"x": float}}))': "parameter x: expected a default",
    'headgate.control("c")(type("C", (), {"on_ack": lambda s, a: 0, "__annotations__": {"x": int}, "x": headgate.parameter(3, max=2)}))':
        "default of x: found 3; expected a number at most 2",
    'headgate.discipline("d")(type("D", (), {"enqueue": lambda s, p, c: 0}))': "expected a method `def dequeue(self, cx)`",
    'headgate.control(type("C", (), {}))': 'class C: expected @headgate.control("a_name") with a name',
    'headgate.discipline(type("C", (), {}))': 'class C: expected @headgate.discipline("a_name") with a name',
    'headgate.control("c")(type("C", (), {"on_ack": lambda s, a: 0, "__init__": lambda s: None}))':
        "__init__: expected none, since it is made of the parameters; expected `def on_start(self, window)`",
    "x = (": "expected Python; ",
    "1 / 0": "line 2: expected a file that can be loaded; ZeroDivisionError",
    "pass": "expected @headgate.control(...) or @headgate.discipline(...) at a class",
    "from . import x": "relative imports have no package here",
}  # fmt: skip


@pytest.mark.parametrize("text", DEFINITIONS)
def test_a_wrong_file_is_refused_with_its_place(tmp_path, text):
    with pytest.raises(HeadgateError, match=r"^plugins\[0\]: mine.py") as e:
        plugins.load(put(tmp_path, text))
    assert DEFINITIONS[text] in str(e.value), str(e.value)


def test_parameters_are_read_as_the_engines_own(tmp_path):
    text = """
from typing import Literal
from headgate.plugins import Duration, Rate, Size
@headgate.control("own")
class Own:
    '''A control of one's own.'''
    number: float = headgate.parameter(1.0, above=0, below=10, doc="A number.")
    whole: int = 3
    mode: Literal["fast", "slow"] = "fast"
    wait: Duration = "5ms"
    pace: Rate = "1Mbit/s"
    size: Size = "1500B"
    on: bool = True
    def __post_init__(self):
        assert abs(self.wait * 1000 - round(self.wait * 1000)) < 1e-9 and self.pace >= 1000 and self.size >= 1
    def on_ack(self, ack):
        pass
"""
    entries = plugins.load(put(tmp_path, text))
    scenario = headgate.Scenario(data(control={"kind": "own", "wait": "20ms", "number": 2}, plugins=entries))
    resolved = scenario.resolve()
    found = resolved["flows"][0]["control"]
    assert found == {
        "kind": "own", "number": 2.0, "whole": 3, "mode": "fast", "wait": "20ms", "pace": "1Mbit/s", "size": "1.5KB", "on": True
    }  # fmt: skip
    # What is resolved resolves to itself.
    assert headgate.Scenario(resolved).resolve() == resolved
    listed = {p.name: p for p in headgate.catalogue("controls")["own"].parameters}
    assert listed["wait"].type == "duration" and listed["wait"].default == "5ms"
    for wrong, text in {
        ("number", 0): "found 0; expected a number above 0",
        ("number", 10): "expected a number below 10",
        ("number", "x"): 'found "x"; expected a number',
        ("whole", 2.5): "found 2.5; expected a whole number",
        ("mode", "medium"): "found \"medium\"; expected one of 'fast' or 'slow'",
        ("wait", "5 bananas"): "expected a time such as",
        ("on", 1): "expected true or false",
        ("nmber", 1): "unknown key `nmber`; did you mean `number`?",
    }.items():
        with pytest.raises(ScenarioError) as e:
            headgate.Scenario(data(control={"kind": "own", wrong[0]: wrong[1]}, plugins=entries)).resolve()
        assert text in str(e.value), str(e.value)


def test_a_file_that_is_none_in_python_is_not_run(tmp_path):
    file = put(tmp_path, "raise SystemExit", "mine.txt")
    with pytest.raises(HeadgateError, match=r"^plugin: found .*; expected a file in Python such as mine\.py"):
        plugins.load(file)


def test_a_scenario_file_names_plugins_and_keeps_their_contents(tmp_path):
    put(tmp_path, control())
    file = tmp_path / "a.json"
    file.write_text(json.dumps(data(control="own", plugins=["mine.py"])))
    result = headgate.Scenario.from_file(file, allow_code=True).run(seed=1, out=tmp_path / "out")
    plugins.unload()
    # What is stored needs no file.
    stored = json.loads(result.runs[0].scenario)
    (tmp_path / "mine.py").unlink()
    assert headgate.Scenario(stored, allow_code=True).run(seed=1).runs[0].digest == result.runs[0].digest
    assert stored["plugins"][0]["name"] == "mine.py"
    outside = {**data(control="own"), "plugins": ["../other.py"]}
    file.write_text(json.dumps(outside))
    with pytest.raises(HeadgateError, match=r"plugins\[0\]: found '\.\./other\.py'; expected a file in the folder"):
        headgate.Scenario.from_file(file)


def test_another_file_with_the_same_name_takes_its_place(tmp_path):
    first = plugins.load(put(tmp_path, control()))
    second = plugins.load(put(tmp_path, control("        self.window = 20")))
    assert [
        round(run(control="own", plugins=entries).flow_summaries()[0].goodput_pps.mean)
        for entries in (first, second, first)
    ] == pytest.approx([467, 827, 467], abs=8)


def test_workers_load_plugins_and_a_fault_leaves_the_other_variants(tmp_path):
    body = "        if self.size == 13 and self.calls > 20:\n            raise ValueError('unlucky')"
    entries = plugins.load(put(tmp_path, control(body)))
    study = {
        **data(control={"kind": "own"}, plugins=entries),
        "sweep": {"axes": {"flows.own.control.size": [10.0, 13.0, 20.0]}, "replications": 2},
    }
    sweep = headgate.Sweep.of(headgate.Scenario(study))
    found = sweep.run(tmp_path / "out", workers=2)
    failures = found.failures.column("error").to_pylist()
    assert len(failures) == 2
    assert all("flow own, on_ack at" in text and "ValueError: unlucky" in text for text in failures)


def test_what_is_sealed_loads_no_code(tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules["headgate.plugins.registry"], "_sealed", False)
    known = plugins.load(put(tmp_path, control()))
    other = [{"name": "evil.py", "source": "open('/tmp/never', 'w')"}]
    plugins.seal()
    assert headgate.Scenario(data(control="own", plugins=known)).resolve()
    with pytest.raises(HeadgateError, match=r"plugins\[0\]: found evil.py, which was not loaded at the start"):
        headgate.Scenario(data(control="own", plugins=other)).resolve()


def test_commands_take_plugins(tmp_path):
    put(
        tmp_path,
        control("        if self.calls == 300: self.helper()\n    def helper(self):\n        raise ValueError('gone')"),
    )
    listed = headgate_command("list", "controls", "own", "--plugin", "mine.py", cwd=tmp_path)
    assert listed.returncode == 0 and "Packets of the window." in listed.stdout
    done = headgate_command("quick", "10Mbit/s", "20ms", "own", "--plugin", "mine.py", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert "error: flow own, on_ack at" in done.stderr and "ValueError: gone" in done.stderr
    # The plugin's own lines, and none of the engine's.
    assert "self.helper()" in done.stderr and "raise ValueError('gone')" in done.stderr
    assert done.stderr.count("File ") == 2
    steps = subprocess.run(
        [sys.executable, "-c", "import sys; from headgate.cli import main; sys.argv[0] = 'headgate'; sys.exit(main())",
         "control", "own", "--stdio", "--plugin", "mine.py"],
        input='{"t": 0, "ev": "sent"}\n{"t": 9, "ev": "ack"}\n', capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert [json.loads(line)["cwnd"] for line in steps.stdout.splitlines()] == [10, 10], steps.stderr
