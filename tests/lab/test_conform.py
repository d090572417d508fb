"""`headgate conform` finds what is wrong with a plugin; what is right passes."""

import json
from pathlib import Path

import pytest

from headgate import plugins
from headgate.lab.conformance import conform, parameters, work
from headgate.scenario.subjects import read_all

from ..own_plugins import GET, PUT, control, headgate_command, put, queue


def failed(file: Path) -> dict[str, str]:
    return {check.name: check.found for check in conform(file).checks if not check.passed}


def said(file: Path, test: str) -> str:
    """What one test finds: a planted fault is looked for where it is to be found."""
    ((kind, scheme),) = read_all(str(file))
    return work.do(work.WantedCheck(kind, scheme, test))["found"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aimd", "cubic", "codel", "pid"])
def test_the_examples_pass(name):
    assert failed(plugins.example(name)) == {}


def test_a_bound_that_a_rule_between_two_parameters_refuses_is_tried_with_the_other_one():
    # `allegro` expects its step to be at most its max_step: 0.25 is more than the default of that, 0.001 less than the default of the step.
    ((_, scheme),) = read_all("allegro")
    tried = []
    assert parameters.bounds("control", tried.append)(scheme) is None
    steps = [(s.table.get("step", 0.01), s.table.get("max_step", 0.05)) for s in tried]
    assert steps and all(step <= most for step, most in steps)
    assert parameters.parameters("control")(scheme) is None


# A control that would pass, with one fault each: the line, the test that finds it and words of what it says.
CONTROLS = {
    "self.rate = 100.0 + sum(i * ord(c) for i, c in enumerate(set('abcdefghijkl'))) % 997":
        ("other hash seed", "expected that nothing depends on the order of a set"),
    "self.window = 50 if ack.now > 40 else 2": ("time of the start", "must not depend on the time"),
    "self.window = 1000": ("reaction to loss", "expected that it slows down"),
    "self.window = 10 + 1 / (1 - ack.marked)": ("marks", "ZeroDivisionError"),
    "self.window = ack.rtt * 1000 + 1": ("packets out of order", "TypeError"),
    "self.window = min(200, self.window + ack.in_flight / (ack.in_flight - ack.delivered + 1))":
        ("short transfers with pauses", "ZeroDivisionError"),
    "self.window = 1 if ack.smoothed_rtt > 1 else 10; assert ack.smoothed_rtt < 2": ("a round trip of 2 s", "TypeError"),
    "self.rate = 1e4 / (100 - self.size)": ("bounds of parameters", "size = 100"),
    "self.window = 5 if ack.cumulative < 100 else 1 + 0 * self.stop(ack)\n    def stop(self, ack): self.rate = 1e-3; return 0":
        ("a long queue", "packets a second; expected at least"),
}  # fmt: skip


@pytest.mark.parametrize("line", CONTROLS)
def test_planted_faults_of_a_control_are_found(tmp_path, line):
    test, words = CONTROLS[line]
    assert words in said(put(tmp_path, control("        " + line)), test)


QUEUES = {
    (PUT, "        return self.queue.pop() if self.queue else None"):
        ("more packets than the line sends", "left before one that arrived earlier"),
    ("        cx.drop(packet)", GET): ("one packet at a time", "no packet left"),
    ("        self.queue.append(packet) if packet.bytes < 9000 else None", GET): ("one packet at a time", "it lost 1 packet"),
    (PUT, "        return self.queue.popleft() if len(self.queue) > 1 else None"):
        ("one packet at a time", "it gave no packet although 1 wait"),
    (PUT + "; self.gap = 1 / (cx.now - getattr(self, 'last', -1)); self.last = cx.now", GET):
        ("bursts at one instant, and pauses", "ZeroDivisionError"),
    ("        cx.drop(packet) if cx.packets >= 100 / (self.limit - 1) else self.queue.append(packet)", GET):
        ("bounds of parameters", "limit = 1"),
    (PUT + "\n    def on_link_change(self, rate, weights, now): self.share = 1e7 // (rate - 3e6)", GET):
        ("a line that changes its rate", "ZeroDivisionError"),
    (PUT, "        if cx.random() < 0.5 and self.queue: self.queue.rotate(1)\n" + GET):
        ("more packets than the line sends", "left before"),
}  # fmt: skip


@pytest.mark.parametrize("parts", QUEUES)
def test_planted_faults_of_a_discipline_are_found(tmp_path, parts):
    test, words = QUEUES[parts]
    assert words in said(put(tmp_path, queue(*parts)), test)


def test_parameters_without_a_word_or_without_bounds_that_hold_are_found(tmp_path):
    text = control().replace(', doc="Packets of the window."', "")
    assert failed(put(tmp_path, text))["parameters"].startswith("parameter size: expected a sentence")


def test_the_command_reports_and_says_by_its_code_whether_all_passed(tmp_path):
    put(tmp_path, queue("        cx.drop(packet)"))
    done = headgate_command("conform", "mine.py", cwd=tmp_path)
    assert done.returncode == 1
    first, *more = done.stdout.splitlines()
    assert (
        first.endswith(" tests passed.")
        and "  own: one packet at a time: no packet left; expected that it lets" in done.stdout
    )
    assert "      headgate conform mine.py --name own" in more and "failed" in more
    assert max(map(len, done.stdout.splitlines())) <= 80
    as_json = headgate_command("conform", "mine.py", "--name", "own", "--json", cwd=tmp_path)
    assert json.loads(as_json.stdout)["passed"] is False
    wrong = headgate_command("conform", "mine.py", "--name", "onw", cwd=tmp_path)
    assert wrong.returncode == 2 and 'Did you mean "own"?' in wrong.stderr
