"""A run with drops, marks, losses of wires, flows that come and go and odd names, for the tests of what runs are exported to."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import headgate
from headgate import Results, _core

#: A flow's name that terminals, file systems and XML act upon.
ODD = 'o/dd <&"\x1b[31m é\u202e=1'

#: It marks, and drops what cannot be marked.
RED = {
    "kind": "red", "buffer": "30pkt", "min_threshold": "3pkt", "max_threshold": "9pkt", "max_p": 0.1, "weight": 0.1, "mark": True,
}  # fmt: skip

#: Three queues one after the other: one that marks and drops early, one that is short, one that drops as packets leave.
BUSY: dict[str, Any] = {
    "name": "busy",
    "duration": "15s",
    "interval": "500ms",
    "warm_up": "0s",
    "hosts": {"noise": "1pkt"},
    "nodes": [{"name": "s", "kind": "host"}, {"name": "g"}, {"name": "h"}, {"name": "k"}, {"name": "d", "kind": "host"}],
    "links": [
        {"name": "fast", "from": "s", "to": "g", "rate": "20Mbit/s", "delay": "2ms"},
        {
            "name": "early", "from": "g", "to": "h", "rate": "800kbit/s", "delay": "5ms",
            "queue": RED,
        },
        {"name": "short", "from": "h", "to": "k", "rate": "790kbit/s", "delay": "5ms", "queue": {"kind": "fcfs", "buffer": "4pkt"}},
        {
            "name": "late", "from": "k", "to": "d", "rate": "740kbit/s", "delay": "10ms", "jitter": {"mean": "1ms"},
            "loss": {"kind": "bernoulli", "probability": 0.01}, "queue": {"kind": "codel", "buffer": "40pkt"},
        },
    ],
    "flows": [
        {
            "name": "ecn", "from": "s", "to": "d", "control": "cubic", "transport": {"ecn": "classic"},
            "receiver": {"every": 2, "ecn": "classic"},
        },
        {"name": ODD, "from": "s", "to": "d", "control": "jk_reno", "packet": "700B"},
        {
            "name": "web", "from": "s", "to": "d", "control": "jk_reno", "workload": {"kind": "transfer"},
            "arrivals": {"kind": "poisson", "mean": "400ms"},
        },
        {"name": "tiny", "from": "s", "to": "d", "control": "none", "packet": "12B", "workload": {"kind": "cbr", "rate": "2kbit/s"}},
    ],
    "events": [{"at": "9s", "link": "short", "rate": "600kbit/s"}],
}  # fmt: skip


@cache
def busy() -> Results:
    """It, once for all tests: none changes it."""
    return headgate.Scenario.from_dict(BUSY).run()


def follow(results: Results, traces: list[str] | None = None) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The packets, ends and traces of a run, each as arrays, in the order of the engine: what exports are held against."""
    text = headgate.Scenario(results.scenario).put("traces", traces or []).to_json()
    parts: list[tuple[dict[str, Any], ...]] = []
    assert _core.follow(text, results.seed, 0, lambda *part: parts.append(part[:3])) == results.digest
    found = []
    for which in range(3):
        columns = {}
        for name, first in parts[0][which].items():
            columns[name] = np.concatenate([_names(part[which][name]) for part in parts])
            assert first is not None
        found.append(columns)
    return found[0], found[1], found[2]


def _names(column: Any) -> Any:
    if isinstance(column, tuple):
        return np.array(column[1], dtype=object)[np.asarray(column[0])] if len(column[1]) else np.empty(0, object)
    return np.array(column, dtype=object) if isinstance(column, list) else np.asarray(column)
