"""A network as the page draws it: nodes with places from 0 to 1, and links between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..network.graph import Network
from ..network.layers import layered
from ..scenario.scenario import Scenario

#: Hosts on each side that are drawn one by one; of more, the last ones at each gateway are one node.
HOSTS = 8

#: With more nodes than this there is no picture.
NODES = 120


def network(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """The nodes and links of a resolved scenario.

    Returns:
        `nodes`: name, kind (`host`, `hosts` or `gateway`), x and y from 0 to 1; `links`: name, from, to, rate in bit/s, port.
    """
    net = Network.of(Scenario(dict(resolved)))
    if len(net.stations) + len(net.groups) > NODES:
        return {"nodes": [], "links": []}
    layers = layered(net).layers
    columns: dict[int, list[tuple[str, str]]] = defaultdict(list)
    node_of: dict[str, str] = {}
    for depth, layer in enumerate(layers, 1):
        for name in layer:
            columns[depth].append((name, "gateway" if name in net.gateways else "host"))
            node_of[name] = name
    depth_of = {name: depth for depth, layer in enumerate(layers, 1) for name in layer}
    sides: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for group in net.groups:
        # Sources are on the left and sinks on the right, unless the gateway is at the other end.
        depth = depth_of[group.station]
        sides[depth + (-1 if _left(group.sends, depth, len(layers)) else 1)][group.station] += group.hosts
    for depth, stations in sides.items():
        many = sum(map(len, stations.values()))
        for hosts in stations.values():
            shown = len(hosts) if many <= HOSTS else max(HOSTS * len(hosts) // many, 1)
            # One node in the place of one host would say less.
            shown = shown if len(hosts) - shown > 1 else len(hosts)
            columns[depth] += [(host, "host") for host in hosts[:shown]]
            node_of |= {host: host for host in hosts[:shown]}
            if shown < len(hosts):
                name = _unused(
                    f"and {len(hosts) - shown} others", {n for column in columns.values() for n, _ in column}
                )
                columns[depth].append((name, "hosts"))
                node_of |= dict.fromkeys(hosts[shown:], name)
    first, last = min(columns), max(columns)
    nodes = [
        {
            "name": name, "kind": kind, "x": (depth - first) / max(last - first, 1),
            "y": (i + 1) / (len(columns[depth]) + 1),
        }
        for depth in sorted(columns)
        for i, (name, kind) in enumerate(columns[depth])
    ]  # fmt: skip
    links, folded = [], dict[tuple[str, str], dict[str, Any]]()
    for link in resolved["links"]:
        ends = a, b = node_of[link["from"]], node_of[link["to"]]
        drawn = {"name": link["name"], "from": a, "to": b, "rate": rate(link["rate"]), "port": link["name"]}
        if ends in folded:
            # One line for all; it has no rate if theirs differ.
            if folded[ends]["rate"] != drawn["rate"]:
                folded[ends]["rate"] = None
            continue
        if ends != (link["from"], link["to"]):
            folded[ends] = drawn
        links.append(drawn)
    return {"nodes": nodes, "links": links}


def _unused(name: str, taken: set[str]) -> str:
    """The name with as many spaces behind it as tell it from others; they are not seen."""
    return name if name not in taken else _unused(f"{name} ", taken)


def _left(sends: bool, depth: int, layers: int) -> bool:
    return sends if layers == 1 else depth == 1 or (depth < layers and sends)


def rate(given: Any) -> float | None:
    """The rate of a link's first direction in bit/s, if it has one that stays."""
    if isinstance(given, dict):
        given = given.get("forward", given.get("reverse"))
    return _core.quantity(given)[2] if isinstance(given, str) else None
