"""Summaries of flows and ports: the columns they are made of, and how intervals and replications are combined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from .. import _core
from ..analysis import power, utility
from ..stats import Mean, mean_of, ratio_of
from ..stats.means import finite
from .columns import ColumnInfo, columns, shown
from .metrics import METRICS, OF_COLUMN, MetricLine, Ratio


class MadeOf(NamedTuple):
    """The source of an entry of a summary. Of a metric the list of metrics says how the terminal shows it.

    Attributes:
        column: the column, or several by their keys.
        heading: in the terminal, of a name; a metric has its own.
        rank: of a name, as `MetricLine.rank`.
    """

    column: str | dict[str, str]
    heading: str = ""
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
    Counts are totals of all runs. `more` has the metrics of the list that have no name here, by their columns.
    """

    flow: Annotated[str, MadeOf("flow", "flow")]
    control: Annotated[str, MadeOf("control", "control", rank=5)]
    workload: Annotated[str, MadeOf("workload", "workload", rank=8)]
    goodput_pps: Annotated[Mean, MadeOf("goodput_pps")]
    goodput_bps: Annotated[Mean, MadeOf("goodput_bps")]
    throughput_pps: Annotated[Mean, MadeOf("throughput_pps")]
    max_min_bps: Annotated[float, MadeOf("max_min_bps")]
    rtt_s: Annotated[Mean, MadeOf("rtt_mean_s")]
    rtt_quantiles_s: Annotated[dict[str, float], MadeOf({"p50": "rtt_p50_s", "p95": "rtt_p95_s", "p99": "rtt_p99_s"})]
    owd_s: Annotated[Mean, MadeOf("owd_mean_s")]
    owd_quantiles_s: Annotated[dict[str, float], MadeOf({"p50": "owd_p50_s", "p95": "owd_p95_s", "p99": "owd_p99_s"})]
    queueing_s: Annotated[Mean, MadeOf("queueing_mean_s")]
    sent: Annotated[int, MadeOf("sent")]
    received: Annotated[int, MadeOf("received")]
    drops: Annotated[int, MadeOf("drops")]
    lost: Annotated[int, MadeOf("lost")]
    retransmissions: Annotated[int, MadeOf("retransmissions")]
    timeouts: Annotated[int, MadeOf("timeouts")]
    marks: Annotated[int, MadeOf("marks")]
    more: dict[str, Mean | float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data."""
        out = _plain(self)
        mean_rtt, pps = self.rtt_s.mean, self.goodput_pps.mean
        out["utility"] = {str(a): finite(utility(pps, mean_rtt, a)) for a in (0.1, 0.5, 0.9)}
        out["power"] = finite(power(pps, mean_rtt))
        return out


@dataclass(frozen=True)
class LinkSummary:
    """One port after the warm-up; means, counts and `more` as for flows."""

    link: Annotated[str, MadeOf("link", "port")]
    queue: Annotated[str, MadeOf("queue", "queue", rank=5)]
    utilisation: Annotated[Mean, MadeOf("utilisation")]
    backlog: Annotated[Mean, MadeOf("backlog_mean")]
    backlog_max: Annotated[int, MadeOf("backlog_max")]
    queueing_s: Annotated[Mean, MadeOf("queueing_mean_s")]
    drops: Annotated[dict[str, int], MadeOf({kind: f"drops_{kind}" for kind in _core.DROP_KINDS})]
    marks: Annotated[int, MadeOf("marks")]
    lost: Annotated[int, MadeOf("lost")]
    duplicated: Annotated[int, MadeOf("duplicated")]
    more: dict[str, Mean | float] = field(default_factory=dict)

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
    possible time. `more` is as for flows.
    """

    name: Annotated[str, MadeOf("class", "class")]
    flows: Annotated[int, MadeOf("flows")]
    started: Annotated[int, MadeOf("started")]
    finished: Annotated[int, MadeOf("finished")]
    fct_s: Annotated[dict[str, float], MadeOf({kind: f"fct_{kind}_s" for kind in ("mean", "p50", "p95", "p99")})]
    slowdown: Annotated[dict[str, float], MadeOf({kind: f"slowdown_{kind}" for kind in ("mean", "p50", "p95", "p99")})]
    goodput_bps: Annotated[float, MadeOf("fct_goodput_bps")]
    more: dict[str, Mean | float] = field(default_factory=dict)

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
    for name, value in {**vars(summary), **summary.more}.items():
        if name == "more":
            continue
        if isinstance(value, Mean):
            out[name] = value.to_dict()
        elif isinstance(value, dict):
            out[name] = {k: finite(v) if isinstance(v, float) else v for k, v in value.items()}
        else:
            out[name] = finite(value) if isinstance(value, float) else value
    return out


def entries(summary: type[AnySummary]) -> list[tuple[str, bool, MadeOf]]:
    """The names of a summary's entries, whether they are means, and their sources."""
    hints = get_type_hints(summary, include_extras=True).items()
    return [(name, args[0] is Mean, args[1]) for name, hint in hints if isinstance((args := get_args(hint))[1], MadeOf)]


def more_of(summary: type[AnySummary]) -> list[str]:
    """The columns of metrics that are shown with a summary and have no entry in it."""
    named = {
        c for _, _, e in entries(summary) for c in ([e.column] if isinstance(e.column, str) else e.column.values())
    }
    own = (m for m in METRICS if m.run and m.table == TABLE_OF[summary] and m.over != "jain")
    return [m.column for m in own if m.column and m.column not in named]


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
            values[name] = _means(known[entry.column], totals, intervals, objects, exact)
        else:
            values[name] = _numbers(known[entry.column], totals, objects)
    more = {name: _either(known[name], totals, intervals, objects, exact) for name in more_of(summary)}
    values["more"] = [{name: of[i] for name, of in more.items()} for i in range(len(objects))]
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
    if column.kind == "least":
        return series.min().item()
    if column.kind == "total" and column.type == "int":
        return int(series.sum())
    return series[:1].tolist()[0] if (series == series[0]).all() else mean_of(series).mean


def _either(
    column: ColumnInfo,
    totals: Mapping[str, Any],
    intervals: Mapping[str, Any] | None,
    objects: Iterable[int],
    exact: bool,
) -> list[Any]:
    """A mean with its interval, where one follows from the replications or from the intervals; otherwise one value."""
    counted = column.kind != "mean" and column.type == "int"
    several = len(next(iter(totals.values()))) > 1
    needed = column.of.columns if isinstance(column.of, Ratio) else (column.name,)
    if counted or not (several or (intervals is not None and set(needed) <= columns("intervals").keys())):
        return _numbers(column, totals, objects)
    return _means(column, totals, intervals, objects, exact)


def _means(
    column: ColumnInfo,
    totals: Mapping[str, Any],
    intervals: Mapping[str, Any] | None,
    objects: Iterable[int],
    exact: bool,
) -> list[Mean]:
    """Of each object the mean over the replications, or over the intervals of a single run."""
    runs = len(next(iter(totals.values())))
    if runs == 1 and intervals is None:
        std = OF_COLUMN[column.name].std
        stated = zip(_series(column, totals)[0], totals[std][0], totals["intervals"][0], strict=True)
        means = [Mean(float(mean), float(std), int(n)) for mean, std, n in stated]
        return [means[i] for i in objects]
    if runs > 1 or intervals is None:
        series = _series(column, totals)
        return [mean_of(series[:, i], exact) for i in objects]
    series = _series(column, intervals)[0]
    if not column.per:
        return [mean_of(series[:, i]) for i in objects]
    # Of all packets of the run: an interval counts by its packets.
    counts, whole = column.weights(lambda name: intervals[name][0]), _series(column, totals)[0]
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
    known, out = columns(TABLE_OF[summary]), []
    for name, _, entry in entries(summary):
        several = entry.column if isinstance(entry.column, dict) else {"": entry.column}
        for key, of in several.items():
            path = (name, key) if key else (name,)
            if entry.heading:
                out.append(Heading(path, entry.heading, 1.0, True, False, entry.rank, ""))
            elif (metric := OF_COLUMN.get(of)) and metric.run:
                out.append(_heading(path, metric, known[of]))
    return out + [_heading(("more", of), OF_COLUMN[of], known[of]) for of in more_of(summary)]


def _heading(path: tuple[str, ...], metric: MetricLine, column: ColumnInfo) -> Heading:
    scale, unit = (100.0, "%") if metric.share else shown(column.unit)
    # The heading of a count names what is counted.
    heading = metric.heading if column.type == "int" or not unit else f"{metric.heading} {unit}"
    return Heading(path, heading, scale, False, metric.rare, metric.rank, column.unit)
