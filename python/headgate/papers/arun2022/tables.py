"""Copa beside its formula, the ratios of figure 7, and which figure is drawn by what."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...base.parallel import Progress
from ..claims import Runs
from ..formulas.starvation import shared_with_error
from ..layout import Layouts
from ..study import Section, Shown
from .claims import COPA_QUEUE, ERRORS, LINE, copa_pair, ratio
from .figures import DRAWINGS

TABLES = Layouts(__file__)


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The table and the figures of the item; figure 7 has values that are judged."""
    drawings = {name: partial(draw, runs) for name, draw in DRAWINGS[runs.item.name].items()}
    if runs.item.name == "copa":
        return Shown((_copa(runs),), drawings)
    if runs.item.name != "delayed-acks":
        return Shown((), drawings)
    of = {name: np.array(ratio(runs, name)) for name in ("Reno", "Cubic")}
    published = {n.row: n.value for n in runs.item.numbers}
    section = TABLES.section("delayed-acks", [(name, published[name], got.mean()) for name, got in of.items()])
    values = {("ratio", name, ""): float(got[0]) for name, got in of.items()}
    return Shown((section,), drawings, values)


def _copa(runs: Runs) -> Section:
    rows = []
    for error in ERRORS:
        said = [r / 1e6 for r in shared_with_error(COPA_QUEUE, LINE, error / 1000)]
        got = copa_pair(runs, error)
        rows.append((error, said[0], got[0], said[1], got[1]))
    return TABLES.section("copa", rows)
