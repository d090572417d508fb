"""BLT (Kim and Farber 1994) with other gateways, larger buffers, and several bottlenecks in a row: predictions, tables and figures.

Completion times are those at the sink. Values are means over the runs, which differ in their seeds. Files that did not end by the end of a
run count in their number alone; where a tenth of them or more did not, no completion time is shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from ...base.parallel import Progress
from ...stats import Mean, mean_of
from ..claims import Result, Runs, listed
from ..layout import Layouts
from ..measure import Floats, Outcome
from ..model import Table
from ..study import Shown
from . import tradeoff_figures as draw
from .statements import claim

T = TypeVar("T")

TABLES = Layouts(__file__, "tradeoff-tables.toml")

QUEUES = ("BLT", "BLT, corrected", "strict priority", "FQ", "DRR", "CSFQ", "FIFO", "TCP over FIFO", "TCP over FQ")
LOADS = ("0.2", "0.4", "0.6", "0.8")
SCHEMES = ("BLT", "BLT's sources over FIFO", "TCP over FIFO")
BUFFERS = ("75", "300", "1200")
ROWS = ("BLT", "BLT, the second FIFO", "TCP over FIFO")
GATEWAYS = ("1", "2", "3", "4")

#: Seconds that the bottleneck takes for a file of 200 packets of 4000 bits; and the minimum for a file: the path of 15 ms, the file,
#: and a packet on the link after it.
SERVICE = 200 * 4000 / 30e6
LEAST = 0.015 + 4000 / 150e6 + SERVICE


def every(runs: Runs, variant: str, measure: Callable[[Outcome], float]) -> Mean:
    """A measure over all runs of a variant."""
    return mean_of([measure(run) for run in (runs.base[variant], *runs.seeds.get(variant, []))])


def column(run: Outcome, table: str, name: str, value: str) -> float:
    """One cell of a run's table: of a class, a flow or a link."""
    cells = run.table(table)
    key = {"classes": "class", "flows": "flow", "links": "link"}[table]
    return float(cells[value][list(cells[key]).index(name)])


def ended(runs: Runs, variant: str, name: str = "file") -> Mean:
    """The part of the files that ended."""

    def part(run: Outcome) -> float:
        return column(run, "classes", name, "finished") / column(run, "classes", name, "started")

    return every(runs, variant, part)


def completion(runs: Runs, variant: str, name: str = "file", value: str = "fct_mean_s") -> Mean:
    """Completion time in seconds; infinite where a tenth of the files or more did not end."""
    if ended(runs, variant, name).mean <= 0.9:
        return Mean(math.inf, math.nan, 1)
    return every(runs, variant, lambda run: column(run, "classes", name, value))


def wasted_at_hop_1(runs: Runs, variant: str) -> Mean:
    """The part of the through files' packets that hop 1 carried and a later gateway discarded."""

    def part(run: Outcome) -> float:
        # Those of the cross traffic end after hop 1.
        carried = column(run, "links", "hop1", "sent") - column(run, "flows", "cross1", "received")
        return 1 - column(run, "flows", "through", "received") / carried

    return every(runs, variant, part)


def discarded(runs: Runs, variant: str) -> Mean:
    """The part of the packets of through files that are discarded anywhere."""

    def part(run: Outcome) -> float:
        return column(run, "flows", "through", "drops") / column(run, "flows", "through", "sent")

    return every(runs, variant, part)


def lone(scheme: str, gateways: int) -> float:
    """The completion time of a file alone on a path of some gateways, where nothing is lost: for TCP seven rounds before the last one."""
    way = 0.01 + 0.005 * gateways
    if scheme == "BLT":
        return way + gateways * 4000 / 30e6 + SERVICE
    return 7 * 2 * way + way + 73 * 4000 / 30e6


def judged(holds: Callable[[T], bool], measured: T, trivial: T, text: str, model: str) -> Result:
    """A verdict with what a trivial model would have given."""
    return bool(holds(measured)), f"{text}; trivial model ({model}): {'holds' if holds(trivial) else 'fails'}"


def in_ms(*seconds: float) -> str:
    """Times in a row, in ms."""
    return ", ".join(f"{1e3 * x:.0f} ms" if math.isfinite(x) else "never" for x in seconds)


def study(runs: Runs, progress: Progress | None) -> Shown:
    """The tables and figures; `progress` has nothing more to show."""
    del progress

    def gateway(queue: str) -> Table:
        return {"times": [completion(runs, f"gateway {queue} {load}").mean * 1e3 for load in LOADS]} | {
            "ended": 100 * ended(runs, f"gateway {queue} 0.8").mean
        }

    def buffers(scheme: str) -> Table:
        return {"times": [completion(runs, f"buffer {scheme} {n}").mean * 1e3 for n in BUFFERS]}

    def row(scheme: str, gateways: str) -> Table:
        name = f"row {scheme} {gateways}"
        wasted = wasted_at_hop_1(runs, name) if gateways != "1" else None
        time = completion(runs, name, "through")
        ms = Mean(time.mean * 1e3, time.half * 1e3, time.n) if math.isfinite(time.mean) else math.inf
        return {"time": ms, "lost": discarded(runs, name), "wasted": wasted}

    sections = (
        TABLES.section("gateways", gateway), TABLES.section("buffers", buffers), TABLES.section("row", row),
    )  # fmt: skip
    times = {q: [completion(runs, f"gateway {q} {load}") for load in LOADS] for q in QUEUES}
    rows = {s: [completion(runs, f"row {s} {n}", "through") for n in GATEWAYS] for s in ROWS}
    return Shown(
        sections,
        {
            "tradeoff-gateways": partial(draw.gateways, [float(x) for x in LOADS], times),
            "tradeoff-row": partial(
                draw.row, rows, [wasted_at_hop_1(runs, f"row BLT {n}") for n in GATEWAYS[1:]], independent(runs)
            ),
        },
    )


