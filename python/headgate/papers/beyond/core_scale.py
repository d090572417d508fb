"""Shares and completion times with many flows and on fast lines: predictions, tables and a figure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...analysis import jain_index
from ...base.palette import BLUE, GREEN, GREY, VERMILION
from ...base.parallel import Progress
from ..claims import Result, Runs, listed
from ..layout import Layouts
from ..measure import Floats, Outcome
from ..model import Table
from ..sheets import Sheets
from ..study import Shown
from .core_stateless import SHARES
from .statements import claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

TABLES, SHEETS = Layouts(__file__), Sheets(__file__)

QUEUES = ("FQ", "DRR", "CSFQ", "FIFO")
#: Lines in Mbit/s, and numbers of flows of the transfers; where there is a tenth of 100, UDP has a multiple of four flows, 12.
LINES = (10, 100, 1000, 10_000)
FLOWS = (12, 100, 1000, 10_000)


def over_share(run: Outcome, line: int) -> Floats:
    """Goodput over the max-min share of each UDP flow."""
    table = run.table("flows")
    unit = 1e6 * line / len(table["flow"])
    share = np.array([SHARES[str(name).rstrip("0123456789")] for name in table["flow"]])
    return np.asarray(table["goodput_bps"] / unit / share)


def evenness(runs: Runs, queue: str, line: int, flows: int) -> float | None:
    """Jain's index of the shares; None where this is not run."""
    name = f"shares {queue} {line} {flows}"
    return jain_index(over_share(runs.base[name], line)) if name in runs.base else None


def transfers(runs: Runs, queue: str, line: int, flows: int, when: str = "transfers") -> dict[str, float]:
    """Mean and 95 % quantile of the transfers' slowdown, how many of them ended, and Jain's index of the endless flows."""
    run = runs.base[f"{when} {queue} {line} {flows}"]
    classes, table = run.table("classes"), run.table("flows")
    place = list(classes["class"]).index("web")
    endless = np.array([str(name).startswith("long") for name in table["flow"]])
    ended, left = (float(classes[key][place]) for key in ("finished", "unfinished"))
    return {
        "mean": float(classes["slowdown_mean"][place]),
        "late": float(classes["slowdown_p95"][place]),
        "ended": ended / (ended + left),
        "jain": jain_index(table["goodput_bps"][endless]),
    }


def study(runs: Runs, progress: Progress | None) -> Shown:
    """The tables, a row for each line and number of flows; `progress` has nothing more to show."""
    del progress

    def shares(line: int, flows: int) -> Table:
        cells = {q: evenness(runs, q, line, flows) for q in (*QUEUES, "K scaled")}
        return {"share": share(line, flows), "scaled": cells.pop("K scaled"), **cells}

    def times(line: int, flows: int) -> Table:
        found = {q: transfers(runs, q, line, flows) for q in QUEUES}
        return {"share": share(line, flows), **found, "over": {q: over(found, q) for q in QUEUES}}

    drawings = {"core-stateless-scale": partial(draw, runs)}
    return Shown(
        (TABLES.section("shares", shares), TABLES.section("times", times), TABLES.section("ended", times)), drawings
    )


def share(line: int, flows: int) -> float:
    """The line over the number of flows, in kbit/s."""
    return 1000 * line / flows


def over(found: dict[str, dict[str, float]], queue: str) -> dict[str, float]:
    """Slowdowns of one discipline over Fair Queueing's."""
    return {key: found[queue][key] / found["FQ"][key] for key in ("mean", "late")}


def ratio(runs: Runs, queue: str, line: int, flows: int, key: str = "mean") -> float:
    """Slowdown over that of Fair Queueing."""
    return over({q: transfers(runs, q, line, flows) for q in ("FQ", queue)}, queue)[key]


def draw(runs: Runs) -> Drawing:
    """Slowdown over Fair Queueing's against the share of a flow: the mean, and the 95 % quantile."""
    sheet = SHEETS.open("core-stateless-scale")
    for axes, key in zip(sheet.axes, ("mean", "late"), strict=True):
        for queue, colour, marker, shift in (
            ("DRR", BLUE, "o", 0.9),
            ("CSFQ", VERMILION, "s", 1.0),
            ("FIFO", GREEN, "x", 1.1),
        ):
            points = [(share(line, n), ratio(runs, queue, line, n, key)) for line in LINES for n in FLOWS]
            x, y = np.array(points).T
            axes.plot(shift * x, y, color=colour, marker=marker, ms=6, ls="", label=queue, alpha=0.85)
        axes.axhline(1, color=GREY, lw=0.9, ls=(0, (6, 3)), zorder=0)
    return sheet.done()


def _cells(least: float, most: float = np.inf) -> list[tuple[int, int]]:
    """Lines and numbers of flows at which a flow's share lies between these, in kbit/s."""
    return [(line, n) for line in LINES for n in FLOWS if least <= share(line, n) <= most]


@claim("B35")
def _b35(runs: Runs) -> Result:
    fixed = {(line, n): evenness(runs, "CSFQ", line, n) or 0.0 for line, n in _cells(0)}
    slow = fixed.pop((10, 10_000))
    scaled = [found for line, n in _cells(0) if (found := evenness(runs, "K scaled", line, n)) is not None]
    text = f"K of 100 ms: {min(fixed.values()):.3f} or more, 10,000 flows on 10 Mbit/s {slow:.3f}; K scaled: {listed(np.array(scaled), 3)}"
    return min(fixed.values()) > 0.95 and slow < 0.9 and min(scaled) > 0.98, text


def _said(runs: Runs, queue: str, cells: list[tuple[int, int]], key: str = "mean") -> tuple[Floats, str]:
    found = np.array([ratio(runs, queue, line, n, key) for line, n in cells])
    return found, f"{found.min():.2f} to {found.max():.2f} times FQ's"


@claim("B36")
def _b36(runs: Runs) -> Result:
    (slow, first), (fast, second) = _said(runs, "CSFQ", _cells(100, 1000)), _said(runs, "CSFQ", _cells(1e5))
    return bool(slow.max() < 1 and fast.min() > 1), f"100 kbit/s to 1 Mbit/s {first}; 100 Mbit/s and more {second}"


@claim("B37")
def _b37(runs: Runs) -> Result:
    cells = _cells(100)
    more = np.array([transfers(runs, "FIFO", *c)["mean"] / transfers(runs, "CSFQ", *c)["mean"] for c in cells])
    return bool(more.min() > 1), f"FIFO's mean is {more.min():.2f} to {more.max():.2f} times CSFQ's"


@claim("B38")
def _b38(runs: Runs) -> Result:
    found, text = _said(runs, "DRR", _cells(100))
    return bool((abs(found - 1) <= 0.5).all()), text


@claim("B39")
def _b39(runs: Runs) -> Result:
    jain = {q: np.array([transfers(runs, q, *c)["jain"] for c in _cells(1000)]) for q in QUEUES}
    good = min(jain["FQ"].min(), jain["DRR"].min()) > 0.99 and jain["CSFQ"].min() > 0.95
    return bool(good), "; ".join(f"{q} {found.min():.3f} or more" for q, found in jain.items())


@claim("B42")
def _b42(runs: Runs) -> Result:
    first, later = (transfers(runs, "CSFQ", 1000, 100, when)["jain"] for when in ("transfers", "later"))
    fifo = transfers(runs, "FIFO", 1000, 100, "later")["jain"]
    return first < 0.9 and later > 0.98, f"{first:.3f} and then {later:.3f}; FIFO then {fifo:.3f}"
