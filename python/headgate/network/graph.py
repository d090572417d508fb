"""A network as it is drawn: stations, groups of equal hosts, lines between stations, kinds of flows, with the words of each.

The engine makes it (`crates/view/src/network`); who draws it gives it places.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ..base.resolved import Engine
from ..scenario.scenario import Scenario


@dataclass(frozen=True)
class Group:
    """Hosts with one line each, to the same station.

    Attributes:
        name: the hosts' names, and how many they are.
        called: their names alone.
        count: how many they are.
        station: that to which their lines lead.
        words: the properties of their lines; for a single line its name first, if the file gives one.
        sends: whether flows begin at them.
    """

    name: str
    called: str
    count: int
    station: str
    words: Sequence[str]
    sends: bool


@dataclass(frozen=True)
class Edge:
    """All lines between two stations.

    Attributes:
        ends: the stations.
        words: the properties of the lines; first their name, if the file gives one, or their number.
        lines: how many they are.
    """

    ends: tuple[str, str]
    words: Sequence[str]
    lines: int


@dataclass(frozen=True)
class LineStyle:
    """Lines that are described together.

    Attributes:
        text: their properties.
        lines: how many they are.
        edges: of lines between stations the places of their edges.
    """

    text: str
    lines: int
    edges: Sequence[int] = ()


class Network:
    """The parts of a scenario that are drawn.

    Attributes:
        name: of the scenario.
        stations: gateways, and hosts that are no leaves, with their titles.
        gateways: those of them that are gateways.
        groups: hosts.
        edges: lines between stations.
        styles: kinds of lines between stations.
        of_hosts: kinds of lines of hosts.
        flows: kinds of flows, in words.
        layers: the stations of each layer in order.
        stages: whether layers are distances from the hosts, the hosts being nearest to the first.
    """

    def __init__(
        self, engine: Engine, row: int = sys.maxsize, stations: int = sys.maxsize, edges: int = sys.maxsize
    ) -> None:
        """Takes what the engine holds of a scenario, and how many parts are drawn one by one."""
        self._engine = engine
        said = json.loads(engine.network(row, stations, edges))
        self.name: str = said["name"]
        self.stations: dict[str, str] = {station["name"]: station["title"] for station in said["stations"]}
        self.gateways = {station["name"] for station in said["stations"] if station["gateway"]}
        self.groups = [Group(**group) for group in said["groups"]]
        self.edges = [Edge(tuple(e["ends"]), e["words"], e["lines"]) for e in said["edges"]]
        self.styles = [LineStyle(**kind) for kind in said["styles"]]
        self.of_hosts = [LineStyle(**kind) for kind in said["of_hosts"]]
        self.flows: list[str] = said["flows"]
        self.layers: list[list[str]] = said["layers"]
        self.stages: bool = said["stages"]

    @classmethod
    def of(cls, scenario: Scenario) -> Network:
        """Reads a scenario.

        Raises:
            ScenarioError: something in it is wrong.
        """
        return cls(scenario.base().resolve().engine)

    def within(self, row: int, stations: int, edges: int = sys.maxsize) -> Network:
        """The same with each layer as one station, and the middle of a long row as one, where there are too many parts.

        Args:
            row: stations that stand in a row, at least 3.
            stations: other stations.
            edges: lines between these.
        """
        return Network(self._engine, row, stations, edges)

    @property
    def is_row(self) -> bool:
        """Whether there is one station in each layer."""
        return all(len(layer) == 1 for layer in self.layers)

    def hosts(self, station: str) -> list[Group]:
        """The groups of hosts at a station."""
        return [group for group in self.groups if group.station == station]
