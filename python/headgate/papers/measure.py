"""What a run of a paper's scenario gave: the paper's measures, from the intervals table, by REAL's method."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ..results.columns import columns
from ..results.columns import rates as flow_rates
from ..results.metrics import Ratio
from ..results.tables import Column, from_core, numbers
from ..stats import Mean, mean_of
from ..stats.means import pooled
from .model import Measure, PaperError
from .runs.packed import Result

Floats = npt.NDArray[np.float64]
Columns = Mapping[str, Column]


#: The column of each table that has the names of its rows.
_KEYS = {"flows": "flow", "links": "link", "classes": "class"}


def together(metric: Measure, values: Floats, weights: Floats | None = None) -> float:
    """How the values of several rows are combined: by these numbers of packets for a mean over packets."""
    if metric.over == "packets" and weights is not None:
        return float(pooled(values[None], weights[None])[0])
    of: dict[str, Callable[[Floats], Any]] = {
        "mean": np.mean,
        "total": np.sum,
        "least": np.min,
        "most": np.max,
        "deviation": partial(np.std, ddof=1),
    }
    return float(of[metric.over](values))


#: The tables of a run that measures look at.
TABLES = ("intervals", "traces", "gauges", "flows", "links", "routes", "classes")


class Outcome:
    """The interval records of one run, and its traces."""

    def __init__(self, result: Result, zero: float = 0.0) -> None:
        """Keeps what the measures need from a run; times are counted from the second `zero` of it."""
        self.digest = result.digest
        self.seed = result.seed
        self.run = result.run
        self._intervals = from_core(result.table("intervals"))
        self._traces: dict[tuple[str, str], tuple[Floats, Floats]] | None = _by_object(result.table("traces"), zero)
        self._gauges = from_core(result.table("gauges"))
        for table, times in ((self._intervals, ("start_s", "end_s")), (self._gauges, ("end_s",))):
            table |= {name: table[name] - zero for name in times if zero}
        self._tables = {name: from_core(result.table(name)) for name in ("flows", "links", "routes", "classes")}
        self._tables["flows"] = _with_rates(self._tables["flows"])
        # Columns of a run that was kept are parts of all its bytes, traces among them.
        for table in (self._intervals, self._gauges, *self._tables.values()):
            table |= {name: column.copy() for name, column in table.items() if column.base is not None}
        #: What was asked for already: judging a row asks for the same values again and again.
        self._values: dict[tuple[str, str, tuple[float, float] | None], Mean] = {}
        self.end = float(self._intervals["end_s"].max())
        self.flows: list[str] = list(dict.fromkeys(self._intervals["flow"].tolist()))

    @cached_property
    def _measured(self) -> dict[str, npt.NDArray[np.intp]]:
        """The rows of each flow's intervals after the warm-up."""
        names, rows = self._intervals["flow"].tolist(), np.flatnonzero(self._intervals["warm_up"] == 0)
        of: dict[str, list[int]] = {flow: [] for flow in self.flows}
        for row in rows.tolist():
            of[names[row]].append(row)
        return {flow: np.array(rows, dtype=np.intp) for flow, rows in of.items()}

    def series(self, metric: Measure, source: str, span: tuple[float, float] | None = None) -> Floats:
        """The measure in each interval after the warm-up (and within `span`, in seconds), for one source of the paper.

        A column of the table of flows or links has one value, that of the whole run after the warm-up.
        """
        found = self._found(metric, source, span)
        return found if (metric.scale, metric.offset) == (1.0, 0.0) else metric.scale * found + metric.offset

    def _found(self, metric: Measure, source: str, span: tuple[float, float] | None) -> Floats:
        """The measure in the units of the tables."""
        if metric.over_time:
            return np.array([_of_series(metric, *self._over_time(metric, source, span))])
        if metric.to:
            return np.array([self._ratio(metric, source, span)])
        if metric.column:
            return self._column(metric, source, span)
        c, chosen = self._intervals, self._within(self._measured[self.flow(source)], span)
        if metric.mean:
            return np.asarray(c[metric.mean][chosen])
        total = np.zeros(len(chosen))
        for name in metric.counts:
            total += -c[name[1:]][chosen] if name.startswith("-") else c[name][chosen]
        return total / (c["end_s"] - c["start_s"])[chosen] if metric.per_second else total

    def _over_time(self, metric: Measure, source: str, span: tuple[float, float] | None) -> tuple[Floats, Floats]:
        """Times and values of a trace, or the starts of intervals and the measure in each."""
        if not metric.trace:
            rows, c = self._within(self._measured[self.flow(source)], span), self._intervals
            if metric.to:
                return c["start_s"][rows], Ratio(metric.counts, metric.to)({k: column[rows] for k, column in c.items()})
            return c["start_s"][rows], self._found(replace(metric, at_least=None, at_most=None, fit=""), source, span)
        of_flow = flow_called(source, tuple(self.flows))
        times, values = self.port_trace(metric.trace, of_flow or source)
        first, last = span or (-math.inf, math.inf)
        within = (times >= first) & (times <= last)
        return times[within], values[within]

    def _ratio(self, metric: Measure, source: str, span: tuple[float, float] | None) -> float:
        """Sums over the flows that a name or a pattern fits, after the warm-up or within a span."""
        name = source if "*" in source else self.flow(source)
        ratio = Ratio(metric.counts, metric.to)
        if span is None:
            table = self._tables["flows"]
            chosen = np.array([fnmatchcase(n, name) for n in table["flow"].tolist()], dtype=bool)
        else:
            table = self._intervals
            own = [self._within(rows, span) for flow, rows in self._measured.items() if fnmatchcase(flow, name)]
            chosen = np.concatenate([np.zeros(0, dtype=np.intp), *own])
        if not len(table["flow"][chosen]):
            raise PaperError(f"metric {metric.name}: found no flow {source!r}; expected one of {', '.join(self.flows)}")
        if absent := [column for column in ratio.columns if column not in table]:
            raise PaperError(f"metric {metric.name}: intervals have no column {absent[0]}; expected no from_s and to_s")
        ends = {"start_s": float(table["start_s"][chosen].min()), "end_s": float(table["end_s"][chosen].max())}
        return float(ratio({column: float(table[column][chosen].sum()) for column in ratio.columns} | ends))

    def _within(self, rows: npt.NDArray[np.intp], span: tuple[float, float] | None) -> npt.NDArray[np.intp]:
        """Those of these intervals that lie within a span."""
        if span is None:
            return rows
        c = self._intervals
        return rows[(c["start_s"][rows] >= span[0] - 1e-9) & (c["end_s"][rows] <= span[1] + 1e-9)]

    def _column(self, metric: Measure, source: str, span: tuple[float, float] | None) -> Floats:
        """A column of any table, of the rows that a name or a pattern fits; several are taken together by `over`."""
        if metric.table == "intervals":
            return self.series(Measure(mean=metric.column), source, span)
        if span is not None:
            raise PaperError(f"metric {metric.name}: the table of {metric.table} has no spans; expected none")
        table = self._tables[metric.table]
        names = table[_KEYS[metric.table]].tolist()
        name = source if metric.table != "flows" or "*" in source else self.flow(source)
        chosen = [fnmatchcase(n, name) for n in names]
        values = table[metric.column][chosen].astype(np.float64)
        if not len(values):
            kind = _KEYS[metric.table]
            raise PaperError(f"metric {metric.name}: found no {kind} {source!r}; expected one of {', '.join(names)}")
        if metric.per:
            values = values / table[metric.per][chosen]
        if len(values) == 1:
            return values
        weights = columns(metric.table)[metric.column].weights(lambda of: table[of][chosen])
        return np.array([together(metric, values, weights)])

    def value(self, metric: Measure, source: str, span: tuple[float, float] | None = None) -> Mean:
        """The measure over the run: mean of the interval means."""
        key = (metric.name, source, span)
        if key not in self._values:
            self._values[key] = mean_of(self.series(metric, source, span))
        return self._values[key]

    def flow(self, source: str) -> str:
        """The flow that a table calls `source`: the flow of that name, or the one whose name ends in that number."""
        found = flow_called(source, tuple(self.flows))
        if found is None:
            raise PaperError(f"source {source!r} of the paper is not one flow of the scenario: {', '.join(self.flows)}")
        return found

    def forget(self) -> None:
        """Drops traces and gauges, which take most of the memory: nobody looks at them in this run any more."""
        self._traces, self._gauges = None, {}

    def trace(self, kind: str, source: str) -> tuple[Floats, Floats]:
        """Times in seconds and values of a trace of one source."""
        return self.port_trace(kind, self.flow(source))

    def port_trace(self, kind: str, port: str) -> tuple[Floats, Floats]:
        """Times in seconds and values of a trace of one port: a link's name, or `NAME:reverse` for its way back."""
        if self._traces is None:
            raise PaperError(f"run {self.run} keeps no traces; expected the base run")
        return self._traces.get((kind, port), (np.zeros(0), np.zeros(0)))

    def link(self, link: str, column: str) -> float:
        """A value of the table of links, at the beginning of a link."""
        links = self._tables["links"]
        return float(links[column][links["link"] == link][0])

    def table(self, name: str) -> Columns:
        """The table of flows, links or routes of the whole run."""
        return self._tables[name]

    def interval_s(self, span: tuple[float, float] | None = None) -> float:
        """Mean length of the intervals that count; nan if there is none."""
        c = self._intervals
        chosen = self._within(np.flatnonzero(c["warm_up"] == 0), span)
        return float((c["end_s"] - c["start_s"])[chosen].mean()) if len(chosen) else math.nan

    def gauge(self, link: str, name: str) -> tuple[Floats, Floats]:
        """Times in seconds and values of a gauge at the beginning of a link, at the end of each interval."""
        t = self._gauges
        chosen = (t["link"] == link) & (t["gauge"] == name)
        return t["end_s"][chosen], t["value"][chosen]


