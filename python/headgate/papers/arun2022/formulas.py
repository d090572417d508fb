"""Numbers of the text that follow from its formulas."""

from __future__ import annotations

from ...base.parallel import Progress
from ..claims import Runs
from ..formulas.starvation import queue_delay, rate_of_delay
from ..layout import Layouts
from ..study import Shown

#: Bits of the queue that Vegas or FAST keeps in the paper's example: four packets of 1500 bytes.
ALPHA = 4 * 1500 * 8.0


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """Each number by its formula."""
    slow, fast = queue_delay(ALPHA, 96e6), queue_delay(ALPHA, 960e6)
    found = {
        ("delay", "96 Mbit/s"): 1000 * slow,
        ("delay", "960 Mbit/s"): 1000 * fast,
        ("factor", "0.45 ms"): rate_of_delay(ALPHA, fast) / rate_of_delay(ALPHA, fast + 0.45e-3),
    }
    published = {(n.metric, n.row): n for n in runs.item.numbers}
    rows = [(row, published[metric, row].value, value) for (metric, row), value in found.items()]
    values = {(metric, row, ""): value for (metric, row), value in found.items()}
    return Shown((Layouts(__file__).section("formulas", rows),), {}, values)
