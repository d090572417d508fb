"""The paths of flows through the network of a resolved scenario, as the engine finds them: by the fewest hops.

A port has the number of its link, doubled, plus one at the far end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Any

#: Steps from node to node after which no further path is searched: this bounds time and memory.
MOST = 3_000_000


class Routes:
    """The ports that packets of flows meet.

    Attributes:
        gateways: the ports with a discipline. Those of hosts have none: their queues are unlimited.
    """

    def __init__(self, scenario: Mapping[str, Any]) -> None:
        """Takes a resolved scenario."""
        hosts = {node["name"] for node in scenario["nodes"] if node["kind"] == "host"}
        self._out: dict[str, list[tuple[int, str]]] = {node["name"]: [] for node in scenario["nodes"]}
        starts: list[str] = []
        for link in scenario["links"]:
            for start, end in ((link["from"], link["to"]), (link["to"], link["from"])):
                self._out[start].append((len(starts), end))
                starts.append(start)
        self.gateways = frozenset(port for port, start in enumerate(starts) if start not in hosts)
        # A link that goes down sends flows elsewhere for a time.
        self._fixed = not any(event.get("up") is not None for event in scenario.get("events", []))
        self._all = scenario.get("routing") == "ecmp"
        self._left = MOST
        self._hops: dict[str, dict[str, int]] = {}
        self._links: dict[tuple[str, str], list[int]] = {}
        self._known: dict[tuple[str, str, bool], frozenset[int]] = {}

    def of(self, flow: Mapping[str, Any], acknowledged: bool) -> frozenset[int] | None:
        """The ports with a discipline on the path of a flow's data, if `acknowledged` also of its acknowledgements; None if unknown.

        Of several equal paths over which a hash may send it (`ecmp`) all count.
        """
        stops = [flow["from"], *flow.get("via", ()), flow["to"]]
        ports: set[int] = set()
        for start, end in pairwise(stops):
            found = self._between(start, end, self._all and len(stops) == 2)
            if found is None:
                return None
            ports |= found
        if acknowledged and len(stops) > 2:
            # On a path set by hand, acknowledgements take the links of the data.
            ports |= {port ^ 1 for port in ports}
        elif acknowledged:
            back = self._between(stops[-1], stops[0], self._all)
            if back is None:
                return None
            ports |= back
        return self.gateways & ports

    def _between(self, start: str, end: str, all_routes: bool) -> AbstractSet[int] | None:
        """The ports from one node to another; None if not known."""
        # Most hosts have one neighbour: the path between the neighbours holds for all of their hosts.
        first, last = self._only(start), self._only(end)
        if first == end:
            # The path is the link between them; `last` may be any node.
            return set(self._direct(start, end, all_routes))
        before = self._direct(start, first, all_routes) if first != start else []
        after = self._direct(last, end, all_routes) if last != end else []
        between = self._inner(first, last, all_routes)
        return None if between is None else {*before, *between, *after}

    def _only(self, node: str) -> str:
        """The only neighbour of a node, or the node itself if it has several."""
        neighbours = {far for _, far in self._out[node][:2]}
        if len(self._out[node]) > 2:
            neighbours = {far for _, far in self._out[node]} if len(neighbours) == 1 else neighbours
        return next(iter(neighbours)) if len(neighbours) == 1 else node

    def _direct(self, start: str, end: str, all_routes: bool) -> list[int]:
        """The ports of the links from a node to its neighbour."""
        if not self._links:
            for node, links in self._out.items():
                for port, far in links:
                    self._links.setdefault((node, far), []).append(port)
        ports = self._links[start, end]
        return ports if all_routes else ports[:1]

    def _inner(self, start: str, root: str, all_routes: bool) -> frozenset[int] | None:
        """The ports on the path to a node of which the distances are known."""
        known = self._known.get((start, root, all_routes))
        if known is not None:
            return known
        hops = self._hops_to(root)
        if hops is None or start not in hops:
            return None
        ports, at, seen = set[int](), [start], {start}
        while at:
            node = at.pop()
            on = [(port, far) for port, far in self._out[node] if hops[far] == hops[node] - 1]
            self._left -= len(self._out[node])
            for port, far in on if all_routes else on[:1]:
                ports.add(port)
                if far not in seen:
                    seen.add(far)
                    at.append(far)
        self._known[start, root, all_routes] = frozenset(ports)
        return self._known[start, root, all_routes]

    def _hops_to(self, root: str) -> dict[str, int] | None:
        """How many hops nodes are away; nothing if that cannot be known, or would take too long."""
        if not self._fixed or (root not in self._hops and self._left <= 0):
            return None
        if root not in self._hops:
            hops, next_ones = {root: 0}, deque([root])
            while next_ones:
                node = next_ones.popleft()
                self._left -= 1 + len(self._out[node])
                for _, far in self._out[node]:
                    if far not in hops:
                        hops[far] = hops[node] + 1
                        next_ones.append(far)
            self._hops[root] = hops
        return self._hops[root]