def independent(runs: Runs) -> list[float]:
    """The part carried needlessly with 2, 3 and 4 gateways if each discarded packets independently, as often as one alone does."""
    one = discarded(runs, "row BLT 1").mean
    return [1 - (1 - one) ** (n - 1) for n in (2, 3, 4)]


@claim("T1")
def _t1(runs: Runs) -> Result:
    due = np.array(independent(runs))
    found = np.array([wasted_at_hop_1(runs, f"row BLT {n}").mean for n in GATEWAYS[1:]])
    text = f"wasted {listed(found, 3)}, independent losses {listed(due, 3)}"
    return judged(lambda x: bool((x <= due / 2).all() and (x >= 0.02).all()), found, due, text, "independent losses")


@claim("T2")
def _t2(runs: Runs) -> Result:
    def lead(time: Callable[[str, str], float]) -> Floats:
        return np.array([time("TCP over FIFO", n) / time("BLT", n) for n in GATEWAYS])

    found = lead(lambda s, n: completion(runs, f"row {s} {n}", "through").mean)
    alone = lead(lambda s, n: lone(s, int(n)))
    text = f"TCP's time over BLT's {listed(found)}; without losses and queues {listed(alone)}"
    return judged(lambda x: bool(x[-1] < x[0] and (x > 1).all()), found, alone, text, "nothing is lost")


@claim("T3")
def _t3(runs: Runs) -> Result:
    blt, mixed, tcp = (completion(runs, f"row {s} 3", "through").mean for s in ROWS)
    text = f"{in_ms(mixed)}, TCP {in_ms(tcp)}, with BLT's gateways alone {in_ms(blt)}"
    return judged(lambda x: x > tcp, mixed, blt, text, "one gateway of three does not matter")


def _times(runs: Runs, queue: str, loads: Sequence[str]) -> Floats:
    return np.array([completion(runs, f"gateway {queue} {load}").mean for load in loads])


@claim("T4")
def _t4(runs: Runs) -> Result:
    blt, fq, fifo = (_times(runs, q, ("0.4", "0.6")) for q in ("BLT", "FQ", "FIFO"))
    text = f"at 0.4 and 0.6 FQ {in_ms(*fq)}, BLT {in_ms(*blt)}, FIFO {in_ms(*fifo)}"
    return judged(lambda x: bool((x <= 1.25 * blt).all()), fq, fifo, text, "without priorities all are as FIFO")


@claim("T5")
def _t5(runs: Runs) -> Result:
    (blt,), (csfq,) = (_times(runs, q, ("0.4",)) for q in ("BLT", "CSFQ"))
    part = 100 * ended(runs, "gateway CSFQ 0.4").mean
    text = f"CSFQ {in_ms(csfq)}, {part:.0f} % of the files ended; BLT {in_ms(blt)}"
    return judged(lambda x: x >= 3 * blt, csfq, blt, text, "the gateway does not matter")


@claim("T6")
def _t6(runs: Runs) -> Result:
    (blt,), (strict,) = (_times(runs, q, ("0.8",)) for q in ("BLT", "strict priority"))
    text = f"by priority {in_ms(strict)}, first come, first served {in_ms(blt)}"
    return judged(lambda x: x >= 1.1 * blt, strict, blt, text, "the order does not matter")


@claim("T7")
def _t7(runs: Runs) -> Result:
    small, large, tcp = (
        completion(runs, f"buffer {s} {n}").mean for s, n in (("BLT", "75"), ("BLT", "1200"), ("TCP over FIFO", "1200"))
    )
    # The queue in front of a file: M/D/1 at half of the line.
    due = LEAST + SERVICE / 2
    text = f"BLT {in_ms(large)}, M/D/1 {in_ms(due)}; with 75 packets {in_ms(small)}; TCP {in_ms(tcp)}"
    return judged(lambda x: abs(x / due - 1) <= 0.15 and tcp >= 3 * x, large, small, text, "the buffer does not matter")


@claim("T8")
def _t8(runs: Runs) -> Result:
    blt, fifo = (completion(runs, f"buffer {s} 1200").mean for s in SCHEMES[:2])
    small = completion(runs, f"buffer {SCHEMES[1]} 75").mean
    text = f"FIFO {in_ms(fifo)}, BLT {in_ms(blt)}; FIFO with 75 packets {in_ms(small)}"
    return judged(lambda x: abs(x / blt - 1) <= 0.1, fifo, small, text, "the buffer does not matter")
