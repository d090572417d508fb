"""Numbers of the text that follow from its formulas."""

from __future__ import annotations

from ...base.parallel import Progress
from ..claims import Runs
from ..formulas.shrew import shrew_randomized_aggregate, shrew_rate
from ..layout import Layouts
from ..study import Shown


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """Each number by its formula; the period of the third one is the longest null, 1 s."""
    found = {
        ("rate", "Intra-LAN"): shrew_rate(10.0, 0.2, 1.2),
        ("rate", "Inter-LAN and WAN"): shrew_rate(10.0, 0.1, 1.1),
        ("part", "a third of the line"): 100 * shrew_rate(1 / 3, 0.1, 1.0),
        ("part", "one flow"): shrew_randomized_aggregate(1.0, 1.5, 1),
        # From here on more flows change nothing that is printed.
        ("part", "many flows"): shrew_randomized_aggregate(1.0, 1.5, 10_000),
    }
    published = {(n.metric, n.row): n for n in runs.item.numbers}
    rows = [(row, published[metric, row].value, value) for (metric, row), value in found.items()]
    values = {(metric, row, ""): value for (metric, row), value in found.items()}
    return Shown((Layouts(__file__).section("formulas", rows),), {}, values)
