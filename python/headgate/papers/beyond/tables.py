"""The tables of what lies beyond the thesis, and which figure is drawn by what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from ...parallel import Progress
from ...stats import Mean
from ..claims import Runs
from ..model import Figure, unknown
from ..study import Section
from . import figures
from .first_round import (
    BOTH_WAYS,
    FAIR,
    ONE_QUEUE,
    PLACES,
    PP,
    ROUND_ROBIN,
    bunched,
    late_shares,
    mean_completion,
    settling,
    with_half,
)
from .measures import (
    LINE,
    SHORT_ROUND_TRIP,
    SIZES,
    Measured,
    Readings,
    line_loss,
    line_windows,
    loss,
    outstanding,
    rates,
)
from .second_round import NEWCOMERS_R, late_queueing, shares_between

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

Row = tuple[str, ...]

#: What each mix of sources is: the packet-pair sources, and the others with what they are called.
MIXES = {
    "pp": ("4 pp_cth", PP, ()),
    "window": ("4 pp_cth with a window of 40", PP, ()),
    "ch4": ("4 packet_pair", PP, ()),
    "jk": ("2 pp_cth + 2 jk_reno", PP[:2], PP[2:]),
    "cbr": ("3 pp_cth + cbr", PP[:3], PP[3:]),
}
QUEUES = (*ROUND_ROBIN, "drr 8", *ONE_QUEUE)


@dataclass(frozen=True)
class BeyondStudy:
    """Tables over the runs, and the figures."""

    measured: Measured
    sections: tuple[Section, ...]

    def draw(self, figure: Figure) -> Drawing:
        """Draws one of the figures."""
        drawings = {
            "sharing": figures.sharing,
            "quantum": figures.quantum,
            "path": figures.path,
            "two-way": figures.two_way,
            "short": figures.short,
            "starts": figures.starts,
        }
        if figure.name not in drawings:
            raise unknown("figure beyond the papers", figure.name, drawings)
        return drawings[figure.name](self.measured)


def study(runs: Runs, progress: Progress | None) -> BeyondStudy:
    """Everything is measured from the item's runs; `progress` has nothing more to show."""
    del progress
    m = Measured(runs)
    parts = (_quantum, _overflow, _path, _two_way, _short, _starts, _newcomers, _bursts)
    sections = (*(_sharing(m, mix) for mix in MIXES), *(part(m) for part in parts))
    return BeyondStudy(m, sections)


def _probe(m: Measured, variant: str, fair: float, *flows: str) -> Row:
    """Median reading, where nine of ten lie, and the estimate that the law works with."""
    found = m.readings(variant, fair, *flows)
    return with_half(found.median), _nine_of_ten(found), with_half(m.estimate(variant, fair, *flows))


def _nine_of_ten(found: Readings) -> str:
    low, high = found.quantile(0.05).mean, found.quantile(0.95).mean
    return f"{low:.2f} to {high:.2f}" if isfinite(low) else "-"


def _sharing(m: Measured, mix: str) -> Section:
    title, ours, others = MIXES[mix]

    def rows() -> Iterator[Row]:
        for queue in QUEUES:
            v = f"share {mix} {queue}"
            cells = (with_half(m.rate(v, *ours)), *([with_half(m.rate(v, *others))] if others else []))
            found = m.readings(v, FAIR, *ours)
            yield (
                queue,
                *cells,
                with_half(m.jain(v, *PP), 3),
                with_half(found.median),
                _nine_of_ten(found),
                with_half(m.queueing(v, *ours), 1),
                with_half(m.drops(v, *ours)),
                with_half(m.busy(v, "slow"), 3),
            )

    return Section(
        f"{title} on a line of 10 packets/s",
        (
            "queue",
            "pp, packets/s each",
            *(("others",) if others else ()),
            "Jain",
            "probe / fair",
            "nine of ten",
            "queueing (s)",
            "pp lost/s",
            "busy",
        ),
        tuple(rows()),
        "probe / fair: median rate that a pair reads, over the fair 2.5 packets/s; 4 is the line. ±: 95 % over the runs.",
    )


