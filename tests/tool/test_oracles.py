"""Our flow controls beside other implementations, on recorded streams of events: see tests/oracle/README.md."""

import gzip
import json
import tomllib
from pathlib import Path

import pytest

from headgate import _core

HERE = Path(__file__).parents[1] / "oracle"
TABLE = tomllib.loads((HERE / "cases.toml").read_text())


def windows(control: object, stream: str) -> tuple[list[float], list[float]]:
    """Times in seconds and our windows after each event."""
    steps = _core.Steps(json.dumps(control), 10, 1)
    with gzip.open(HERE / "streams" / f"{stream}.jsonl.gz", "rt") as file:
        answers = [json.loads(steps.step(line)) for line in file]
    return [a["t"] / 1e9 for a in answers], [a["cwnd"] for a in answers]


def difference(control: object, case: dict) -> tuple[float, float]:
    """Mean and greatest relative difference of the windows from 1 s on, or in the time that the case says."""
    gold = json.loads((HERE / "gold" / f"{case['oracle']}-{case['theirs']}-{case['stream']}.json").read_text())
    assert gold["package"] == TABLE["oracle"][case["oracle"]]["package"]
    times, ours = windows(control, case["stream"])
    every = gold["every"]
    start, end = case.get("from", 1), case.get("until", float("inf"))
    pairs = [(a, b) for t, a, b in zip(times[::every], ours[::every], gold["cwnd"], strict=True) if start <= t < end]
    each = [abs(a - b) / b for a, b in pairs]
    return sum(each) / len(each), max(each)


@pytest.mark.parametrize("case", TABLE["case"], ids=lambda c: f"{c['ours']}-{c['oracle']}-{c['stream']}")
def test_windows_are_near_those_of_others(case: dict):
    mean, worst = difference(case["ours"], case)
    assert mean <= case["mean"] and worst <= case["worst"], f"mean {mean:.4f}, worst {worst:.4f}; {case['why']}"


@pytest.mark.parametrize(
    ("wrong", "number"),
    [
        ({"kind": "aimd", "decrease": 0.7}, 1),
        ({"kind": "cubic", "beta": 0.6}, 2),
        ("reno", 3),
        ("cubic", 4),
        ({"kind": "cubic", "beta": 0.75}, 6),
        ({"kind": "cubic", "c": 0.5}, 7),
        ({"kind": "cubic", "beta": 0.8}, 8),
        ("cubic", 9),
        ({"kind": "dctcp", "gain": 0.5}, 10),
        ("reno", 11),
        ("cubic", 12),
        ({"kind": "bbr3", "window_gain": 2.2}, 13),
        ({"kind": "bbr3", "headroom": 0.2}, 14),
        ({"kind": "bbr3", "loss_threshold": 0.5}, 14),
        ("bbr1", 14),
        ({"kind": "ledbat", "delay": "round_trip", "target": "80ms"}, 15),
        ({"kind": "ledbat", "delay": "round_trip", "gain": 0.5}, 15),
        ("reno", 15),
    ],
)
def test_another_flow_control_is_not_near(wrong: object, number: int):
    case = TABLE["case"][number]
    mean, worst = difference(wrong, case)
    assert mean > case["mean"] or worst > case["worst"], (mean, worst)
