"""A network as the page draws it: nodes with places from 0 to 1, and links between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..network.graph import Network
from ..network.layers import layered
from ..scenario import Scenario

#: With more hosts than this, equal hosts at a gateway are one node.
HOSTS = 16

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
    apart = sum(len(group.hosts) for group in net.groups) <= HOSTS
    layers = layered(net).layers
    columns: dict[int, list[tuple[str, str]]] = defaultdict(list)
    node_of: dict[str, str] = {}
    for depth, layer in enumerate(layers, 1):
        for name in layer:
            columns[depth].append((name, "gateway" if name in net.gateways else "host"))
            node_of[name] = name
    depth_of = {name: depth for depth, layer in enumerate(layers, 1) for name in layer}
    for group in net.groups:
        # Sources are on the left and sinks on the right, unless the gateway is at the other end.
        depth = depth_of[group.station] + (-1 if _left(group.sends, depth_of[group.station], len(layers)) else 1)
        for host in group.hosts if apart else group.hosts[:1]:
            columns[depth].append((host, "host") if apart else (group.name, "hosts"))
        node_of |= {host: host if apart else group.name for host in group.hosts}
    first, last = min(columns), max(columns)
    nodes = [
        {
            "name": name, "kind": kind, "x": (depth - first) / max(last - first, 1),
            "y": (i + 1) / (len(columns[depth]) + 1),
        }
        for depth in sorted(columns)
        for i, (name, kind) in enumerate(columns[depth])
    ]  # fmt: skip
    links, seen = [], set[tuple[str, str]]()
    for link in resolved["links"]:
        a, b = node_of[link["from"]], node_of[link["to"]]
        if not apart and (a, b) in seen:
            continue
        seen.add((a, b))
        links.append({"name": link["name"], "from": a, "to": b, "rate": rate(link["rate"]), "port": link["name"]})
    return {"nodes": nodes, "links": links}


def _left(sends: bool, depth: int, layers: int) -> bool:
    return sends if layers == 1 else depth == 1 or (depth < layers and sends)


def rate(given: Any) -> float | None:
    """The rate of a link's first direction in bit/s, if it has one that stays."""
    if isinstance(given, dict):
        given = given.get("forward", given.get("reverse"))
    return _core.quantity(given)[2] if isinstance(given, str) else None
