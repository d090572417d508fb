"""`headgate evaluate`: the same score each time, and no gain for who cheats."""

import json
import re

import pytest

from headgate import plugins
from headgate.base.errors import HeadgateError
from headgate.lab.evaluation import evaluate, suite
from headgate.lab.evaluation.build import seconds
from headgate.lab.evaluation.score import WEIGHTS, rescaled, scores, total

from ..own_plugins import headgate_command, put
from ..printed import undeclared

KEY = "0123456789abcdef0123456789abcdef"


def test_the_suite_covers_what_it_promises():
    cases = suite("internet-1")
    assert len(cases) == 40 and len({case.name for case in cases}) == 40
    assert min(case.rate for case in cases) == 1e6 and max(case.rate for case in cases) == 1e9
    assert min(case.rtt for case in cases) == 0.001 and max(case.rtt for case in cases) == 0.3
    assert min(case.buffer for case in cases) == 0.3 and max(case.buffer for case in cases) == 10
    assert {case.kind for case in cases} == {"alone", "beside", "itself", "transfers", "incast", "call"}
    assert {case.queue for case in cases} >= {"fcfs", "codel", "fq_codel", "pie"}


def test_a_key_draws_other_numbers_and_the_same_ones_each_time():
    known, hidden, again = (suite("internet-1", key) for key in ("", KEY, KEY))
    assert hidden == again != suite("internet-1", KEY[::-1])
    for a, b in zip(known, hidden, strict=True):
        assert a.name == b.name and a.kind == b.kind and a.seed != b.seed and (a.rtt != b.rtt or a.rtt in (0.001, 0.3))
        assert 2 / 3 <= b.rate / a.rate <= 1.5 and 0.3 <= b.buffer <= 10


def test_scores_by_hand():
    case = next(case for case in suite("internet-1") if case.name == "beside-1")
    run = {"goodput": 2.375e6, "queueing": 0.04, "other": 4e6}
    found = scores(case, run, {"goodput": 5e6, "queueing": 0.04, "other": 5e6})
    # Half of 95 % of 5 Mbit/s; a delay of one round trip; four fifths of what cubic leaves.
    assert found == pytest.approx({"throughput": 0.5, "delay": 0.5, "harm": 0.8})
    assert scores(case, None, None) == {"throughput": 0, "delay": 0, "harm": 0}
    points, means = total([found, {"throughput": 1.0, "delay": 0.5}])
    assert means == pytest.approx({"throughput": 0.75, "delay": 0.5, "harm": 0.8})
    assert points == pytest.approx(100 * (30 * 0.75 + 20 * 0.5 + 25 * 0.8) / 75)
    assert sum(WEIGHTS.values()) == 100
    for case in suite("internet-1"):
        assert 0.2 <= seconds(case) <= 120


def test_an_idle_sender_has_nothing_and_all_scores_are_told_beside():
    idle = evaluate('{kind = "generic", window = 2}', "smoke", rounds=1)
    reno = evaluate("reno", "smoke", rounds=1)
    assert idle["combined_score"] == idle["beside"]["idle"] == reno["beside"]["idle"] == 0
    # The same runs, whoever is judged.
    assert reno["beside"] == idle["beside"] and reno["combined_score"] == reno["beside"]["reno"]
    # A window of 2 packets of 1500 bytes in 40 ms is 0.6 of 10 Mbit/s; nothing else of it is measured.
    assert idle["cases"][0]["goodput_bps"] == pytest.approx(2 * 12_000 / 0.0412, rel=0.05)
    assert 40 < reno["combined_score"] < 100
    # By hand: what is above the sum of the idle sender, of what there is above it.
    sums = [total([case["scores"] for case in found["cases"]])[0] for found in (reno, idle)]
    assert reno["combined_score"] == pytest.approx(100 * (sums[0] - sums[1]) / (100 - sums[1]))
    assert rescaled(62.8, 62.8) == 0 and rescaled(100, 62.8) == 100


def test_one_that_does_worse_than_nothing_has_no_less(tmp_path):
    found = evaluate(put(tmp_path, AIMD.format(cheat="        self.window = 1.0 / 0")), "smoke", rounds=1, trusted=True)
    assert found["combined_score"] == 0 and found["faults"] == 4


