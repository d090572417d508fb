"""The picture of a network: hosts beyond eight on a side are one node, and every link leads from a node to another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headgate.base.resolved import Resolved
from headgate.scenario.examples import example
from headgate.scenario.scenario import Scenario

#: Hosts on each side that are drawn one by one.
HOSTS = 8


def network(scenario: Resolved) -> Any:
    return json.loads(scenario.engine.picture())


def star(hosts: int) -> dict[str, Any]:
    """Hosts with lines of different rates to one gateway."""
    names = [f"h{i}" for i in range(hosts)]
    nodes = [{"name": "g"}, {"name": "k", "kind": "host"}, *({"name": n, "kind": "host"} for n in names)]
    links = [{"name": "slow", "from": "g", "to": "k", "rate": "1Mbit/s"}]
    links += [{"from": n, "to": "g", "rate": f"{10 + i}Mbit/s"} for i, n in enumerate(names)]
    flows = [{"name": n, "from": n, "to": "k", "control": "newreno"} for n in names]
    return {"duration": "1s", "nodes": nodes, "links": links, "flows": flows}


def dumbbell(hosts: int) -> dict[str, Any]:
    flow = {"name": "f{i}", "from": "s{i}", "to": "d{i}", "count": hosts, "control": "newreno"}
    return {
        "duration": "1s",
        "topology": {"kind": "dumbbell", "hosts": hosts, "line": {"rate": "1Mbit/s"}},
        "flows": [flow],
    }


@pytest.mark.parametrize("make", [star, dumbbell])
@pytest.mark.parametrize(("hosts", "others"), [(2, None), (8, None), (9, None), (10, 2), (40, 32)])
def test_hosts_beyond_eight_on_a_side_are_one_node(make: Any, hosts: int, others: int | None) -> None:
    found = network(Scenario(make(hosts)).resolve())
    names = [n["name"] for n in found["nodes"]]
    assert len(set(names)) == len(names)
    left = [n for n in found["nodes"] if n["x"] == 0 and n["kind"] != "gateway"]
    folded = [n["name"] for n in left if n["kind"] == "hosts"]
    assert folded == ([] if others is None else [f"and {others} others"])
    assert len(left) == (hosts if others is None else HOSTS + 1)
    for link in found["links"]:
        assert {link["from"], link["to"]} <= set(names)
    # Each node has a line, and no two of the folded hosts have lines of their own.
    assert {end for link in found["links"] for end in (link["from"], link["to"])} == set(names)
    # One line for all of them has a rate only if theirs are the same.
    assert [x["rate"] is None for x in found["links"] if x["from"] in folded] == [make is star for _ in folded]
    pairs = [(link["from"], link["to"]) for link in found["links"]]
    assert len(set(pairs)) == len(pairs)


def test_two_lines_between_the_same_nodes_stay_two() -> None:
    whole = star(2)
    whole["links"].append({"name": "second", "from": "h0", "to": "g", "rate": "5Mbit/s"})
    found = network(Scenario(whole).resolve())
    assert [x["rate"] for x in found["links"] if x["from"] == "h0"] == [10e6, 5e6]


@pytest.mark.parametrize("name", ["fat-tree", "islands", "parking-lot", "csfq", "cross-traffic"])
def test_links_of_the_examples_lead_to_nodes(name: str) -> None:
    found = network(example(name).base().resolve())
    names = {n["name"] for n in found["nodes"]}
    assert found["links"]
    assert all({x["from"], x["to"]} <= names for x in found["links"])
