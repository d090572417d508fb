"""The round trip with full queues: starts at random have to cover it twice, so that every relative phase of the sources occurs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from headgate import _core
from headgate.papers.build import build_scenario
from headgate.papers.model import Item, Table, Variant

#: A line in one direction: its name, and whether against the direction in which the file has it.
Port = tuple[str, bool]


def full_round_trip_of(item: Item, variant: Variant) -> float:
    """The longest round trip of a variant's flows in seconds, with every queue on its way full."""
    return full_round_trip(json.loads(_core.check(json.dumps(build_scenario(item, variant)))))


def full_round_trip(scenario: Table) -> float:
    """The longest round trip of any flow in seconds, with full queues wherever data are on the way.

    Each line on the way takes its propagation delay and the transmission of the packet; one whose queue has data of any flow before it
    takes all packets of its buffer too, each as long as the longest of these flows'. A buffer without a rate that could fill it, of a
    host's own line, counts for nothing: there waits no more than a window. The scenario is resolved, as `_core.check` gives it.
    """
    ways = {f["name"]: list(_way(scenario, f["from"], f["to"])) for f in scenario["flows"]}
    longest: dict[Port, float] = defaultdict(float)
    for flow in scenario["flows"]:
        for port in ways[flow["name"]]:
            longest[port] = max(longest[port], _bits(flow["packet"]))
    links = {link["name"]: link for link in scenario["links"]}
    hosts = {node["name"] for node in scenario["nodes"] if node["kind"] == "host"}

    def hop(port: Port, bits: float) -> float:
        link, (_, back) = links[port[0]], port
        rate, delay = (_quantity(_direction(link[key], back)) for key in ("rate", "delay"))
        # Only lines that several sources share, or that are slower than what comes in, have a queue; those of hosts are neither.
        entering = link["to" if back else "from"] in hosts
        queue = 0.0 if entering else _packets(link["queue"]["buffer"], longest[port]) * longest[port]
        return delay + (queue + bits) / rate

    def round_trip(flow: Mapping[str, Any]) -> float:
        there = sum(hop(port, _bits(flow["packet"])) for port in ways[flow["name"]])
        return there + sum(hop((name, not back), _bits(flow["ack"])) for name, back in ways[flow["name"]])

    return max(round_trip(flow) for flow in scenario["flows"])


def _way(scenario: Table, source: str, sink: str) -> Iterator[Port]:
    """The ports from a node to another one, by the fewest lines."""
    came: dict[str, tuple[str, Port] | None] = {source: None}
    nodes = [source]
    for node in nodes:
        for link in scenario["links"]:
            for here, there, back in ((link["from"], link["to"], False), (link["to"], link["from"], True)):
                if here == node and there not in came:
                    came[there] = (node, (link["name"], back))
                    nodes.append(there)
    way: list[Port] = []
    while (step := came[sink]) is not None:
        sink = step[0]
        way.append(step[1])
    return reversed(way)


def _direction(value: Any, back: bool) -> Any:
    return value["reverse" if back else "forward"] if isinstance(value, dict) and "forward" in value else value


def _quantity(text: str) -> float:
    """A quantity in bit/s or seconds."""
    return float(_core.quantity(text)[2])


def _bits(text: str) -> float:
    return 8.0 * float(text.removesuffix("B"))


def _packets(buffer: str, bits: float) -> float:
    """A buffer in packets of this length; one that no data reach is empty."""
    if not bits:
        return 0.0
    return float(buffer.removesuffix("pkt")) if buffer.endswith("pkt") else _bits(buffer) / bits