def test_what_arrives_twice_is_no_goodput(monkeypatch):
    """A line that delivers a twentieth of all packets twice: counted against the engine's own tables."""
    from headgate.base.parallel import run_once
    from headgate.lab.evaluation import score
    from headgate.lab.evaluation.build import scenario

    case = suite("smoke")[0]
    twice = scenario(case, {"kind": "cubic"}).set("links.line.duplicate", 0.05)
    monkeypatch.setattr(score, "scenario", lambda *_: twice)
    found = score.run(case, {"kind": "cubic"}, 0)
    table = run_once(twice.to_json(), case.seed, 0).table("flows")
    unique, received = (int(memoryview(table[name])[0]) for name in ("unique_bytes", "received"))
    assert unique < 0.97 * 1500 * received
    assert found["goodput"] == pytest.approx(8 * unique / seconds(case), rel=1e-12)


def test_the_score_is_the_same_to_the_bit_whatever_the_number_of_workers():
    first, second = (evaluate("reno", "smoke", rounds=2, workers=workers) for workers in (1, 3))
    assert first == second
    assert first["combined_score_half"] is not None and first["faults"] == 0
    assert evaluate("reno", "smoke", KEY, rounds=1)["combined_score"] != first["combined_score"]


AIMD = """
@headgate.control("own")
class Own:
    '''A window that grows by a packet and is halved.'''
    part: float = headgate.parameter(0.5, min=0.1, max=1, doc="Part that is left.")
    def on_start(self, window):
        self.window, self.slow, self.calls = float(window), True, 0
    def on_ack(self, ack):
        self.calls += 1
{cheat}
        if ack.limited and not ack.recovering:
            self.window += ack.credit if self.slow else ack.credit / self.window
    def on_loss(self, loss):
        self.slow = False
        self.window = max(self.window * self.part, 2)
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    file = put(tmp_path_factory.mktemp("honest"), AIMD.format(cheat=""))
    return evaluate(file, "smoke", KEY, rounds=1)


@pytest.mark.slow
def test_a_file_in_a_process_of_its_own_does_what_it_does_in_the_simulator(tmp_path, honest):
    inside = evaluate(put(tmp_path, AIMD.format(cheat="")), "smoke", KEY, rounds=1, trusted=True)
    assert inside == honest and honest["faults"] == 0 and honest["combined_score"] > 50


#: Attempts to find out or to do what is not a flow control's: each with what the fault says.
ATTEMPTS = {
    "reads the simulator's memory": ("import ctypes", "ImportError: ctypes: a flow control that is judged may import"),
    "looks for the simulator's objects": ("import gc", "ImportError: gc"),
    "reads a file": ("open('/proc/self/cmdline')", "NameError: name 'open'"),
    "reads a file through a module that it has": (
        "import statistics; statistics.sys.modules['os'].open('/etc/hostname', 0)", "its process was ended"),
    "reads the clock": ("import time", "ImportError: time"),
    "reads the machine's load through a module that it has": (
        "import random; random._os.getloadavg()", "(its process was ended|differs from run to run)"),
    "asks another program": ("import functools; functools.wraps.__globals__['__builtins__']['__import__']('os').fork()", "."),
    "opens a socket": ("import random; random._os.sys.modules['socket'].socket()", "."),
    "writes another answer": ("import statistics; statistics.sys.modules['os'].write(1, b'xxxxxxxxxx')", "something else than answers"),
    "never answers": ("while self.calls == 50: pass", "it did not answer within"),
    "takes all memory": ("self.all = [0] * 10**10", "MemoryError"),
    "ends its process": ("raise SystemExit", "SystemExit"),
}  # fmt: skip


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_what_is_not_a_flow_controls_is_a_fault_and_scores_nothing(tmp_path, monkeypatch, attempt):
    monkeypatch.setattr("headgate.plugins.remote.ANSWER_S", 0.5)
    from headgate.lab.evaluation import work

    line, words = ATTEMPTS[attempt]
    file = put(tmp_path, AIMD.format(cheat=f"        if self.calls == 50:\n            {line}"))
    (entry,) = plugins.filled_from(file)
    found = work.do(work.WantedRun(suite("smoke")[0], {"kind": "own"}, 0, entry, True))
    assert re.search(words, found.get("fault", "")), found


#: Rules that gain by what a judge might overlook, without leaving their process. None may gain anything, on numbers that they do not know.
CHEATS = {
    "rests until a warm-up is over": "        if ack.now < 4: self.window = 1.0",
    "floods, and holds back before a window of measurement": "        self.window = 400.0 if int(ack.now) % 4 else 2.0",
    "starves its neighbour": "        self.window = 500.0",
    "never gives way": "        self.part = 1.0; self.window = max(self.window, 60.0)",
    "holds packets back at the end of each interval": "        if ack.now % 4 > 3.9: self.window = 1.0",
    "stays small beside others, to keep its delay low": "        if ack.max_rtt and ack.max_rtt > 0.02: self.window = 2.0",
    "makes the shortest round trip look long": "        if ack.now < 1: self.window = 200.0",
    "sends in a fixed phase": "        self.window = 80.0 if (ack.now * 10) % 1 < 0.5 else 1.0",
    "counts on rounding": "        self.window = int(self.window) + 0.999999",
    "answers from a table": (
        "        self.window = {40: 33.0, 20: 60.0}.get(round(ack.min_rtt * 1000) if ack.min_rtt else 0, 3.0)"
    ),
    "keeps what it knows for the next flow": (
        "        import random; random.known = getattr(random, 'known', 0) + 1\n"
        "        if random.known > 20000: self.window = 50.0"
    ),
    "knows the seed": "        if self.random.random() < 0: pass\n        self.window = 30.0 if self.calls < 300 else self.window",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_cheats_gain_nothing_on_the_hidden_suite(tmp_path, cheat):
    assert points(tmp_path, CHEATS[cheat]) <= points(tmp_path, "") + 0.5


def points(tmp_path, cheat):
    """On the hidden suite, with the same seeds for all."""
    from headgate.lab.evaluation import work
    from headgate.lab.evaluation.score import needs_known

    (entry,) = plugins.filled_from(put(tmp_path, AIMD.format(cheat=cheat)))
    rows = []
    for case in suite("smoke", KEY):
        own = work.do(work.WantedRun(case, {"kind": "own"}, 0, entry))
        known = work.do(work.WantedRun(case, {"kind": case.other}, 0)) if needs_known(case) else None
        rows.append(scores(case, None if "fault" in own else own, known))
    return total(rows)[0]


def test_wrong_questions_are_refused(tmp_path):
    for given, words in (
        (("cubik",), 'Did you mean "cubic"?'),
        (
            ("cubic", "internet-2"),
            "suite: found 'internet-2'; expected one of internet-1, smoke, or a file ending in .toml.",
        ),
        ((str(tmp_path / "none.py"),), "expected a file of Python; No such file"),
        ((str(put(tmp_path, "x = 1")),), "expected @headgate.control"),
        ((str(put(tmp_path, "import os", "other.py")),), "ImportError: os: a flow control that is judged may import"),
    ):
        with pytest.raises(HeadgateError, match=re.escape(words)):
            evaluate(*given)
    with pytest.raises(HeadgateError, match="found 2; expected a number at most 1"):
        evaluate(put(tmp_path, AIMD.format(cheat="")), "smoke", parameters={"part": 2}, rounds=1)


def test_work_that_takes_long_says_how_long_and_names_trusted(capfd):
    from headgate.cli.terminal import AFTER_S, Estimate

    now, seen = [0.0], []
    estimate = Estimate(lambda *told: seen.append(told), "; --trusted is faster", clock=lambda: now[0])
    for now[0], share in ((1.0, 0.01), (AFTER_S - 0.1, 0.04), (6.0, 0.0), (10.0, 0.05), (20.0, 0.1)):
        estimate(share, 5, 100)
    # Ten seconds for a twentieth: 190 s more.
    assert capfd.readouterr().err == "about 3 min to go (5 of 100 runs in 10 s); --trusted is faster\n"
    assert len(seen) == 5


def test_the_command_prints_scores_within_80_columns(tmp_path):
    done = headgate_command("evaluate", "reno", "--suite", "smoke", "--rounds", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("reno: ") and "beside-1" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    as_json = headgate_command("evaluate", "reno", "--suite", "smoke", "--rounds", "1", "--json", cwd=tmp_path)
    found = json.loads(as_json.stdout)
    assert undeclared("evaluate", found) == []
    known = json.loads(json.dumps(evaluate("reno", "smoke", rounds=1)))
    assert {name: found[name] for name in known} == known and found["sentence"].startswith("reno: ")
    assert found["failed"] == []
    wrong = headgate_command("evaluate", "reno", "--set", "x", cwd=tmp_path)
    assert wrong.returncode == 2 and "--set x: expected NAME=VALUE, such as gain=0.5" in wrong.stderr
