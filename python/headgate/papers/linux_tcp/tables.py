"""The kernel's table beside ours, and beside what the RFCs' own rules give."""

from __future__ import annotations

from ...base.parallel import Progress
from ..claims import Runs
from ..layout import Layouts
from ..model import Table
from ..study import Shown
from .measures import Measured


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """The measures of all variants."""
    all_values = {v.name: Measured(runs, v.name).values() for v in runs.item.variants}
    values = {(metric, row, ""): value for row, found in all_values.items() for metric, value in found.items()}
    rows: list[Table] = [{"variant": name, **found} for name, found in all_values.items()]
    return Shown((Layouts(__file__).section("table", rows),), {}, values)
