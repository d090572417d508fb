"""The list of metrics, one line each. Tables, summaries, studies, figures and judges are views of it; README.md says how to add one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from .. import _core
from .fairness import of_ideal

#: Stands for the length of the time measured where a ratio names columns.
SECONDS = "seconds"

#: Units; a pure number has none.
UNITS = ("", "s", "bit/s", "bit/s²", "packets/s", "packets", "bytes", "1/min")

#: How the values of several flows, ports or runs become one.
OVER = ("total", "mean", "least", "most", "jain")


@dataclass(frozen=True)
class Ratio:
    """A ratio of sums of columns, with a factor: of a row, and of the sums over several rows, flows, intervals or runs.

    >>> float(Ratio(("drops", "lost"), ("sent",))({"drops": 3, "lost": 1, "sent": 16}))
    0.25

    Attributes:
        top: columns that are added up; one that begins with `-` is subtracted.
        bottom: the same.
        factor: what the sum of `top` is multiplied by.
    """

    top: tuple[str, ...]
    bottom: tuple[str, ...] = (SECONDS,)
    factor: float = 1.0

    def __call__(self, columns: Mapping[str, Any]) -> Any:
        """The ratio from columns, numbers or arrays of one shape; nan where nothing is divided by nothing."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.true_divide(*self.parts(columns))

    def parts(self, columns: Mapping[str, Any]) -> tuple[Any, Any]:
        """What is divided, and by what."""
        top = added(self.top, columns)
        return (top if self.factor == 1 else self.factor * top), added(self.bottom, columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it takes."""
        return tuple(name.removeprefix("-") for name in (*self.top, *self.bottom) if name != SECONDS)


def added(names: Iterable[str], columns: Mapping[str, Any]) -> Any:
    """The sum of columns with their signs.

    >>> added(("received", "-retransmissions"), {"received": 5, "retransmissions": 2})
    3
    """
    first, *rest = names
    total = columns["end_s"] - columns["start_s"] if first == SECONDS else columns[first]
    for name in rest:
        total = total - columns[name[1:]] if name.startswith("-") else total + columns[name]
    return total


@dataclass(frozen=True)
class MetricLine:
    """A metric. Of the engine's columns unit, kind and meaning are the engine's.

    Attributes:
        name: no other metric has it. It is the short name of its column, where that is another.
        heading: in tables, without the unit. Several may have the same one: where both are shown, the unit tells them apart.
        better: `more`, `less`, or `neither`.
        unit: one of `UNITS`; None: that of the column.
        help: what it means, one sentence; None: that of the column.
        of: how it follows from columns of the table of flows, and so from their sums; None if it is counted or has a function of its own.
        column: of a table; its name unless given. None if no table has it.
        table: that the column is in, `flows` unless given; others may have one of that name, too.
        over: how the values of several flows are combined, one of `OVER`; empty for that of the column.
        whose: `flow` if it is good for the flow that it is measured of, `all` if it is one number of all.
        rank: in a narrow terminal columns of the highest rank are left out first, and those of rank 0 never.
        share: whether it is a part of a whole, from 0 to 1, which tables show in per cent.
        rare: whether `run` shows it only where it is not zero for all.
        std: the column with its standard deviation over intervals, where the table of intervals has no such column.
        words: in sentences, where its name does not say it.
        run: whether the tables of `run` show it.
        sweep: whether the summary of a study has it; `json` if the terminal does not show it.
        matrix: whether it is a measure of the matrix.
        referee: what the referee calls it; its name unless given, and empty if the referee has no such metric.
        traces: that a run has to record for the referee.
        whole: whether a function of the referee counts it over all that comes after the warm-up, and not over a part of it. Of all other
            metrics that follows from the tables: a part is told of by the counts that intervals have.
        level: whether the referee asks for the value of a gauge.
        limit: the value from which on it is broken, for attacks; None if it is no objective of them by itself.
        ideal: whether it needs the max-min ideal, which a run by itself does not know.
    """

    name: str
    heading: str
    better: str
    unit: str | None = None
    help: str | None = None
    of: Callable[[Mapping[str, Any]], Any] | None = None
    column: str | None = ""
    table: str = "flows"
    over: str = ""
    whose: str = "flow"
    rank: int = 9
    share: bool = False
    rare: bool = False
    std: str = ""
    words: str = ""
    run: bool = True
    sweep: bool | Literal["json"] = True
    matrix: bool = True
    referee: str | None = None
    traces: tuple[str, ...] = ()
    whole: bool = False
    level: bool = False
    limit: float | None = None
    ideal: bool = False

    def __post_init__(self) -> None:
        if self.column == "":
            object.__setattr__(self, "column", self.name)
        if self.referee is None:
            object.__setattr__(self, "referee", self.name)


#: What the goodput is: bits that arrived for the first time, over the time measured. It is the engine's definition.
GOODPUT = Ratio((_core.GOODPUT[0],), factor=_core.GOODPUT[1])

#: Packets that were dropped, or lost by a wire, of those sent.
LOSS = Ratio(("drops", "lost"), ("sent",))


def power(goodput: Any, delay: Any) -> Any:
    """Goodput over mean one-way delay, in bit/s²; 0 where nothing arrived.

    Source: Giessler et al. 1978 and Kleinrock 1979: throughput over delay. Their delay is the response time; here it is the one-way delay,
    which flows without acknowledgements have, too.

    >>> power(np.array([2e6, 0.0]), np.array([0.05, np.nan])).tolist()
    [40000000.0, 0.0]
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(goodput > 0, goodput / delay, 0.0), dtype=np.float64)


