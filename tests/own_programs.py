"""Programs that tests use as flow controls, and scenarios for them."""

from __future__ import annotations

import sys
from typing import Any

import headgate

MAIN = [sys.executable, "-c", "from headgate.cli import main; main()"]

#: A window of 20 packets, whatever happens; `{fault}` runs at each event, with `n`, `event` and `answer`.
ANSWERS = """
import json, os, sys, time
for n, line in enumerate(sys.stdin):
    event = json.loads(line)
    answer = json.dumps({"t": event["t"], "cwnd": 20, "ssthresh": None, "pacing": None})
    FAULT
    print(answer, flush=True)
"""


def command(fault: str = "pass") -> list[str]:
    return [sys.executable, "-c", ANSWERS.replace("FAULT", fault)]


def scenario(control: Any, duration: str = "4s", **more: Any) -> dict[str, Any]:
    return {
        "duration": duration,
        "nodes": [{"name": "a", "kind": "host"}, {"name": "g"}, {"name": "b", "kind": "host"}],
        "links": [
            {"from": "a", "to": "g", "rate": "100Mbit/s"},
            {"name": "slow", "from": "g", "to": "b", "rate": "2Mbit/s", "delay": "20ms", "queue": {"kind": "fcfs", "buffer": "30pkt"}},
        ],
        "flows": [{"name": "f", "from": "a", "to": "b", "control": control}],
        **more,
    }  # fmt: skip


def by(program: list[str], **more: Any) -> dict[str, Any]:
    # The tests' own word.
    headgate.plugins.allow_program(program)
    return {"kind": "process", "command": program, **more}


def goodput(control: Any, **more: Any) -> float:
    return headgate.Scenario(scenario(control, **more)).run().flow_summaries()[0].goodput_pps.mean
