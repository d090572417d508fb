"""Scenarios 7 and 8: the variants side by side."""

from __future__ import annotations

from ...base.parallel import Progress
from ..claims import Runs, listed
from ..layout import Layouts
from ..model import Table
from ..study import Shown

#: The measures of the table, and their decimals.
MEASURES = {"throughput": 2, "delay": 2, "drop_rate": 3, "retransmission_rate": 3}


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """What the variants change, both sources."""
    printed = {n.row for n in runs.item.numbers}
    rows = (_row(runs, v.name) for v in runs.item.variants if v.name not in printed)
    return Shown((Layouts(__file__).section("variants", rows),))


def _row(runs: Runs, variant: str) -> Table:
    most = [float(runs.trace(variant, "in_flight", s)[1].max()) for s in ("1", "2")]
    found = {m: listed(runs.of(variant, m, "1", "2"), digits) for m, digits in MEASURES.items()}
    return {"variant": variant, "most": most, **found}
