"""The ways of flows through the network of a resolved scenario, as the engine finds them: by the fewest hops.

A port has the number of its link, doubled, plus one at the far end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any

#: Steps from node to node after which no further way is looked for: this bounds time and memory.
MOST = 3_000_000


class Ways:
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
        self._found: dict[tuple[str, str, bool], frozenset[int]] = {}

    def of(self, flow: Mapping[str, Any], acknowledged: bool) -> frozenset[int] | None:
        """The ports with a discipline on the way of a flow's data, and of its acknowledgements too if these count; nothing if not known.

        Of several equal ways over which a hash may send it (`ecmp`) all count.
        """
        stops = [flow["from"], *flow.get("via", ()), flow["to"]]
        ports: set[int] = set()
        for start, end in pairwise(stops):
            found = self._between(start, end, self._all and len(stops) == 2)
            if found is None:
                return None
            ports |= found
        if acknowledged and len(stops) > 2:
            # By hand acknowledgements take the links of the data.
            ports |= {port ^ 1 for port in ports}
        elif acknowledged:
            back = self._between(stops[-1], stops[0], self._all)
            if back is None:
                return None
            ports |= back
        return self.gateways & ports

    def _between(self, start: str, end: str, all_ways: bool) -> Iterable[int] | None:
        """The ports from one node to another; nothing if not known."""
        known = self._found.get((start, end, all_ways))
        if known is not None:
            return known
        # Most hosts have one neighbour, whose distances serve for all of them.
        neighbours = {far for _, far in self._out[end]}
        root = next(iter(neighbours)) if len(neighbours) == 1 else end
        hops = self._hops_to(root)
        if hops is None or start not in hops:
            return None
        ports: set[int] = set()
        last = [(port, far) for port, far in self._out[root] if far == end] if root != end else []
        at = [start] if start != end else []
        seen = set(at)
        while at:
            node = at.pop()
            on = last if node == root else [(p, far) for p, far in self._out[node] if hops.get(far, -1) == hops[node] - 1]
            for port, far in on if all_ways else on[:1]:
                ports.add(port)
                if node != root and far not in seen:
                    seen.add(far)
                    at.append(far)
        self._found[start, end, all_ways] = frozenset(ports)
        return self._found[start, end, all_ways]

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
