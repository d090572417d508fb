"""What other readings of the text give: Jain's index and the relative throughputs, a row for each."""

from __future__ import annotations

from ...base.parallel import Progress
from ..claims import Runs
from ..layout import Layouts
from ..model import Table
from ..study import Shown
from .measures import Measured

#: Output links in kbit/s.
LINES = (400, 440, 480, 560, 720, 880)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """A row for each reading, in the order of `paper.toml`."""
    del progress
    m = Measured.of(runs)
    names = dict.fromkeys(v.name.rsplit(" ", 1)[0] for v in runs.item.variants)
    rows: list[Table] = [{"reading": n, "jain": m.jains(n, LINES), "got": m.relative(n, 400)} for n in names]
    return Shown((Layouts(__file__).section("readings", rows),))
