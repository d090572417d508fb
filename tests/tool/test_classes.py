"""Links whose conversations are priorities or codepoints: which parameters they read."""

import pytest

from headgate import Scenario
from headgate.scenario.effects import warnings


@pytest.mark.parametrize(("classify", "said_so"), [("pair", True), ("ecn", True), ("priority", False)])
def test_a_link_that_classifies_by_priority_reads_it(classify: str, said_so: bool) -> None:
    nodes = [{"name": "h1", "kind": "host"}, {"name": "h2", "kind": "host"}, {"name": "r"}]
    links = [
        {"from": "h1", "to": "r", "rate": "10Mbit/s"},
        {"from": "r", "to": "h2", "rate": "1Mbit/s", "queue": "drr", "classify": classify},
    ]
    flow = {"name": "x", "from": "h1", "to": "h2", "control": "sack", "priority": 3}
    scenario = Scenario({"duration": "9s", "nodes": nodes, "links": links, "flows": [flow]})
    found = [text for text in warnings(scenario.resolve()) if "has a priority" in text]
    assert bool(found) == said_so
