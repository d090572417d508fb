"""A network as it is drawn: stations, groups of equal hosts, lines between stations, kinds of flows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..scenario.scenario import Scenario
from . import labels

Table = Mapping[str, Any]

#: Maximum number of different hosts at a gateway that are drawn one by one.
_APART = 4

#: More groups than this at a gateway are drawn as one.
_MOST = 10

#: With more stations than this, all hosts at a gateway are drawn as one.
_FEW = 8


@dataclass
class Group:
    """Hosts with one line each, to the same station."""

    hosts: list[str]
    station: str
    links: list[Table]
    sends: bool

    @property
    def name(self) -> str:
        """The hosts' names, and how many they are."""
        many = f" ({len(self.hosts)} hosts)" if len(self.hosts) > 1 else ""
        return labels.span(self.hosts) + many

    @property
    def words(self) -> list[str]:
        """The properties of their lines; for a single line its name first, if the file gives one."""
        return [*_own_name(self.links), *labels.line(self.links, self.station)]


@dataclass
class Edge:
    """All lines between two stations."""

    ends: tuple[str, str]
    links: list[Table]

    @property
    def words(self) -> list[str]:
        """Their properties; first their name, if the file gives one, or their number."""
        many = [f"{len(self.links)} lines"] if len(self.links) > 1 else []
        return [*many, *_own_name(self.links), *labels.line(self.links)]


def _own_name(links: list[Table]) -> list[str]:
    """The name of a single line, unless it is made of its ends."""
    return [
        labels.shown(link["name"])
        for link in links[:1]
        if len(links) == 1 and link["name"] != f"{link['from']}->{link['to']}"
    ]


@dataclass
class Network:
    """The parts of a scenario that are drawn."""

    name: str
    #: Gateways, and hosts that are no leaves, with their names.
    stations: dict[str, str] = field(default_factory=dict)
    gateways: set[str] = field(default_factory=set)
    groups: list[Group] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    #: Kinds of flows, in words.
    flows: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, scenario: Scenario) -> Network:
        """Reads a scenario.

        Raises:
            ScenarioError: something in it is wrong.
        """
        whole = scenario.base().resolve()
        net = cls(whole["name"])
        net.gateways = {n["name"] for n in whole["nodes"] if n["kind"] == "gateway"}
        at: dict[str, list[Table]] = defaultdict(list)
        for link in whole["links"]:
            at[link["from"]].append(link)
            at[link["to"]].append(link)
        ends = {name: _far(links, name) for name, links in at.items()}
        leaves = {
            name for name, far in ends.items()
            if name not in net.gateways and len(at[name]) == 1 and (far in net.gateways or len(at[far]) > 1)
        }  # fmt: skip
        net.stations = {n["name"]: labels.shown(n["name"]) for n in whole["nodes"] if n["name"] not in leaves}
        net.edges = list(_edges(link for link in whole["links"] if leaves.isdisjoint((link["from"], link["to"]))))
        sources = {flow["from"] for flow in whole["flows"]}
        net.groups = list(
            _groups(
                net,
                {n["name"]: (ends[n["name"]], at[n["name"]][0]) for n in whole["nodes"] if n["name"] in leaves},
                sources,
            )
        )
        net.flows = list(_flows(whole["flows"]))
        return net

    def neighbours(self) -> dict[str, list[str]]:
        """The stations beside each station, in the order of the file."""
        near: dict[str, list[str]] = {name: [] for name in self.stations}
        for edge in self.edges:
            a, b = edge.ends
            near[a].append(b)
            near[b].append(a)
        return near

    def hosts(self, station: str) -> list[Group]:
        """The groups of hosts at a station."""
        return [group for group in self.groups if group.station == station]


def _far(links: list[Table], name: str) -> str:
    link = links[0]
    return str(link["to"] if link["from"] == name else link["from"])


def _edges(links: Iterable[Table]) -> Iterable[Edge]:
    """Lines between the same ends are one edge."""
    edges: dict[frozenset[str], Edge] = {}
    for link in links:
        ends = (link["from"], link["to"])
        edges.setdefault(frozenset(ends), Edge(ends, [])).links.append(link)
    return edges.values()


def _groups(net: Network, leaves: Mapping[str, tuple[str, Table]], sources: set[str]) -> Iterable[Group]:
    """Hosts at one station that are equal, or too many to be drawn separately."""
    apart: dict[tuple[Any, ...], Group] = {}
    for host, (station, link) in leaves.items():
        letters = host.rstrip("0123456789")
        key = (station,) if len(net.stations) > _FEW else (station, letters, host in sources)
        group = apart.setdefault(key, Group([], station, [], host in sources))
        group.hosts.append(host)
        group.links.append(link)
    whole: dict[str, list[Group]] = defaultdict(list)
    for group in apart.values():
        alike: dict[tuple[str, ...], Group] = {}
        for host, link in zip(group.hosts, group.links, strict=True):
            text = tuple(labels.line([link], group.station))
            one = alike.setdefault(text, Group([], group.station, [], group.sends))
            one.hosts.append(host)
            one.links.append(link)
        few = len(alike) <= _APART and len(net.stations) <= _FEW
        whole[group.station] += alike.values() if few else [group]
    for station, groups in whole.items():
        if len(groups) <= _MOST:
            yield from groups
        else:
            yield Group(
                [h for g in groups for h in g.hosts], station, [x for g in groups for x in g.links], groups[0].sends
            )


def _flows(flows: Iterable[Table]) -> Iterable[str]:
    """Consecutive equal flows, as one line of words."""
    kinds: dict[tuple[str, str], tuple[list[str], list[str], list[str]]] = {}
    for flow in flows:
        lists = kinds.setdefault((labels.flow(flow), flow["name"].rstrip("0123456789")), ([], [], []))
        for names, key in zip(lists, ("name", "from", "to"), strict=True):
            names.append(flow[key])
    for (kind, _), (names, starts, ends) in kinds.items():
        route = f"{labels.span(list(dict.fromkeys(starts)))} → {labels.span(list(dict.fromkeys(ends)))}"
        many = f" ({len(names)})" if len(names) > labels.NAMES else ""
        yield f"{labels.span(names)}{many}: {route}; {kind}"
