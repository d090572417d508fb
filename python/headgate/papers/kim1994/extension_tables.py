"""The tables and figures of the items `stream` and `extensions`."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..claims import Runs
from ..layout import Layouts
from ..study import Shown
from . import extension_figures as extension_draw
from . import stream_figures as stream_draw
from .extensions import BY_RATES, MARKS, SOURCES, abuse, beside, by_rates, shares
from .groups import Both
from .stream import SHORT, first_burst, stream, two_files, windows_taken

TABLES = Layouts(__file__)


def stream_shown(runs: Runs) -> Shown:
    """The table of what S1 takes of two bursts that meet, and the figures."""
    pairs = dict(zip(("BLT", "Bully-Tyrant, FIFO"), two_files(runs), strict=True))
    rows = []
    for name, met in pairs.items():
        for file in (0, 1):
            parts = 100 * windows_taken(first_burst(met.of(file)))
            rows.append({"scheme": name, "file": ("first", "second")[file], "parts": parts})
    figures = {
        "figure-1-2": partial(stream_draw.structure, stream(runs, "BLT", 150, SHORT)),
        "figure-3": partial(
            stream_draw.over_time, stream(runs, "TCP", 150), stream(runs, "BLT", 150), stream(runs, "BLT", 30)
        ),
    }
    return Shown((TABLES.section("two-bursts", rows),), figures)


def extensions_shown(runs: Runs) -> Shown:
    """The tables and the figure."""
    abused, honest = abuse(runs), abuse(runs, "windows")
    users, files = beside(runs)
    shared, by = shares(runs), by_rates(runs)

    def cells(both: Both) -> list[float]:
        return [np.nan if g is None else g.mean for g in both]

    sections = [
        TABLES.section(
            "abuse",
            [
                {
                    "load": load, "part": part, "times": cells(both), "same": cells(honest[load, part]),
                    "gone": [np.nan if g is None else 100 * g.gone for g in both],
                    "ended": min(100 * g.ended for g in both if g is not None),
                }
                for (load, part), both in abused.items()
            ],
        ),
        TABLES.section(
            "interactive",
            [
                {
                    "load": load, "packets": packets, "reset": ("no", "yes")[on], "mean": users[on][load, packets].mean,
                    "late": users[on][load, packets].late, "gone": 100 * users[on][load, packets].gone,
                    "file": files[on][load, packets].mean,
                }
                for load, packets in users[0]
                for on in (0, 1)
            ],
        ),
        TABLES.section(
            "shares",
            [
                {
                    "marks": marks, "jain": [shared[marks, n].jain for n in SOURCES],
                    "total": [shared[marks, n].total for n in SOURCES], "new": [shared[marks, n].new for n in SOURCES],
                }
                for marks in MARKS
            ],
        ),
        TABLES.section(
            "by-rates",
            [
                {
                    "marks": marks, "bottleneck": b, "times": 1e3 * m.values("response", BY_RATES),
                    "again": 100 * m.values("again", BY_RATES), "power": float(m.greatest.mean()),
                }
                for (marks, b), m in by.items()
            ],
        ),
    ]  # fmt: skip
    return Shown(tuple(sections), {"extensions": partial(extension_draw.three, abused, users, by)})
