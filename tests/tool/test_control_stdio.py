"""A flow control by itself: events in, windows out, one answer a line."""

import json
import subprocess
import sys

import pytest


def drive(name: str, lines: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from headgate.cli import main; main()", "control", name, "--stdio", *options]
    return subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)


def event(t: int, ev: str, **more: object) -> str:
    return json.dumps({"t": t, "ev": ev, **more})


def test_slow_start_a_cut_and_a_packet_a_window():
    ms = 1_000_000
    lines = [event(0, "sent") for _ in range(4)]
    lines += [event(40 * ms, "ack", rtt=40 * ms), event(41 * ms, "ack"), event(42 * ms, "loss")]
    lines += [event(50 * ms, "sent") for _ in range(3)]
    # The window in which the loss was does not open it: the packet sent after it does, and the next two complete a window.
    lines += [event(90 * ms, "ack", pn=4), event(91 * ms, "ack", pn=5), event(92 * ms, "ack", pn=6)]
    done = drive("reno", lines, "--window", "4")
    assert done.returncode == 0 and done.stderr == ""
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["cwnd"] for a in answers] == [4, 4, 4, 4, 5, 6, 3, 3, 3, 3, 3, 3, 4]
    assert [a["ssthresh"] for a in answers][5:7] == [None, 3] and answers[-1]["t"] == 92 * ms


def test_the_same_seed_gives_the_same_answers():
    lines = [event(i, "sent") for i in range(50)] + [event(1000 + i, "ack") for i in range(50)]
    for name in ("bbr1", "cubic", '{"kind": "cubic", "beta": 0.5}'):
        assert drive(name, lines).stdout == drive(name, lines).stdout != ""


@pytest.mark.parametrize(
    ("name", "lines", "why"),
    [
        ("rno", [], "NAME: found 'rno'; expected a flow control"),
        ("packet_pair", [], "NAME: packet_pair: expected a flow control with a window"),
        ('{"kind": "cubic", "beta": 2}', [], "NAME: beta: found 2; expected a number at most 0.95"),
        ("reno", ["", "{"], "line 2: EOF while parsing an object"),
        ("reno", [event(5, "sent"), event(4, "sent")], "line 2: t: found 4; expected at least 5"),
        ("reno", [event(5, "ack")], "line 1: pn: expected a packet that is outstanding"),
        ("reno", ["x" * 70000], "line 1: expected at most 65536 characters"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(name: str, lines: list[str], why: str):
    done = drive(name, lines)
    assert done.returncode == 2 and why in done.stderr and "Traceback" not in done.stderr, done.stderr
