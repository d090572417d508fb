"""Ours against the period, beside the model."""

from __future__ import annotations

from ...analysis.shrew import shrew_randomized, shrew_throughput
from ...base.parallel import Progress
from ..claims import Runs
from ..layout import Layouts
from ..study import Shown
from .claims import FIGURE_4, FIGURE_17, HIGH, LOW, TIMEOUTS, part

TABLES = Layouts(__file__)


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The table of figure 4 or 17."""
    if runs.item.name == "figure-4":
        rows = [(t, shrew_throughput(t), part(runs, f"{t:g}")) for t in FIGURE_4]
    else:
        got = {t: [part(runs, f"{m:g}, {t:g}") for m in TIMEOUTS] for t in FIGURE_17}
        rows = [(t, shrew_randomized(t, LOW, HIGH), sum(g) / len(g)) for t, g in got.items()]
    return Shown((TABLES.section(runs.item.name, rows),))
