"""A table of parameters is taken or refused with one message by every reader: `run`, `--set`, `replay --queue` and Python."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headgate
from headgate.base.errors import HeadgateError

from ..conftest import Cli, dumbbell

#: Tables of disciplines that are wrong, with the parameter that is.
QUEUES: list[tuple[dict[str, Any], str]] = [
    ({"kind": "fq", "structure": "heap"}, "structure"),
    ({"kind": "wfq", "structure": "link"}, "structure"),
    ({"kind": "fq", "delta": "2000000000GB"}, "delta"),
    ({"kind": "fq_bit", "fraction": -1}, "fraction"),
    ({"kind": "drr", "quantum": "0B"}, "quantum"),
    ({"kind": "drr", "quantum": "8GiB"}, "quantum"),
    ({"kind": "drr", "queues": 2_000_000}, "queues"),
    ({"kind": "drr_plus", "quantum": "2GB"}, "quantum"),
    (
        {"kind": "drr_plus", "aqm": {"kind": "red", "min_threshold": "15KB", "max_threshold": "5KB"}},
        "aqm.max_threshold",
    ),
    ({"kind": "fq", "aqm": {"kind": "red", "max_p": 2}}, "aqm.max_p"),
    ({"kind": "drr_plus", "aqm": {"max_p": 2}}, "aqm.max_p"),
    ({"kind": "red", "min_threshold": "9pkt", "max_threshold": "9pkt"}, "max_threshold"),
    ({"kind": "red", "min_threshold": "9pkt", "max_threshold": "90KB"}, "max_threshold"),
    ({"kind": "red", "weight": 1.5}, "weight"),
    ({"kind": "red", "mean_packet": "0B"}, "mean_packet"),
    ({"kind": "enhanced_red", "min_threshold": "40KB"}, "max_threshold"),
    ({"kind": "fred", "variant": 3}, "variant"),
    ({"kind": "fred", "max_threshold": "1pkt"}, "max_threshold"),
    ({"kind": "csfq", "k": "0s"}, "k"),
    ({"kind": "csfq", "k_alpha": "0s"}, "k_alpha"),
    ({"kind": "hrr", "slots": [1, 2, 3], "lower": [1]}, "lower"),
    ({"kind": "hrr", "slots": [], "lower": []}, "lower"),
    ({"kind": "hrr", "slots": [4, 0]}, "slots[1]"),
    ({"kind": "hrr", "slots": [5, 5]}, "lower[0]"),
    ({"kind": "hrr", "slot": "0B"}, "slot"),
    ({"kind": "sfq", "queues": 0}, "queues"),
    ({"kind": "strict_priority", "levels": 257}, "levels"),
    ({"kind": "virtual_clock", "rate": "0bit/s"}, "rate"),
    ({"kind": "selective_decbit", "panic": -2}, "panic"),
]

#: Of flow controls, workloads and lengths of packets: the key of the flow, its table, and the parameter that is wrong.
FLOWS: list[tuple[str, dict[str, Any], str]] = [
    ("control", {"kind": "generic", "max_timeout": "0s"}, "max_timeout"),
    ("control", {"kind": "jk_reno", "max_timeout": "1ps"}, "max_timeout"),
    ("control", {"kind": "jk_tahoe", "min_timeout": "65s"}, "min_timeout"),
    ("control", {"kind": "decbit", "initial_rtt": "0s"}, "initial_rtt"),
    ("control", {"kind": "packet_pair", "initial_timeout": "1ns"}, "initial_timeout"),
    ("control", {"kind": "netblt", "max_timeout": "0s"}, "max_timeout"),
    ("control", {"kind": "pp_cth", "max_timeout": "1ns"}, "max_timeout"),
    ("control", {"kind": "pp_cth", "fuzzy_outputs": [0.5, 0.5, 0.6]}, "fuzzy_outputs"),
    ("workload", {"kind": "telnet", "mean": "1ps"}, "mean"),
    ("workload", {"kind": "poisson", "mean": "0s"}, "mean"),
    ("workload", {"kind": "on_off", "on": "0s"}, "on"),
    ("workload", {"kind": "background", "schedule": []}, "schedule"),
    ("workload", {"kind": "transfer", "packets": 0}, "packets"),
    ("packet", {"kind": "uniform", "min": "9B", "max": "9B"}, "max"),
    ("packet", {"kind": "pareto", "min": "9B", "max": "8B"}, "max"),
    ("packet", {"kind": "exponential", "mean": "9B", "max": "8B"}, "max"),
    ("packet", {"kind": "mix", "sizes": []}, "sizes"),
    ("packet", {"kind": "mix", "sizes": [{"size": "40B", "share": 0}]}, "sizes[0].share"),
]


def of_python(wrong: Callable[[], object], place: str) -> str:
    """The message of a scenario after the place of the table in it."""
    with pytest.raises(headgate.ScenarioError) as error:
        wrong()
    text = str(error.value)
    assert place in text, text
    return text[text.index(place) + len(place) :].lstrip(".: ")


def of_replay(queue: dict[str, Any]) -> str:
    with pytest.raises(HeadgateError) as error:
        headgate.replay({"time_s": [0.0], "flow": ["a"], "size_bytes": [100]}, queue=queue, rate="1Mbit/s")
    return str(error.value).removeprefix(f"queue {queue['kind']}: ")


@pytest.mark.parametrize(("table", "parameter"), QUEUES, ids=lambda x: json.dumps(x))
def test_disciplines_are_checked_alike_everywhere(table: dict[str, Any], parameter: str) -> None:
    in_file = of_python(headgate.Scenario(dumbbell(queue=table)).resolve, "links[1].queue")
    assert re.match(re.escape(parameter) + r": found .*; .*(expected|at least|a rate)", in_file), in_file
    good = headgate.Scenario(dumbbell())
    assert of_python(lambda: headgate.Scenario.from_dict(dumbbell(queue=table)), "links[1].queue") == in_file
    assert of_python(lambda: good.set("links.slow.queue", table), "links[1].queue") == in_file
    assert of_python(lambda: good.set("links.slow.reverse_queue", table), "reverse_queue") == in_file
    assert of_replay(table) == in_file


@pytest.mark.parametrize(("key", "table", "parameter"), FLOWS, ids=lambda x: json.dumps(x))
def test_flows_are_checked_alike_everywhere(key: str, table: dict[str, Any], parameter: str) -> None:
    flow = {"name": "a", "from": "s", "to": "k", key: table}
    in_file = of_python(headgate.Scenario(dumbbell(flows=[flow])).resolve, f"flows[0].{key}")
    assert in_file.startswith(f"{parameter}: found "), in_file
    assert "expected" in in_file
    assert of_python(lambda: headgate.Scenario(dumbbell()).set(f"flows.ftp.{key}", table), f"flows[0].{key}") == in_file


def test_the_commands_say_the_same(cli: Cli, tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text("time_s,flow,size_bytes\n0,a,100\n")
    (tmp_path / "right.json").write_text(json.dumps(dumbbell()))
    # The one that hung in `replay`, and one that it took.
    for queue, message in [
        ('{kind = "hrr", slots = [1, 2, 3], lower = [1]}', "lower: found [1]; expected one entry less than `slots`"),
        ('{kind = "csfq", k = "0s"}', 'k: found "0s"; expected a time above zero'),
    ]:
        (tmp_path / "wrong.json").write_text(json.dumps(dumbbell(queue=tomllib.loads(f"x = {queue}")["x"])))
        for args in (
            ["run", "wrong.json"],
            ["run", "right.json", "--set", f"links.slow.queue={queue}"],
            ["replay", "trace.csv", "--rate", "1Mbit/s", "--queue", queue],
        ):
            done = cli(*args)
            assert done.returncode == 2, (args, done)
            assert message in done.stderr.replace("\n", " "), (args, done.stderr)
            assert done.stdout == ""
            assert "Traceback" not in done.stderr
