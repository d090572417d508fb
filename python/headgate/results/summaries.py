"""Summaries of flows and ports: the columns they are made of, and how intervals and replications are combined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from .. import _core
from ..analysis import power, utility
from ..stats import Mean, mean_of, ratio_of
from ..stats.means import finite
from .columns import ColumnInfo, columns, shown


class MadeOf(NamedTuple):
    """The source of an entry of a summary.

    Attributes:
        column: the column, or several by their keys.
        heading: in the terminal, without the unit; of several, one for each. Not shown there if it is empty.
        std: the column with the standard deviation over the intervals, where the table of intervals does not have the column itself.
        percent: whether it is a share, shown in per cent.
        rare: whether the terminal shows it only where it is not zero for all.
        rank: a narrow terminal leaves out first the columns of the highest rank; those of rank 0 are never left out.
    """

    column: str | dict[str, str]
    heading: str | tuple[str, ...] = ""
    std: str = ""
    percent: bool = False
    rare: bool = False
    rank: int = 0

    def __repr__(self) -> str:
        """The text of the reference for an entry."""
        return ", ".join(map(repr, [self.column] if isinstance(self.column, str) else self.column.values()))


@dataclass(frozen=True)
class FlowSummary:
    """One flow after the warm-up.

    Means are over the intervals of a single run (REAL's method), or over the replications if there are several; delays are means over
    packets, and an interval counts by how many it has. Goodput counts packets that reached the sink for the first time; throughput is
    REAL's: packets received less retransmissions.
    Counts are totals of all runs.
    """

    flow: Annotated[str, MadeOf("flow", "flow")]
    control: Annotated[str, MadeOf("control", "control", rank=5)]
    workload: Annotated[str, MadeOf("workload", "workload", rank=8)]
    goodput_pps: Annotated[Mean, MadeOf("goodput_pps", "goodput", rank=9)]
    goodput_bps: Annotated[Mean, MadeOf("goodput_bps", "goodput")]
    throughput_pps: Annotated[Mean, MadeOf("throughput_pps")]
    max_min_bps: Annotated[float, MadeOf("max_min_bps", "max-min", rank=2)]
    rtt_s: Annotated[Mean, MadeOf("rtt_mean_s", "rtt", rank=6)]
    rtt_quantiles_s: Annotated[dict[str, float], MadeOf({"p50": "rtt_p50_s", "p95": "rtt_p95_s", "p99": "rtt_p99_s"})]
    owd_s: Annotated[Mean, MadeOf("owd_mean_s")]
    owd_quantiles_s: Annotated[dict[str, float], MadeOf({"p50": "owd_p50_s", "p95": "owd_p95_s", "p99": "owd_p99_s"})]
    queueing_s: Annotated[Mean, MadeOf("queueing_mean_s", "queueing", rank=3)]
    sent: Annotated[int, MadeOf("sent")]
    received: Annotated[int, MadeOf("received")]
    drops: Annotated[int, MadeOf("drops", "drops", rank=4)]
    lost: Annotated[int, MadeOf("lost", "lost", rare=True, rank=4)]
    retransmissions: Annotated[int, MadeOf("retransmissions", "retrans.", rank=7)]
    timeouts: Annotated[int, MadeOf("timeouts", "timeouts", rank=10)]
    marks: Annotated[int, MadeOf("marks", "marks", rank=7)]

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data."""
        out = _plain(self)
        mean_rtt, pps = self.rtt_s.mean, self.goodput_pps.mean
        out["utility"] = {str(a): finite(utility(pps, mean_rtt, a)) for a in (0.1, 0.5, 0.9)}
        out["power"] = finite(power(pps, mean_rtt))
        return out


@dataclass(frozen=True)
class LinkSummary:
    """One port after the warm-up; means as for flows, counts are totals of all runs."""

    link: Annotated[str, MadeOf("link", "port")]
    queue: Annotated[str, MadeOf("queue", "queue", rank=4)]
    utilisation: Annotated[Mean, MadeOf("utilisation", "utilisation", "utilisation_std", percent=True)]
    backlog: Annotated[Mean, MadeOf("backlog_mean", "backlog", "backlog_std", rank=5)]
    backlog_max: Annotated[int, MadeOf("backlog_max", "backlog most", rank=7)]
    queueing_s: Annotated[Mean, MadeOf("queueing_mean_s", "queueing", "queueing_std_s", rank=2)]
    drops: Annotated[
        dict[str, int],
        MadeOf(
            {kind: f"drops_{kind}" for kind in _core.DROP_KINDS},
            tuple(f"drops {kind}" for kind in _core.DROP_KINDS),
            rank=3,
        ),
    ]
    marks: Annotated[int, MadeOf("marks", "marks", rank=6)]
    lost: Annotated[int, MadeOf("lost", "lost", rare=True, rank=3)]
    duplicated: Annotated[int, MadeOf("duplicated", "twice", rare=True, rank=6)]

    @property
    def dropped(self) -> int:
        """Packets dropped, for whatever reason."""
        return sum(self.drops.values())

    @property
    def active(self) -> bool:
        """Whether packets came to the port: it sent, held, marked, lost or dropped some."""
        return self.utilisation.mean > 0 or self.backlog_max > 0 or self.marks > 0 or self.lost > 0 or self.dropped > 0

    @property
    def blocked(self) -> bool:
        """Whether packets came to the port and it sent none."""
        return self.active and not self.utilisation.mean > 0

    @property
    def holds(self) -> bool:
        """Whether it dropped, lost or marked packets, or made them wait: what happens to flows happens there, however little it is used."""
        return self.blocked or self.lost > 0 or self.marks > 0 or self.dropped > 0 or self.backlog.mean >= 1

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data."""
        return _plain(self)


@dataclass(frozen=True)
class ClassSummary:
    """The transfers of one class that began after the warm-up; counts are totals of all runs, times are means over them.

    A completion time runs from when the source has the transfer until the sink has all of it; the slowdown is that over the least
    possible time.
    """

    name: Annotated[str, MadeOf("class", "class")]
    flows: Annotated[int, MadeOf("flows")]
    started: Annotated[int, MadeOf("started", "started", rank=4)]
    finished: Annotated[int, MadeOf("finished", "finished", rank=2)]
    fct_s: Annotated[
        dict[str, float],
        MadeOf(
            {"mean": "fct_mean_s", "p50": "fct_p50_s", "p95": "fct_p95_s", "p99": "fct_p99_s"},
            ("time mean", "time p50", "time p95", "time p99"),
            rank=1,
        ),
    ]
    slowdown: Annotated[
        dict[str, float],
        MadeOf(
            {"mean": "slowdown_mean", "p50": "slowdown_p50", "p95": "slowdown_p95", "p99": "slowdown_p99"},
            ("slowdown mean", "", "", "slowdown p99"),
            rank=3,
        ),
    ]
    goodput_bps: Annotated[float, MadeOf("fct_goodput_bps", "goodput", rank=5)]

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data."""
        plain = _plain(self)
        return {"class": plain.pop("name"), **plain}


AnySummary = FlowSummary | LinkSummary | ClassSummary
Summary = TypeVar("Summary", FlowSummary, LinkSummary, ClassSummary)

#: The tables that summaries are made of.
TABLE_OF: dict[type[AnySummary], str] = {FlowSummary: "flows", LinkSummary: "links", ClassSummary: "classes"}


def _plain(summary: AnySummary) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name, value in vars(summary).items():
        if isinstance(value, Mean):
            out[name] = value.to_dict()
        elif isinstance(value, dict):
            out[name] = {k: finite(v) if isinstance(v, float) else v for k, v in value.items()}
        else:
            out[name] = finite(value) if isinstance(value, float) else value
    return out


def entries(summary: type[AnySummary]) -> list[tuple[str, bool, MadeOf]]:
    """The names of a summary's entries, whether they are means, and their sources."""
    found = ((name, *get_args(hint)) for name, hint in get_type_hints(summary, include_extras=True).items())
    return [(name, kind is Mean, entry) for name, kind, entry in found]


def summaries(
    summary: type[Summary],
    table: str,
    totals: Mapping[str, Any],
    intervals: Mapping[str, Any] | None = None,
    chosen: Sequence[int] | None = None,
    exact: bool = False,
) -> list[Summary]:
    """The summary of every object of a table, or of some of them.

    Args:
        summary: its class.
        table: the name of the table.
        totals: its columns as arrays of shape (runs, objects).
        intervals: those of the measured intervals as arrays of shape (runs, intervals, objects).
        chosen: the positions of those that are wanted; all unless given.
        exact: whether the runs are equal, so that means over them have no interval.
    """
    known, values = columns(table), dict[str, list[Any]]()
    count = next(iter(totals.values())).shape[1]
    objects = range(count) if chosen is None else chosen
    # Entry by entry, not object by object: of the intervals, which may be many, the few columns of an entry are in memory at a time.
    for name, of_mean, entry in entries(summary):
        if isinstance(entry.column, dict):
            parts = {k: _numbers(known[c], totals, objects) for k, c in entry.column.items()}
            values[name] = [{k: part[i] for k, part in parts.items()} for i in range(len(objects))]
        elif of_mean:
            values[name] = _means(known[entry.column], entry, totals, intervals, objects, exact)
        else:
            values[name] = _numbers(known[entry.column], totals, objects)
    return [summary(**{name: of[i] for name, of in values.items()}) for i in range(len(objects))]


def _series(column: ColumnInfo, of: Mapping[str, Any]) -> Any:
    return of[column.name] if column.of is None else column.of(of)


def _numbers(column: ColumnInfo, totals: Mapping[str, Any], objects: Iterable[int]) -> list[Any]:
    """One value for all runs, of each object."""
    series = _series(column, totals)
    return [_number(column, series[:, i]) for i in objects]


def _number(column: ColumnInfo, series: Any) -> Any:
    """One value for all runs: counts are added up, measurements are averaged, descriptions are the same in all."""
    if column.kind == "most":
        return series.max().item()
    if column.kind == "total" and column.type == "int":
        return int(series.sum())
    return series[:1].tolist()[0] if (series == series[0]).all() else mean_of(series).mean


def _means(
    column: ColumnInfo,
    entry: MadeOf,
    totals: Mapping[str, Any],
    intervals: Mapping[str, Any] | None,
    objects: Iterable[int],
    exact: bool,
) -> list[Mean]:
    """Of each object the mean over the replications, or over the intervals of a single run."""
    runs = len(next(iter(totals.values())))
    if runs == 1 and intervals is None:
        stated = zip(_series(column, totals)[0], totals[entry.std][0], totals["intervals"][0], strict=True)
        means = [Mean(float(mean), float(std), int(n)) for mean, std, n in stated]
        return [means[i] for i in objects]
    if runs > 1 or intervals is None:
        series = _series(column, totals)
        return [mean_of(series[:, i], exact) for i in objects]
    series = _series(column, intervals)[0]
    if not column.per:
        return [mean_of(series[:, i]) for i in objects]
    # Of all packets of the run: an interval counts by its packets.
    counts, whole = intervals[column.per][0], _series(column, totals)[0]
    return [mean_of_packets(float(whole[i]), series[:, i], counts[:, i]) for i in objects]


def mean_of_packets(whole: float, means: Any, counts: Any) -> Mean:
    """A mean over all packets, with the spread of the means over the packets of intervals."""
    if not math.isfinite(whole):
        return Mean(math.nan, math.nan, 0)
    spread = ratio_of(np.where(counts > 0, means, 0.0) * counts, counts)
    return Mean(whole, spread.std, max(spread.n, 1))


@dataclass(frozen=True)
class Heading:
    """A column of the terminal's table: `path` leads to its value in the summary, `scale` brings `unit` to the heading's."""

    path: tuple[str, ...]
    heading: str
    scale: float
    text: bool
    rare: bool
    rank: int
    unit: str

    def value(self, summary: AnySummary) -> Any:
        """The value in the summary's row."""
        found = getattr(summary, self.path[0])
        return found[self.path[1]] if len(self.path) > 1 else found


def headings(summary: type[AnySummary]) -> list[Heading]:
    """The columns of the terminal's table."""
    known = columns(TABLE_OF[summary])
    out = []
    for name, _, entry in entries(summary):
        several = isinstance(entry.column, dict)
        named = list(entry.column.items()) if isinstance(entry.column, dict) else [("", entry.column)]
        texts = entry.heading if isinstance(entry.heading, tuple) else (entry.heading,) * len(named)
        for (key, of), text in zip(named, texts, strict=True):
            column = known[of]
            scale, unit = (100.0, "%") if entry.percent else shown(column.unit)
            # The heading of a count names what is counted.
            heading = text if column.type == "int" or not unit else f"{text} {unit}"
            if text:
                path, words = (name, key) if several else (name,), column.type == "name"
                out.append(Heading(path, heading, scale, words, entry.rare, entry.rank, column.unit))
    return out
