"""Shapers and classes on a line: rates that are kept, borrowed and shared, and one queue for each host."""

from __future__ import annotations

from typing import Any

import pytest

from headgate import Scenario
from headgate.scenario.effects import warnings


def rates(queue: Any, flows: dict[str, tuple[str, int]], **link: Any) -> dict[str, float]:
    """What streams of 8 Mbit/s each receive in Mbit/s on a line of 10 Mbit/s; each has a host and a priority."""
    hosts = sorted({host for host, _ in flows.values()})
    line = {"name": "slow", "from": "g", "to": "k", "rate": "10Mbit/s", "queue": queue, **link}
    scenario = Scenario(
        {
            "duration": "6s",
            "warm_up": "1s",
            "nodes": [*({"name": name, "kind": "host"} for name in (*hosts, "k")), {"name": "g"}],
            "links": [*({"name": f"in-{host}", "from": host, "to": "g", "rate": "100Mbit/s"} for host in hosts), line],
            "flows": [
                {
                    "name": name, "from": host, "to": "k", "control": "none", "priority": priority, "acknowledge": False,
                    "workload": {"kind": "poisson", "mean": "1ms"}, "packet": "1000B",
                }
                for name, (host, priority) in flows.items()
            ],
        }
    )  # fmt: skip
    assert warnings(scenario.resolve()) == []
    return {flow.flow: flow.goodput_bps.mean / 1e6 for flow in scenario.run().flow_summaries()}


def test_a_host_has_what_another_has_however_many_flows_it_has() -> None:
    flows = {"a1": ("a", 0), "a2": ("a", 0), "a3": ("a", 0), "b": ("b", 0)}
    found = rates({"kind": "drr"}, flows, classify="source")
    assert found["b"] == pytest.approx(5, rel=0.01)
    assert found["a1"] + found["a2"] + found["a3"] == pytest.approx(5, rel=0.01)
    found = rates({"kind": "drr"}, flows, classify="flow")
    assert found["b"] == pytest.approx(2.5, rel=0.01)


def test_a_token_bucket_holds_all_flows_to_its_rate() -> None:
    found = rates({"kind": "tbf", "rate": "4Mbit/s"}, {"a": ("a", 0), "b": ("b", 0)})
    assert sum(found.values()) == pytest.approx(4, rel=0.01)


def test_a_token_bucket_without_a_rate_leaves_the_line_what_it_has() -> None:
    found = rates({"kind": "tbf"}, {"a": ("a", 0), "b": ("b", 0)})
    assert sum(found.values()) == pytest.approx(10, rel=0.01)


def test_classes_borrow_what_others_leave() -> None:
    classes = [
        {"name": "all", "rate": "9Mbit/s"},
        {"name": "first", "parent": "all", "rate": "2Mbit/s", "ceil": "9Mbit/s", "priorities": [46]},
        {"name": "rest", "parent": "all", "rate": "1Mbit/s", "ceil": "9Mbit/s"},
    ]
    found = rates({"kind": "htb", "classes": classes}, {"a": ("a", 46), "b": ("b", 0)})
    # Of the 6 Mbit/s that are spare the first class has two thirds, as its quantum is.
    assert (found["a"], found["b"]) == pytest.approx((6, 3), rel=0.02)


def test_a_flow_has_a_rate() -> None:
    found = rates(
        {"kind": "linux_fq", "max_rate": "2Mbit/s"}, {"a": ("a", 0), "b": ("b", 0), "c": ("a", 0)}, classify="flow"
    )
    assert list(found.values()) == pytest.approx([2, 2, 2], rel=0.01)
