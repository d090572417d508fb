"""The thesis's cost metric, from the gauges of the trunk's queue."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...claims import Runs
from ...measure import Floats
from ...model import Point

STRUCTURES = ("LINK", "TREE", "HEAP", "PERC")

#: W of the scenario: a source's largest window in packets.
WINDOW = 20

TRUNK = "trunk"


@dataclass(frozen=True)
class Costs:
    """What each structure did at each point (N conversations, B buffers) of the grid."""

    runs: Runs

    @staticmethod
    def variant(structure: str, point: Point) -> str:
        """The variant's name, as the grid in `paper.toml` makes it."""
        return f"{structure} N={point[0]} B={point[1]}"

    @property
    def axes(self) -> dict[str, tuple[Point, ...]]:
        """The points of axes A to E, in order."""
        return dict(self.runs.item.axes)

    @property
    def points(self) -> list[Point]:
        """All points, each once."""
        return list(dict.fromkeys(p for axis in self.axes.values() for p in axis))

    def series(self, structure: str, point: Point, gauge: str) -> tuple[Floats, Floats]:
        """Times in seconds and values of a gauge over the run."""
        return self.runs.gauge(self.variant(structure, point), TRUNK, gauge)

    def last(self, structure: str, point: Point, gauge: str) -> float:
        """A gauge at the end of the run."""
        return float(self.series(structure, point, gauge)[1][-1])

    def average(self, structure: str, point: Point) -> float:
        """Elementary operations in all insertions, discards included, over insertions: the thesis's metric."""
        return self.last(structure, point, "insert_operations") / self.last(structure, point, "inserts")

    def cheapest(self, point: Point) -> str:
        """The structure with the least average."""
        return min(STRUCTURES, key=lambda s: self.average(s, point))

    def maximum(self, structure: str, point: Point) -> float:
        """Most operations in one insertion."""
        return self.last(structure, point, "insert_operations_max")

    def get(self, structure: str, point: Point) -> float:
        """Operations in a get_min, on average."""
        return self.last(structure, point, "get_operations") / self.last(structure, point, "gets")

    def along(self, structure: str, axis: str) -> Floats:
        """The metric along an axis."""
        return np.array([self.average(structure, p) for p in self.axes[axis]])

    def lost(self, point: Point) -> float:
        """Share of the packets that were discarded."""
        of = {
            k: self.runs.link(self.variant("PERC", point), TRUNK, k) for k in ("drops_full", "drops_evicted", "offered")
        }
        return (of["drops_full"] + of["drops_evicted"]) / of["offered"]

    def by_length(self, structure: str, point: Point) -> tuple[Floats, Floats]:
        """Trace lengths in seconds, and the metric of the trace up to each."""
        times, operations = self.series(structure, point, "insert_operations")
        return times, operations / self.series(structure, point, "inserts")[1]

    def asymptote(self, structure: str, point: Point) -> float:
        """Operations per insertion in the last fifth of the run: where the metric tends if things stay as they are then."""
        operations, inserts = (self.series(structure, point, k)[1] for k in ("insert_operations", "inserts"))
        start = len(inserts) * 4 // 5
        return float((operations[-1] - operations[start]) / (inserts[-1] - inserts[start]))


def is_underloaded(point: Point) -> bool:
    """No loss is possible: W N <= B."""
    return WINDOW * point[0] <= point[1]