def _of_series(metric: Measure, times: Floats, values: Floats) -> float:
    """When values over time are first at least or at most a bound, or the slope of the line of least squares through them.

    >>> times, values = np.array([1.0, 2.0, 4.0]), np.array([3.0, 6.0, 12.0])
    >>> [_of_series(Measure(at_least=x), times, values) for x in (5.0, 50.0)]
    [2.0, nan]
    >>> [round(_of_series(Measure(fit=kind), times, values * times), 9) for kind in ("slope", "exponent")]
    [15.428571429, 2.0]
    """
    if not metric.fit:
        low, high = metric.at_least, metric.at_most
        below = math.inf if high is None else high
        reached = np.flatnonzero(values >= low if low is not None else values <= below)
        return float(times[reached[0]]) if len(reached) else math.nan
    good = np.isfinite(values)
    if metric.fit == "exponent":
        good &= (values > 0) & (times > 0)
    x, y = times[good], values[good]
    if len(x) < 2 or x.min() == x.max():
        return math.nan
    if metric.fit == "exponent":
        x, y = np.log(x), np.log(y)
    return float(np.polyfit(x, y, 1)[0])


@cache
def flow_called(source: str, flows: tuple[str, ...]) -> str | None:
    """The flow that a paper calls `source`: the one of that name, or the only one whose name ends in that number.

    >>> flow_called("2", ("ftp1", "ftp2")), flow_called("3", ("ftp3", "telnet3"))
    ('ftp2', None)
    """
    if source in flows:
        return source
    fits = [f for f in flows if (m := re.search(r"\d+$", f)) and m[0] == source]
    return fits[0] if len(fits) == 1 else None


def _by_object(traces: Mapping[str, Any], zero: float) -> dict[tuple[str, str], tuple[Floats, Floats]]:
    """Times in seconds and values of each trace of each object: a name for each row would take more than these."""
    labels = [column if isinstance(column, list) else column[1] for column in (traces["trace"], traces["object"])]
    code = numbers(traces["trace"]) * len(labels[1]) + numbers(traces["object"])
    times, values = np.asarray(traces["time_s"]) - zero, np.asarray(traces["value"])
    found = {}
    for number in np.unique(code).tolist():
        kind, name = divmod(number, len(labels[1]))
        chosen = code == number
        found[labels[0][kind], labels[1][name]] = times[chosen], values[chosen]
    return found


def _with_rates(flows: dict[str, Column]) -> dict[str, Column]:
    """The table of flows with the rates that follow from its counts."""
    return flows | flow_rates(flows)