#: Of tables alone: no judge asks for it.
_column = partial(MetricLine, run=False, sweep=False, matrix=False, referee="")

#: That the tables of `run` show, too.
_shown = partial(_column, run=True)

#: That the summaries of studies have, too.
_summed = partial(_shown, sweep=True)

#: Of the referee alone, which has a function for it.
_judged = partial(MetricLine, column=None, run=False, sweep=False, matrix=False)

_WINDOW, _GAUGE, _IN_FLIGHT = ("window",), ("estimates",), ("in_flight",)

#: All metrics. The tables, the names that messages list and the page of the referee have them in this order.
METRICS: tuple[MetricLine, ...] = (
    # How much, and how it is shared.
    _shown("utilisation", "utilisation", "more", None, "What all flows, or those of `of`, delivered over what the line can carry.",
           table="links", whose="all", rank=0, share=True, std="utilisation_std", matrix=True, referee="utilisation"),
    _shown("goodput_pps", "goodput", "more", "packets/s", "Packets that reached the sink for the first time, per second.",
           Ratio(("unique",)), over="total"),
    _summed("goodput", "goodput", "more", "bit/s", "New data that arrived, over the time.", GOODPUT, "goodput_bps",
            over="total", rank=0, matrix=True, referee="goodput"),
    _column("goodput_of_weight_bps", "goodput of weight", "more", "bit/s", "Goodput over the flow's weight, as a weighted fair share is.",
            lambda t: GOODPUT(t) / t["weight"], over="mean", words="goodput over weight"),
    _column("throughput", "throughput", "more", "packets/s", "Packets received less retransmissions, per second: REAL's measure.",
            Ratio(("received", "-retransmissions")), "throughput_pps", over="total"),
    _shown("max_min_bps", "max-min", "neither", "bit/s", "Weighted max-min fair allocation, given the network and the demands.",
           lambda t: t["max_min_bps"], over="total", rank=2, words="max-min ideal", ideal=True),
    _column("goodput_of_max_min", "goodput of max-min", "more", "", "Goodput over that allocation.",
            lambda t: of_ideal(GOODPUT(t), t["max_min_bps"]), over="mean", words="goodput over its max-min ideal", ideal=True),
    _judged("share", "share", "neither", "", "The goodput of these flows over that of all."),
    _summed("jain_of_max_min", "Jain of max-min", "more", "", "Jain's index of goodput over its max-min ideal.",
            column="goodput_of_max_min", over="jain", whose="all", rank=3, run=False),
    _summed("jain_of_weights", "Jain of weights", "more", "", "Jain's index of goodput over weight.",
            column="goodput_of_weight_bps", over="jain", whose="all", run=False, sweep="json"),
    _summed("jain", "Jain", "more", "", "Jain's index of the goodputs of these flows: 1 if they are equal.",
            column="goodput_bps", over="jain", whose="all", run=False, sweep="json", referee="jain"),
    _judged("least_share", "least share", "more", "", "The least goodput of these flows over their mean.", whose="all"),
    _judged("evenness", "evenness", "more", "", "The least goodput of these flows over the greatest.", whose="all"),
    # Delays.
    _column("delay", "delay", "less", column="owd_mean_s"),
    _column("p50_delay", "delay p50", "less", column="owd_p50_s", matrix=True),
    _column("p95_delay", "delay p95", "less", column="owd_p95_s", matrix=True),
    _column("p99_delay", "delay p99", "less", column="owd_p99_s", matrix=True),
    _summed("rtt", "rtt", "less", column="rtt_mean_s", rank=6),
    _column("p50_rtt", "rtt p50", "less", column="rtt_p50_s"),
    _column("p95_rtt", "rtt p95", "less", column="rtt_p95_s"),
    _column("p99_rtt", "rtt p99", "less", column="rtt_p99_s", rank=8, sweep=True),
    _column("power", "power", "more", "bit/s²", "Goodput over the mean one-way delay.",
            lambda t: power(GOODPUT(t), t["owd_mean_s"]), over="total", matrix=True, referee="power"),
    _column("rtt_std_s", "rtt deviation", "less"),
    _column("rtt_min_s", "least rtt", "less"),
    _column("rtt_max_s", "greatest rtt", "less"),
    _column("rtt_count", "rtts measured", "neither"),
    _summed("queueing", "queueing", "less", None, "Mean time in queues, of the packets that arrived.",
            column="queueing_mean_s", rank=3, std="queueing_std_s", referee="queueing_mean"),
    _column("queueing_std_s", "queueing deviation", "less", table="links"),
    _judged("queueing_p50", "queueing p50", "less", "s", "Median of the time in queues, over the whole measured time.", whole=True),
    _judged("queueing_p95", "queueing p95", "less", "s", "95 % quantile of the time in queues, over the whole measured time.", whole=True),
    _judged("queueing_p99", "queueing p99", "less", "s", "99 % quantile of the time in queues, over the whole measured time.", whole=True),
    _judged("queueing_most", "longest queueing", "less", "s", "The greatest mean wait of an interval."),
    # Packets, and what became of them.
    _judged("loss", "loss", "less", "", "Packets dropped or lost over packets sent.", LOSS, share=True, matrix=True),
    _judged("loss_ratio", "loss ratio", "neither", "", "The loss of these flows over that of all others."),
    _shown("drops", "drops", "less", rank=4, sweep=True),
    _shown("drops_full", "drops full", "less", table="links", rank=4),
    _shown("drops_evicted", "drops evicted", "less", table="links", rank=4),
    _shown("drops_early", "drops early", "less", table="links", rank=4),
    _shown("lost", "lost on wire", "less", rank=4, rare=True),
    _summed("retransmissions", "retrans.", "less", rank=7),
    _judged("retransmitted", "retransmitted", "less", "", "Packets sent again over packets sent.",
            Ratio(("retransmissions",), ("sent",)), share=True, referee="retransmissions"),
    _shown("timeouts", "timeouts", "less", None, "Retransmission timeouts.", rank=10, referee="timeouts"),
    _shown("marks", "marks", "neither", rank=7),
    _judged("marked", "marked", "neither", "", "Packets marked over packets sent.",
            Ratio(("marks",), ("sent",)), share=True, referee="marks"),
    _shown("duplicated", "duplicated", "less", table="links", rank=7, rare=True),
    _column("sent", "sent", "neither", None, "Packets sent.", referee="sent"),
    _judged("sent_most", "most sent", "neither", "packets", "The most packets sent in an interval."),
    _column("received", "received", "neither"),
    _column("received_bytes", "received", "neither"),
    _column("unique", "unique", "more"),
    _column("unique_bytes", "unique", "more"),
    _column("offered", "offered", "neither", table="links"),
    _column("sent_bytes", "sent", "neither", table="links"),
    # Over time.
    _judged("stall", "stall", "less", "s", "The longest time in which nothing new arrived, in whole intervals."),
    _judged("recovery", "recovery", "less", "s", "Time until five intervals carry `part` of what the line can; the whole time if never."),
    _judged("settling", "settling", "less", "s", "Time until the share of these flows stays within a fifth of its final value."),
    _judged("variation", "variation", "less", "", "Standard deviation of the goodput of seconds over its mean."),
    _judged("rise_most", "steepest rise", "neither", "", "The greatest growth of the rate from an interval to the next, over its mean."),
    _judged("fall_most", "steepest fall", "less", "", "The greatest fall of the rate from an interval to the next, over its mean."),
    # Transfers.
    _shown("fct_mean_s", "time mean", "less", None, "Mean completion time of the transfers.",
           table="classes", rank=1, referee="completion", whole=True),
    _shown("fct_p50_s", "time p50", "less", table="classes", rank=1),
    _shown("fct_p95_s", "time p95", "less", table="classes", rank=1),
    _shown("fct_p99_s", "time p99", "less", None, "99 % quantile of the completion times.",
           table="classes", rank=1, referee="completion_p99", whole=True),
    _column("fct_std_s", "time deviation", "less", table="classes"),
    _column("fct_max_s", "time max", "less", table="classes"),
    _column("flows", "flows", "neither", table="classes"),
    _shown("slowdown_mean", "slowdown mean", "less", None, "Mean of completion time over the least possible one.",
           table="classes", rank=3, referee="slowdown", whole=True),
    _column("slowdown_p50", "slowdown p50", "less"),
    _column("slowdown_p95", "slowdown p95", "less", table="classes"),
    _shown("slowdown_p99", "slowdown p99", "less", table="classes", rank=3),
    _shown("fct_goodput_bps", "goodput", "more", table="classes", rank=5),
    _shown("started", "started", "neither", table="classes", rank=4),
    _shown("finished", "finished", "more", table="classes", rank=2),
    _judged("completed", "completed", "more", "", "Transfers that were completed over those that began.",
            Ratio(("finished",), ("started",)), share=True, referee="finished"),
    _column("unfinished", "unfinished", "less", table="classes"),
    _judged("rtt_mean", "rtt", "less", "s", "Mean round-trip time that the sources measured.", whole=True),
    _judged("trips", "trips", "more", "1/min", "Round trips a minute, of those that the sources measured.", whole=True),
    # Queues.
    _shown("backlog_max", "max backlog", "less", None, "The most packets that waited at the line.",
           table="links", rank=8, referee="backlog_most"),
    _shown("backlog", "backlog", "less", None, "Packets waiting at the line, averaged over time.",
           column="backlog_mean", table="links", rank=6, std="backlog_std", referee="backlog_mean"),
    _column("backlog_std", "backlog deviation", "less", table="links"),
    _column("utilisation_std", "utilisation deviation", "less", table="links"),
    # Runs, and their tables.
    _column("events", "events", "neither", "", "Events of the run.", table="runs", over="total"),
    _column("cpu_s", "processor time", "less", "s", "Processor time of the run.", table="times", over="mean",
            words="processor time of the run"),
    _column("intervals", "intervals", "neither", table="links"),
    _column("start_s", "start", "neither"),
    _column("end_s", "end", "neither"),
    # Replays of traces.
    _column("throughput_bps", "throughput", "more", table="replay-summary"),
    _column("loaded_bps", "throughput", "more", table="replay-summary"),
    _column("arrivals_s", "arrivals", "neither", table="replay-summary"),
    _column("packets", "packets", "neither", table="replay-summary"),
    _column("bytes", "bytes", "neither", table="replay-summary"),
    _column("span_s", "span", "neither", table="replay-summary"),
    _column("rate_bps", "rate", "neither", table="replay-summary"),
    _column("delay_mean_s", "delay", "less", table="replay-summary"),
    _column("delay_p50_s", "delay p50", "less", table="replay-summary"),
    _column("delay_p95_s", "delay p95", "less", table="replay-summary"),
    _column("delay_p99_s", "delay p99", "less", table="replay-summary"),
    _column("delay_max_s", "delay max", "less", table="replay-summary"),
    _column("replay_jain_of_max_min", "Jain of max-min", "more", "",
            "Jain's index of the flows' throughputs over the weighted max-min ideal of their offered load.",
            column="jain_of_max_min", table="replay-summary", over="mean", whose="all"),
    _column("replay_jain", "Jain", "more", "", "Jain's index of the flows' throughputs over their weights.",
            column="jain", table="replay-summary", over="mean", whose="all"),
    _column("sparse_packets", "sparse packets", "neither", "packets",
            "Packets of sparse flows, which ask for no more than their fair share; of all flows where none is sparse.",
            table="replay-summary", over="total"),
    _column("sparse_drops", "sparse drops", "less", "packets", "Packets of sparse flows that were dropped.",
            table="replay-summary", over="total"),
    _column("sparse_delay_s", "sparse", "less", "s", "Mean queueing delay of the packets of sparse flows that were sent.",
            table="replay-summary", over="mean"),
    # Traces, of the first flow of a case.
    _judged("window_most", "greatest window", "neither", "packets", "The greatest window of the first flow.", traces=_WINDOW),
    _judged("window_least", "least window", "neither", "packets", "The least window of the first flow.", traces=_WINDOW),
    _judged("window_mean", "mean window", "neither", "packets", "The window of the first flow, averaged over time.", traces=_WINDOW),
    _judged("window_last", "last window", "neither", "packets", "The window of the first flow at the end of the time.", traces=_WINDOW),
    _judged("gauge_most", "greatest value", "neither", "", "The greatest value of a gauge of the first flow.", traces=_GAUGE),
    _judged("gauge_least", "least value", "neither", "", "The least value of a gauge.", traces=_GAUGE),
    _judged("gauge_mean", "mean value", "neither", "", "A gauge, averaged over time.", traces=_GAUGE),
    _judged("gauge_last", "last value", "neither", "", "A gauge at the end of the time.", traces=_GAUGE),
    _judged("gauge_share", "time at level", "neither", "", "Share of the time in which a gauge is at `level`.", traces=_GAUGE, level=True),
    _judged("gauge_entries", "entries", "neither", "", "How often a gauge came to `level`, from `after` if given.",
            traces=_GAUGE, level=True),
    _judged("gauge_first", "first at level", "less", "s", "Time until a gauge is at `level`; the whole time if never.",
            traces=_GAUGE, level=True),
    _judged("gauge_stay", "longest stay", "neither", "s", "The longest time that a gauge stayed at `level`.", traces=_GAUGE, level=True),
    _judged("gauge_stay_least", "shortest stay", "neither", "s", "The shortest complete stay at `level`.", traces=_GAUGE, level=True),
    _judged("in_flight_last", "last in flight", "less", "packets", "Packets sent and not acknowledged at the end of the time.",
            traces=_IN_FLIGHT),
    _judged("in_flight_most", "most in flight", "less", "packets", "The most packets sent and not acknowledged.", traces=_IN_FLIGHT),
    _judged("gauge_changes", "changes", "neither", "", "How often a gauge changed.", traces=_GAUGE),
)  # fmt: skip

#: The metrics by their names.
BY_NAME: dict[str, MetricLine] = {m.name: m for m in METRICS}

#: Of each column the metric that it holds, which has its heading and the like.
OF_COLUMN: dict[str, MetricLine] = {m.column: m for m in METRICS if m.column and m.over != "jain"}