def _quantum(m: Measured) -> Section:
    rows = []
    for q in ("1", "2", "3", "4", "5", "6", "7", "8", "fcfs"):
        v = f"quantum {q}"
        found = m.readings(v, FAIR, *PP)
        due = f"{1 - 1 / int(q):.2f}" if q != "fcfs" else "1"
        rows.append(
            (
                q,
                due,
                with_half(found.closer_than(1.05 / LINE)),
                *_probe(m, v, FAIR, *PP),
                with_half(m.jain(v, *PP), 4),
                with_half(m.queueing(v, *PP), 1),
            )
        )
    return Section(
        "DRR: 4 pp_cth, quantum in packets",
        (
            "quantum",
            "predicted",
            "read the line",
            "probe / fair",
            "nine of ten",
            "estimate / fair",
            "Jain",
            "queueing (s)",
        ),
        tuple(rows),
        "read the line: part of the pairs whose acknowledgements came a packet's time apart. The buffer holds all windows.",
    )


def _overflow(m: Measured) -> Section:
    rows = []
    for buffer in ("60", "120", "240", "1000"):
        found = (with_half(m.drops(f"overflow {q} {buffer}", *PP)) for q in ("random_drop", "fcfs"))
        jain = (with_half(m.jain(f"overflow {q} {buffer}", *PP), 3) for q in ("random_drop", "fcfs"))
        rows.append((buffer, f"{line_loss(float(buffer)):.2f}", f"{loss(float(buffer)):.2f}", *found, *jain))
    return Section(
        "4 pp_cth in one queue: packets lost per second",
        ("buffer", "first theory", "corrected", "random_drop", "fcfs", "Jain: random_drop", "Jain: fcfs"),
        tuple(rows),
        "First theory: each source holds its window W. Corrected: four hold 16 W, because each reads four times its rate.",
    )


def _path(m: Measured) -> Section:
    rows = []
    for cross in ("poisson", "bursts"):
        for place in PLACES:
            v = f"path {cross} {place}"
            flows = ("source1", "source2")
            rows.append(
                (
                    cross,
                    place,
                    *_probe(m, v, LINE / 2, *flows),
                    with_half(m.rate(v, *flows)),
                    with_half(m.queueing(v, *flows), 2),
                    with_half(m.drops(v, *flows)),
                )
            )
    return Section(
        "2 pp_cth on a path of three gateways, one of them FCFS",
        (
            "cross",
            "FCFS gateway",
            "probe / fair",
            "nine of ten",
            "estimate / fair",
            "packets/s",
            "queueing (s)",
            "lost/s",
        ),
        tuple(rows),
        "Fair: 5 packets/s. The gateways before and after the bottleneck are half loaded by cross traffic.",
    )


def _two_way(m: Measured) -> Section:
    rows = []
    for traffic, window in (("one-way", "none"), ("both", "none"), ("both", "40")):
        for queue in ("fq", "fcfs"):
            v, flows = f"two-way {traffic} {window} {queue}", ("east1", "east2")
            used = BOTH_WAYS if traffic == "both" else flows
            least = _least(m, v, *used)
            rows.append(
                (
                    traffic,
                    window,
                    queue,
                    *_probe(m, v, LINE / 2, *flows),
                    with_half(bunched(m, v), 3),
                    with_half(m.rate(v, *used)),
                    with_half(least),
                    with_half(m.drops(v, *used)),
                )
            )
    return Section(
        "2 pp_cth each way over one line",
        (
            "data",
            "window",
            "queue",
            "probe / fair",
            "nine of ten",
            "estimate / fair",
            "above the line",
            "packets/s each",
            "least",
            "lost/s",
        ),
        tuple(rows),
        "above the line: part of the pairs that read more than the line can carry. Least: the source that gets least.",
    )


