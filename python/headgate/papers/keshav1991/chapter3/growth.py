"""Table 3.1 measured: how the cost of an insertion grows with the size, for tags of a known order."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .... import _core
from ....stats import student_quantile
from ...layout import Layouts
from ...measure import Floats
from ...model import Table
from ...study import Section

#: Packets that wait (LINK, TREE, HEAP), or conversations that are backlogged, with 8 packets each (PERC).
SIZES = (16, 32, 64, 128, 256, 512, 1024)

#: Section 3.5's example: 32 Mbyte in packets of a kilobyte, and "on the order of the square root" of it, "around 200".
PACKETS, CONVERSATIONS = 32768, 200

#: Orders of tags as the tables call them, and as the engine does.
ORDERS = {"random": "random", "rising": "rising", "falling": "falling", "rising to the last": "last_least"}

#: How a cost may grow, the slowest first: O(1), O(log n), O(n).
LAWS = ("constant", "log n", "n")

TABLES = Layouts(__file__)


@dataclass(frozen=True)
class Line:
    """A straight line through points: y = level + slope x, with half the 95 % Student interval of each."""

    level: float
    slope: float
    level_half: float
    slope_half: float
    residual: float


def fit(x: Floats, y: Floats) -> Line:
    """Least squares through at least three points.

    >>> line = fit(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    >>> round(line.level, 9), round(line.slope, 9), round(line.slope_half, 6)
    (1.0, 2.0, 0.0)
    """
    n, mean = len(x), float(x.mean())
    spread = float(((x - mean) ** 2).sum())
    slope = float(((x - mean) * (y - y.mean())).sum()) / spread
    level = float(y.mean()) - slope * mean
    residual = float(((y - level - slope * x) ** 2).sum())
    error = math.sqrt(residual / (n - 2))
    t = student_quantile(n - 2)
    return Line(level, slope, t * error * math.sqrt(1 / n + mean**2 / spread), t * error / math.sqrt(spread), residual)


def costs(structure: str, order: str, full: bool, sizes: Sequence[int] = SIZES) -> tuple[Floats, Floats]:
    """Mean and most operations of one more insertion at each size."""
    means, most = [], []
    for n in sizes:
        # Falling tags allow a conversation one packet only. Other structures do not look at conversations.
        apart = structure != "PERC" or order in ("falling", "last_least")
        size = (n + 1, n) if apart else (n, 8 * n)
        # Monotone tags cost the same every time, unless it matters which conversation is next.
        trials = 1 if apart and order != "random" else max(128, 2**17 // size[1])
        (calls, operations, top), _ = _core.work_at(structure.lower(), order, size, full, trials)
        means.append(operations / calls)
        most.append(top)
    return np.array(means), np.array(most, dtype=np.float64)


def law(sizes: Floats, cost: Floats) -> str:
    """The simplest of constant, logarithmic and linear growth that describes the cost.

    Constant if it changes by less than a quarter of an operation per doubling; else whichever line leaves the smaller residual.

    >>> n = np.array([16.0, 64.0, 256.0, 1024.0])
    >>> law(n, 0 * n + 2), law(n, 1.4 * np.log2(n)), law(n, n / 2)
    ('constant', 'log n', 'n')
    """
    logarithmic, linear = fit(np.log2(sizes), cost), fit(sizes, cost)
    if abs(logarithmic.slope) < 0.25:
        return "constant"
    return "log n" if logarithmic.residual <= linear.residual else "n"


@dataclass(frozen=True)
class Growth:
    """What one more insertion costs at each size, by structure and order of the tags, as the rows of `tables.toml` list them."""

    sizes: Floats
    cost: Mapping[tuple[str, str], Floats]

    def section(self) -> Section:
        """The measured growth beside table 3.1."""

        def row(structure: str, tags: str, **_: str) -> Table:
            cost = self.cost[structure, tags]
            return {"law": law(self.sizes, cost), "fitted": self._fitted(cost), "cost": (cost[0], cost[-1])}

        return TABLES.section("growth", row, first=int(self.sizes[0]), last=int(self.sizes[-1]))

    def orders(self) -> dict[tuple[str, str, str], float]:
        """Table 3.1: best and worst over all orders of tags; the average is that of random tags in a full structure."""
        found: dict[tuple[str, str, str], float] = {}
        for structure in dict.fromkeys(s for s, _ in self.cost):
            laws = {tags: LAWS.index(law(self.sizes, c)) for (s, tags), c in self.cost.items() if s == structure}
            of = {"best": min(laws.values()), "worst": max(laws.values()), "average": laws["random, full"]}
            found |= {("insertion", structure, case): float(order) for case, order in of.items()}
        return found

    def _fitted(self, cost: Floats) -> str:
        if law(self.sizes, cost) == "n":
            power = fit(np.log2(self.sizes), np.log2(cost))
            return f"exponent {power.slope:.3f} ± {power.slope_half:.3f}"
        doubling = fit(np.log2(self.sizes), cost)
        return f"{doubling.slope:.2f} ± {doubling.slope_half:.2f} per doubling"


def growth(sizes: Sequence[int] = SIZES) -> Growth:
    """Measures it."""
    found = {}
    for row in TABLES.about("growth"):
        order, _, full = row["tags"].partition(", ")
        found[row["structure"], row["tags"]] = costs(row["structure"], ORDERS[order], bool(full), sizes)[0]
    return Growth(np.array(sizes, dtype=np.float64), found)


def sizing() -> dict[tuple[str, str, str], float]:
    """Section 3.5's example: most and mean operations of an insertion with 32K packets and, for PERC, 200 conversations."""
    found = {}
    for structure, size in (("HEAP", (PACKETS, PACKETS)), ("PERC", (CONVERSATIONS, PACKETS))):
        (calls, operations, _), _ = _core.work_at(structure.lower(), "random", size, True, 64)
        most = max(_core.work_at(structure.lower(), order, size, True, 16)[0][2] for order in ("random", "rising"))
        found["most_operations", structure, ""] = float(most)
        found["mean_operations", structure, ""] = operations / calls
    return found
