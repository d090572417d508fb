"""Rate traces in files that a scenario names."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from headgate import Scenario, _core
from headgate.base.errors import HeadgateError
from headgate.sweep import open_study

from ..conftest import Cli, dumbbell

STEPS = "# a drive test\n0s, 8Mbit/s\n1.5s,0bit/s\n\n2s,2Mbit/s\n"


def scenario(folder: Path, rate: dict[str, Any], text: str | bytes | None) -> Path:
    data = dumbbell(duration="4s", interval="1s", warm_up="0s")
    data["links"][0]["rate"] = {"forward": rate, "reverse": "1Mbit/s"}
    file = folder / "a.json"
    file.write_text(json.dumps(data))
    if text is not None:
        (folder / "trace").write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


@pytest.mark.parametrize(
    ("kind", "text", "key", "entries"),
    [
        ("mahimahi", "0\n3\n3\n12\n", "times", [0, 3, 3, 12]),
        ("mahimahi", "# down\r\n1\r\n\r\n2\r\n", "times", [1, 2]),
        ("mahimahi", "\ufeff1\r2\r", "times", [1, 2]),
        (
            "steps",
            "\ufeff0s;8Mbit/s;\n1,5s;0bit/s\n2s;2Mbit/s\n",
            "steps",
            [["0ps", "8Mbit/s"], ["1.5s", "0bit/s"], ["2s", "2Mbit/s"]],
        ),
        ("steps", "0s\t8Mbit/s\n2s\t2Mbit/s\n", "steps", [["0ps", "8Mbit/s"], ["2s", "2Mbit/s"]]),
        ("steps", "0s 8Mbit/s\n2s 2Mbit/s\n", "steps", [["0ps", "8Mbit/s"], ["2s", "2Mbit/s"]]),
        (
            "steps",
            "time_s;rate_bps\n0;8e6\n0,25;1234567,8\n",
            "steps",
            [["0ps", "8Mbit/s"], ["250ms", "1234.568kbit/s"]],
        ),
        ("steps", STEPS, "steps", [["0ps", "8Mbit/s"], ["1.5s", "0bit/s"], ["2s", "2Mbit/s"]]),
        (
            "steps",
            "time_s,rate_bps\n0,8e6\n0.25,1234567.8\n1e1,0\n",
            "steps",
            [["0ps", "8Mbit/s"], ["250ms", "1234.568kbit/s"], ["10s", "0bit/s"]],
        ),
    ],
)
def test_a_trace_takes_the_place_of_its_file(
    kind: str, text: str, key: str, entries: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = scenario(tmp_path, {"kind": kind, "file": "trace"}, text)
    monkeypatch.chdir("/")
    read = Scenario.from_file(file).resolve()["links"][0]["rate"]["forward"]
    assert read[key] == entries
    assert "file" not in read


def test_a_trace_of_pensieve_is_read_as_its_simulator_reads_it(tmp_path: Path) -> None:
    """The Mbit that may be sent by each time, as its `sim/env.py` adds them up: the rate of a line times the time since the line before."""
    lines = [(0.0, 9.9), (0.5, 2.0), (1.75, 0.25), (2.5, 0.0), (4.0, 8.125)]
    for sign, end in ((" ", "\n"), ("\t", "\r\n"), ("  ", "\n")):
        text = "".join(f"{time}{sign}{rate}{end}" for time, rate in lines)
        file = scenario(tmp_path, {"kind": "steps", "file": "trace"}, text)
        read = Scenario.from_file(file).resolve()["links"][0]["rate"]["forward"]
        steps = [(_core.quantity(time)[2], _core.quantity(rate)[2] / 1e6) for time, rate in read["steps"]]
        assert read["period"] == "4s"
        ends = [time for time, _ in steps[1:]] + [4.0]
        ours = [(end, rate * (end - time)) for (time, rate), end in zip(steps, ends, strict=True)]
        theirs = [(t, rate * (t - before)) for (before, _), (t, rate) in pairwise(lines)]
        assert [x for pair in ours for x in pair] == pytest.approx([x for pair in theirs for x in pair])
    # What the table says goes before what the file says.
    file = scenario(tmp_path, {"kind": "steps", "file": "trace", "period": "9s"}, text)
    assert Scenario.from_file(file).resolve()["links"][0]["rate"]["forward"]["period"] == "9s"


@pytest.mark.parametrize(
    ("rate", "text", "said"),
    [
        ({"kind": "mahimahi", "file": "trace"}, None, "expected a file of delivery opportunities, found none"),
        ({"kind": "mahimahi", "file": "trace"}, "1\n-2\n", "line 2: found '-2'; expected a time in whole milliseconds"),
        ({"kind": "mahimahi", "file": "trace"}, "1.5\n", "line 1: found a number; expected a time"),
        ({"kind": "mahimahi", "file": "trace"}, "root:x:0\n", "line 1: found a text; expected a time"),
        ({"kind": "mahimahi", "file": "trace"}, b"1\n\xe4\n", "line 2: found the byte 0xe4; expected text in UTF-8"),
        ({"kind": "mahimahi", "file": "trace"}, "1\n\u0662\n", "line 2: found"),
        ({"kind": "mahimahi", "file": "trace"}, "9" * 4000, "expected a time in whole milliseconds"),
        ({"kind": "mahimahi", "file": "trace"}, "1\n" * 1_000_001, "expected at most 1000000 times in all files"),
        ({"kind": "mahimahi", "file": "trace", "times": [1]}, "1\n", "expected `times` or `file`, not both"),
        (
            {"kind": "mahimahi", "file": "trace"},
            b"\xff\xfe1\n",
            "line 1: found text in UTF-16; expected text in UTF-8",
        ),
        (
            {"kind": "steps", "file": "trace"},
            "0s\n",
            "line 1: found a text; expected a time and a rate, such as 10s,2Mbit/s",
        ),
        (
            {"kind": "steps", "file": "trace"},
            "0,5\n1,6\n",
            "line 1: found a number and a number; expected a time and a rate",
        ),
        (
            {"kind": "steps", "file": "trace"},
            "0 5\n1 x\n",
            "line 2: found '1 x'; expected a number of seconds and one of Mbit/s",
        ),
        ({"kind": "steps", "file": "trace"}, "0 5\n", "found 1 line of seconds and Mbit/s; expected at least 2"),
        ({"kind": "steps", "file": "trace"}, "time_s,rate_bps\n0,8e6\n1,x\n", "line 3: found '1,x'"),
        ({"kind": "steps", "file": "trace"}, "time_s,rate_bps\n-1,8e6\n", "line 2: found '-1,8e6'"),
        ({"kind": "steps", "file": "trace"}, "time_s,rate_bps\n0,1e999999999\n", "line 2: found '0,1e999999999'"),
        ({"kind": "steps", "file": "trace"}, "time_s,rate_bps\n0,inf\n", "line 2: found '0,inf'"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    rate: dict[str, Any], text: str | bytes | None, said: str, tmp_path: Path
) -> None:
    file = scenario(tmp_path, rate, text)
    with pytest.raises(HeadgateError) as caught:
        Scenario.from_file(file)
    found = str(caught.value)
    assert found.startswith(f"{file}: links[0].rate.forward.file: ")
    assert said in found
    assert len(found) < 600


@pytest.mark.parametrize(
    ("rate", "text", "said"),
    [
        ({"kind": "mahimahi"}, "", "rate.forward.times: found []; expected 1 to 1000000 times"),
        ({"kind": "mahimahi"}, "0\n", "rate.forward.times[0]: found 0; expected a last time"),
        ({"kind": "mahimahi"}, "9\n8\n", "rate.forward.times[1]: found 8; expected at least the time before it, 9"),
        (
            {"kind": "mahimahi"},
            "999999999999999999\n",
            "rate.forward.times[0]: found 999999999999999999; expected a last",
        ),
        ({"kind": "steps"}, "", "rate.forward.steps: found []; expected 1 to 1000000 steps"),
        ({"kind": "steps"}, "1s,1Mbit/s\n", 'rate.forward.steps[0][0]: found "1s"; expected 0s'),
        ({"kind": "steps"}, "0s,1Mbps\n", 'rate.forward.steps[0][1]: found "1Mbps"; expected a rate'),
        ({"kind": "steps"}, "time_s,rate_bps\n0,1\n1e30,1\n", "rate.forward.steps[1][0]"),
        ({"kind": "steps"}, "time_s,rate_bps\n0,1\n1e-15,1\n", "finer than one ps"),
        ({"kind": "steps"}, "time_s,rate_bps\n0,1e40\n", "too large"),
        ({"kind": "steps", "period": "1s"}, "0s,1Mbit/s\n2s,1Mbit/s\n", 'period: found "1s"; expected a time after'),
    ],
)
def test_a_trace_of_a_file_is_checked_as_others(
    rate: dict[str, Any], text: str, said: str, tmp_path: Path, cli: Cli
) -> None:
    file = scenario(tmp_path, rate | {"file": "trace"}, text)
    with pytest.raises(_core.ScenarioError) as caught:
        Scenario.from_file(file).resolve()
    assert said in str(caught.value)
    done = cli("check", file)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_traced_link_is_run_and_swept(tmp_path: Path, cli: Cli) -> None:
    file = scenario(tmp_path, {"kind": "steps", "file": "trace", "period": "4s"}, STEPS)
    results = Scenario.from_file(file).run()
    assert results.links["rate_bps"][0] == pytest.approx((1.5 * 8e6 + 2 * 2e6) / 4)
    data = json.loads(file.read_text())
    data["links"][0]["rate"] = "1Mbit/s"
    data["links"][0]["loss"] = {"kind": "bernoulli", "probability": 0}
    (tmp_path / "down").write_text("1\n2\n")
    data["sweep"] = {
        "replications": 2,
        "axes": {
            "links.0.rate": ["2Mbit/s", {"kind": "mahimahi", "file": "down"}],
            "links.0.loss.probability": [0.0, 0.25],
        },
    }
    file.write_text(json.dumps(data))
    done = cli("sweep", file, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    ports = [r for r in open_study(tmp_path / "out").links.to_pylist() if r["link"] == data["links"][0]["name"]]
    assert {r["lost"] > 0 for r in ports if r["probability"] == 0.25} == {True}
    assert {r["lost"] for r in ports if r["probability"] == 0} == {0}
    assert {r["link_rate_bps"] for r in ports} == {2e6, 1504 * 8e3}


def test_a_replay_takes_buffers_as_times(tmp_path: Path, cli: Cli) -> None:
    packets = "".join(f"{0.0001 * n:.4f},a,1000\n" for n in range(100))
    (tmp_path / "burst.csv").write_text("time_s,flow,size_bytes\n" + packets)

    def drops(buffer: str) -> int:
        done = cli("replay", "burst.csv", "--rate", "8Mbit/s", "--queue", "fcfs", "--buffer", buffer, "--json")
        assert done.returncode == 0, done.stderr
        return int(json.loads(done.stdout)["queues"][0]["drops"]["full"])

    assert drops("20ms") == drops("20KB")
    assert drops("20ms") == drops("30ms") + 10
    done = cli("replay", "burst.csv", "--rate", "8Mbit/s", "--queue", "fcfs", "--buffer", "1BDP")
    assert done.returncode == 2
    assert "the round-trip time is not known" in done.stderr