def _least(m: Measured, variant: str, *flows: str) -> Mean:
    return m.mean(variant, lambda run: float(rates(run, *flows).min()))


def _short(m: Measured) -> Section:
    rows = []
    for queue in ("fq", "fcfs"):
        for control in ("pp_cth", "jk_reno", "generic"):
            v = f"short random {control} {queue}"
            times = (with_half(mean_completion(m, control, queue, size)) for size in SIZES)
            rows.append(
                (queue, control, *times, with_half(m.queueing(v, "long1", "long2")), with_half(m.busy(v, "slow")))
            )
    return Section(
        "completion time (s) of short transfers beside two endless ones",
        ("queue", "control", *(f"{s} packets" for s in SIZES), "endless: queueing (s)", "busy"),
        tuple(rows),
        f"From the first packet to the last acknowledgement; the round trip is {SHORT_ROUND_TRIP} s, the line 100 packets/s.",
    )


def _starts(m: Measured) -> Section:
    rows = []
    windows = line_windows() / line_windows().sum()
    for how in ("apart", "random"):
        for queue in ("fq", "fcfs"):
            v = f"starts {how} {queue}"
            shares = late_shares(m, v)
            means = (f"{x:.2f}" for x in shares.mean(axis=0))
            settle = (
                ", ".join(f"{settling(m, v, k).mean:.0f}" for k in (1, 2, 3))
                if how == "apart" and queue == "fq"
                else "-"
            )
            rows.append((how, queue, *means, settle, with_half(m.queueing(v, *PP), 1)))
    rows.append(("apart", "fcfs, predicted", *(f"{x:.2f}" for x in windows), "-", "-"))
    return Section(
        "4 pp_cth that start at different times: shares after 400 s, in the order of their starts",
        ("starts", "queue", "first", "second", "third", "last", "settling (s)", "queueing (s)"),
        tuple(rows),
        "apart: 100 s; random: within 300 s. Settling of the newcomers, in steps of 10 s.",
    )


def _newcomers(m: Measured) -> Section:
    due = outstanding(NEWCOMERS_R, 3)
    shares, delay = due / due.sum(), due.sum() / LINE - NEWCOMERS_R
    rows: list[Row] = [("fcfs, predicted", *(f"{x:.2f}" for x in shares), f"{delay:.1f}")]
    for queue in ("fq", "fcfs"):
        v = f"newcomers short {queue}"
        got = shares_between(m, v, PP[:3], (300.0, 600.0))
        rows.append(
            (queue, *(f"{x:.2f}" for x in got), with_half(m.mean(v, lambda run: late_queueing(run, PP[:3])), 1))
        )
    return Section(
        "3 pp_cth that start 100 s apart, round trip .21 s, buffer of 1000: after 300 s",
        ("queue", "first", "second", "third", "queueing (s)"),
        tuple(rows),
        "Over FCFS shares go as the square roots of the windows, and each newcomer nearly quadruples the queue.",
    )


def _bursts(m: Measured) -> Section:
    rows = []
    for length in ("1 s", "20 s"):
        for queue in ("fq", "fcfs"):
            for control in ("pp_cth", "jk_reno"):
                v, flows = f"bursts {length} {control} {queue}", PP[:3]
                rows.append(
                    (
                        length,
                        queue,
                        control,
                        with_half(m.rate(v, *flows)),
                        with_half(m.jain(v, *flows), 3),
                        with_half(m.rate(v, "bursts")),
                        with_half(m.queueing(v, *flows), 1),
                        with_half(m.drops(v, *flows)),
                        with_half(m.busy(v, "slow"), 3),
                    )
                )
    return Section(
        "3 sources beside bursts at the line's rate, a quarter of the time",
        ("bursts", "queue", "control", "packets/s each", "Jain", "bursts' packets/s", "queueing (s)", "lost/s", "busy"),
        tuple(rows),
        "Mean lengths of the bursts; the bursts offer 2.5 packets/s.",
    )
