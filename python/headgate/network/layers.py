"""Stations in layers, and the order within them.

A network of stages, such as a fat tree, is drawn in rows by the distance from the hosts, and any other in columns by the distance from
an outer station; so stations in a row have a column each.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from . import labels
from .graph import Edge, Group, Network

#: Number of improvements of the order within layers.
_SWEEPS = 8


@dataclass
class Layers:
    """The stations of each layer in order; `stages` says that they are distances from the hosts, the hosts being nearest to the first."""

    layers: list[list[str]]
    stages: bool

    @property
    def is_row(self) -> bool:
        """Whether there is one station in each layer."""
        return all(len(layer) == 1 for layer in self.layers)


def layered(net: Network) -> Layers:
    """The stations of a network in layers."""
    near = net.neighbours()
    depth, stages = _columns(near), False
    if len(set(depth.values())) < len(depth):
        heights = _distances(near, dict.fromkeys(group.station for group in net.groups))
        # Lines of stages lead from one to the next.
        stages = len(heights) == len(near) and all(abs(heights[e.ends[0]] - heights[e.ends[1]]) == 1 for e in net.edges)
        depth = heights if stages else depth
    layers: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for name in net.stations:
        layers[depth[name]].append(name)
    if max(map(len, layers), default=0) > 1:
        layers = _untangled(layers, near)
    return Layers(layers, stages)


def _distances(near: Mapping[str, list[str]], starts: Iterable[str]) -> dict[str, int]:
    """The distance of each station that can be reached from the nearest of some."""
    distance = dict.fromkeys(starts, 0)
    todo = deque(distance)
    while todo:
        name = todo.popleft()
        for other in near[name]:
            if other not in distance:
                distance[other] = distance[name] + 1
                todo.append(other)
    return distance


def _columns(near: Mapping[str, list[str]]) -> dict[str, int]:
    """The distance of each station from an outer one of its part of the network."""
    depth: dict[str, int] = {}
    for name in near:
        if name in depth:
            continue
        part = _distances(near, [name])
        # The farthest from any is an outer one; of two ends, the first one.
        far = max(part, key=part.__getitem__)
        ends = _distances(near, [far])
        other = max(ends, key=ends.__getitem__)
        depth |= _distances(near, [min(far, other, key=list(part).index)])
    return depth


def _untangled(layers: list[list[str]], near: Mapping[str, list[str]]) -> list[list[str]]:
    """An order with few crossings: each station is moved to the middle of its neighbours in the layer before, forwards and backwards."""
    best, least = layers, _crossings(layers, near)
    for sweep in range(_SWEEPS):
        if least == 0:
            break
        layers = [list(layer) for layer in layers]
        order = range(1, len(layers)) if sweep % 2 == 0 else range(len(layers) - 2, -1, -1)
        for i in order:
            before = layers[i - 1 if sweep % 2 == 0 else i + 1]
            place = {name: k / max(1, len(before) - 1) for k, name in enumerate(before)}
            own = {name: k / max(1, len(layers[i]) - 1) for k, name in enumerate(layers[i])}

            def middle(name: str, place: dict[str, float] = place, own: dict[str, float] = own) -> float:
                known = [place[n] for n in near[name] if n in place]
                return sum(known) / len(known) if known else own[name]

            layers[i].sort(key=middle)
        crossings = _crossings(layers, near)
        if crossings < least:
            best, least = layers, crossings
    return best


def _crossings(layers: list[list[str]], near: Mapping[str, list[str]]) -> int:
    """How many pairs of lines between layers cross."""
    total = 0
    for upper, lower in pairwise(layers):
        place = {name: i for i, name in enumerate(lower)}
        ends = [b for name in upper for b in sorted(place[n] for n in near[name] if n in place)]
        # Inversions, counted by insertion into a tree of sums.
        sums = [0] * (len(lower) + 1)
        for seen, b in enumerate(ends):
            k, at_most = b + 1, 0
            while k:
                at_most += sums[k]
                k &= k - 1
            total += seen - at_most
            k = b + 1
            while k < len(sums):
                sums[k] += 1
                k += k & -k
    return total


def folded(net: Network, found: Layers, most: int) -> tuple[Network, Layers]:
    """The network with each layer as one station, or in a row with the middle as one; for networks of more than `most` stations."""
    layers = found.layers
    if len(layers) > most:
        ends = most // 3
        middle = [name for layer in layers[ends:-ends] for name in layer]
        layers = [*layers[:ends], middle, *layers[-ends:]]
    small = Network(net.name, flows=net.flows)
    names = [layer[0] for layer in layers]
    layer_of = {name: layer[0] for layer in layers for name in layer}
    for layer in layers:
        hosts = sum(name not in net.gateways for name in layer)
        what = "hosts" if hosts == len(layer) else "gateways" if hosts == 0 else "gateways and hosts"
        # Natural order: r2 before r10.
        called = sorted(layer, key=lambda name: (name.rstrip("0123456789"), len(name), name))
        small.stations[layer[0]] = (
            f"{labels.span(called)} ({len(layer)} {what})" if len(layer) > 1 else labels.shown(called[0])
        )
    small.gateways = {layer_of[name] for name in net.gateways if name in layer_of}
    edges: dict[tuple[str, str], Edge] = {}
    for edge in net.edges:
        a, b = sorted((layer_of[end] for end in edge.ends), key=names.index)
        edges.setdefault((a, b), Edge((a, b), [])).links.extend(edge.links)
    small.edges = list(edges.values())
    groups: dict[str, Group] = {}
    for group in net.groups:
        station = layer_of[group.station]
        one = groups.setdefault(station, Group([], station, [], group.sends))
        one.hosts += group.hosts
        # The disciplines are those at the stations, whatever they are called now.
        one.links += ({**x, "from": station} if x["from"] == group.station else x for x in group.links)
    small.groups = list(groups.values())
    return small, Layers([[name] for name in names], found.stages)
