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
from . import figures, settings
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
    found = settings.all_outcomes(runs)
    sections = (
        TABLES.section("skill", [skill(runs)]),
        TABLES.section("fairness", lambda case, figure: {"jain": m.jains(case, SHOWN)}),
        TABLES.section("shares", partial(_shares, m), bw=400),
        TABLES.section("reno", partial(_reno, m)),
        TABLES.section("vegas", partial(_vegas, m)),
        TABLES.section("cycles", partial(_cycles, m)),
        TABLES.section("rounds", partial(_rounds, m)),
        TABLES.section("settings", settings.compared(runs, found), runs=1 + runs.item.seeds),
        TABLES.section("moved", settings.moved(found)),
        TABLES.section("setting-skill", settings.skills(runs, found)),
        TABLES.section("indices", partial(settings.indices, runs)),
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


def _cycles(m: Measured, line: int) -> Table:
    case = "RED Reno"
    window, timeouts = m.expected(case, line)
    return {
        "sent": 1 / m.loss(case, line),
        "vegas": 1 / m.loss("RED Vegas", line),
        "window": m.window(case, line),
        "by_p": window,
        "timeouts": 100 * m.timeouts_of_windows(case, line),
        "by_both": 100 * timeouts,
    }


def _rounds(m: Measured, line: int) -> Table:
    return {"time": m.window("RED Reno", line), "rounds": m.rounds("RED Reno", line)}


def errata() -> list[Table]:
    """The places where the paper cannot be read as printed, and what is read there."""
    with Path(__file__).with_name("errata.csv").open(encoding="utf-8", newline="") as file:
        return [dict(row) for row in csv.DictReader(file)]
