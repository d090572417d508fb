"""Ours against the period, beside the model, and which figure is drawn by what."""

from __future__ import annotations

from functools import partial

from ...base.parallel import Progress
from ..claims import Runs
from ..formulas.shrew import shrew_randomized, shrew_throughput
from ..layout import Layouts
from ..study import Section, Shown
from .claims import FIGURE_4, FIGURE_17, HIGH, LOW, TIMEOUTS, part
from .figures import DRAWINGS

TABLES = Layouts(__file__)


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The tables of figures 4 and 17, and every figure."""
    drawings = {name: partial(draw, runs) for name, draw in DRAWINGS[runs.item.name].items()}
    return Shown(_sections(runs), drawings)


def _sections(runs: Runs) -> tuple[Section, ...]:
    name = runs.item.name
    if name == "figure-4":
        rows = [(t, shrew_throughput(t), part(runs, f"{t:g}")) for t in FIGURE_4]
    elif name == "figure-17":
        got = {t: [part(runs, f"{m:g}, {t:g}") for m in TIMEOUTS] for t in FIGURE_17}
        rows = [(t, shrew_randomized(t, LOW, HIGH), sum(g) / len(g)) for t, g in got.items()]
    else:
        return ()
    return (TABLES.section(name, rows),)
