"""The tables beside the figures. Titles, columns and rows stand in `tables.toml`."""

from __future__ import annotations

import csv
from functools import partial
from pathlib import Path

from ...base.parallel import Progress
from ..claims import Runs
from ..layout import Layouts
from ..model import Table
from ..study import Shown
from . import figures
from .equations import error, fair_shares, values
from .measures import INPUTS, Measured, reno, vegas
from .statements import skill

TABLES = Layouts(__file__)

#: Output links of the tables, in kbit/s.
SHOWN = (400, 480, 560, 640, 720, 800, 880)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """Everything is measured from the item's runs; `progress` has nothing more to show."""
    del progress
    m = Measured.of(runs)
    sections = (
        TABLES.section("skill", [skill(runs)]),
        TABLES.section("fairness", lambda case, figure: {"jain": m.jains(case, SHOWN)}),
        TABLES.section("shares", partial(_shares, m), bw=400),
        TABLES.section("reno", partial(_reno, m)),
        TABLES.section("vegas", partial(_vegas, m)),
        TABLES.section("errata", errata()),
    )
    drawings = {name: partial(draw, m) for name, draw in figures.DRAWINGS.items()}
    return Shown(sections, drawings, values(m), fair_shares())


def _shares(m: Measured, case: str) -> Table:
    return {"got": m.relative(case, 400), "lost": 100 * m.loss(case, 400), "sum": m.throughput(case, 400).sum()}


def _reno(m: Measured, line: int) -> Table:
    simulated = m.throughput("RED Reno", line)
    fair = line * INPUTS / INPUTS.sum()
    return {
        "simulated": simulated,
        "time": error(reno(line), simulated),
        "rates": error(reno(line, "rates"), simulated),
        "fair": error(fair, simulated),
    }


def _vegas(m: Measured, line: int) -> Table:
    simulated = m.throughput("RED Vegas", line)
    fair = line * INPUTS / INPUTS.sum()
    return {"simulated": simulated, "found": error(vegas(line), simulated), "fair": error(fair, simulated)}


def errata() -> list[Table]:
    """The places where the paper cannot be read as printed, and what is read there."""
    with Path(__file__).with_name("errata.csv").open(encoding="utf-8", newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]
