"""What the referee measures: the metrics of the list, and functions for those that do not follow from sums of columns."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...analysis import jain_index
from ...results.columns import ColumnInfo, columns, meaning_of, unit_of
from ...results.combination import by_row, combined
from ...results.metrics import LOSS, MetricLine, Ratio
from ...results.metrics import METRICS as LIST
from ...stats.means import pooled
from .part import Part, Run, Wanted
from .pieces import Pieces

Array = npt.NDArray[Any]


Measured = Callable[[Part], float | None]


@dataclass(frozen=True)
class RefereeMetric:
    """What is measured: a metric of the list, and how it follows from a part of a run.

    Attributes:
        unit: of the number; empty for a share or a ratio.
        better: `more` or `less`; empty where neither is.
        meaning: one sentence.
        of: computes it.
        traces: that the run has to record.
    """

    unit: str
    better: str
    meaning: str
    of: Measured
    traces: tuple[str, ...] = ()


def _ratio(a: float, b: float) -> float | None:
    return a / b if b else None


def _share(p: Part) -> float | None:
    return _ratio(p.total("unique_bytes"), p.total("unique_bytes", True))


def _utilisation(p: Part) -> float | None:
    return _ratio(8 * p.total("received_bytes", not p.what.of), p.run.place.capacity(p.start, p.end))


def _jain(p: Part) -> float | None:
    return jain_index(p.each("unique_bytes"))


def _least_share(p: Part) -> float | None:
    x = p.each("unique_bytes")
    return _ratio(float(x.min(initial=math.inf)) * len(x), float(x.sum())) if len(x) else None


def _evenness(p: Part) -> float | None:
    x = p.each("unique_bytes")
    return _ratio(float(x.min()), float(x.max())) if len(x) else None


def _loss_ratio(p: Part) -> float | None:
    """Shares of packets lost, of these flows over that of the others."""
    own, everybody = ({name: p.total(name, who) for name in LOSS.columns} for who in (False, True))
    others = {name: everybody[name] - own[name] for name in LOSS.columns}
    here, there = (_ratio(*LOSS.parts(x)) for x in (own, others))
    return None if here is None or not there else here / there


def _change(sign: int) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        # The last interval may be cut off by the end of the part.
        _, data = p.rows("received_bytes")
        if len(data) < 2 or not data.mean():
            return None
        return max(0.0, float((sign * np.diff(data)).max() / data.mean()))

    return of


def _trips(p: Part) -> float | None:
    found = _weighted("rtt_mean_s", "rtt_count")(p)
    return None if not found else 60 / found


def _queueing_mean(p: Part) -> float | None:
    if not p.windowed:
        return float(pooled(p.flows("queueing_mean_s"), p.flows("received")))
    table = p.run.table("intervals")
    inside = (table["start_s"] >= p.start - 1e-9) & (table["end_s"] <= p.end + 1e-9) & p.named(table)
    return float(pooled(table["queueing_mean_s"][inside], table["received"][inside]))


def _queueing(quantile: str) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        # The delay of a path without queues is the mean delay less the mean wait.
        fixed = p.flows("owd_mean_s") - p.flows("queueing_mean_s")
        waits = p.flows(f"owd_{quantile}_s") - fixed
        weight = p.flows("received")
        known = np.isfinite(waits) & (weight > 0)
        return float(pooled(waits[known].clip(0), weight[known]))

    return of


def _queueing_most(p: Part) -> float | None:
    table = p.run.table("intervals")
    inside = (table["start_s"] >= p.start - 1e-9) & (table["end_s"] <= p.end + 1e-9) & p.named(table)
    waits = np.asarray(table["queueing_mean_s"][inside], float)
    waits = waits[np.isfinite(waits)]
    return float(waits.max()) if len(waits) else None


def _stall(p: Part) -> float | None:
    starts, counts = p.rows("unique")
    ends = p.ends()
    if not len(starts):
        return p.seconds
    longest, since = 0.0, p.start
    for start, end, count in zip(starts, ends, counts, strict=True):
        if count:
            longest, since = max(longest, start - since), end
    return max(longest, p.end - since)


def _recovery(p: Part) -> float | None:
    """Until the goodput of five intervals together is a part of what the line carries in them."""
    starts, data = p.rows("received_bytes", True)
    ends = p.ends()
    for i in range(len(starts)):
        last = min(i + 5, len(starts)) - 1
        carried = p.run.place.capacity(float(starts[i]), float(ends[last]))
        if carried and 8 * data[i : last + 1].sum() >= p.what.part * carried and last - i == 4:
            return float(starts[i]) - p.start
    return p.seconds


def _settling(p: Part) -> float | None:
    """Until the share stays within a fifth of what it is in the last quarter."""
    starts, own = p.rows("unique_bytes")
    _, everybody = p.rows("unique_bytes", True)
    ten = max(1, len(starts) // 50)
    groups = len(starts) // ten
    if groups < 8:
        return None
    own, everybody = (x[: groups * ten].reshape(groups, ten).sum(axis=1) for x in (own, everybody))
    share = own / np.maximum(everybody, 1)
    final = share[-groups // 4 :].mean()
    outside = np.flatnonzero(np.abs(share - final) > 0.2 * final)
    first = 0 if not len(outside) else int(outside[-1]) + 1
    return float(starts[min(first * ten, len(starts) - 1)]) - p.start


def _smoothness(p: Part) -> float | None:
    _, data = p.rows("received_bytes")
    ten = max(1, round(1 / max(p.seconds / max(len(data), 1), 1e-9)))
    groups = len(data) // ten
    if groups < 3:
        return None
    seconds = data[: groups * ten].reshape(groups, ten).sum(axis=1)
    return _ratio(float(seconds.std()), float(seconds.mean()))


def _most_sent(p: Part) -> float | None:
    _, counts = p.rows("sent")
    return float(counts.max()) if len(counts) else None


def _weighted(column: str, weight: str) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        values, weights = p.flows(column), p.flows(weight)
        known = np.isfinite(values) & (weights > 0)
        return float(pooled(values[known], weights[known]))

    return of


def _port(column: str) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        table = p.run.table("links")
        found = [value for name, value in zip(table["link"], table[column], strict=True) if name == p.run.place.line]
        return float(found[0]) if found else None

    return of


def _traced(name: str, take: Callable[[Pieces], float]) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        pieces = Pieces(*p.trace(name or p.what.gauge), p)
        return take(pieces) if len(pieces.values) else None

    return of


class _Sums(dict[str, Any]):
    """The sums of columns over the flows of a part, and its ends."""

    def __init__(self, part: Part) -> None:
        super().__init__(start_s=part.start, end_s=part.end)
        self._part = part

    def __missing__(self, column: str) -> float:
        return self._part.total(column)


def _of_sums(of: Ratio) -> Measured:
    return lambda p: _ratio(*of.parts(_Sums(p)))


#: The metrics that do not follow from sums of columns.
_OWN: dict[str, Measured] = {
    "utilisation": _utilisation, "share": _share, "jain": _jain, "least_share": _least_share, "evenness": _evenness,
    "queueing": _queueing_mean, "queueing_p50": _queueing("p50"), "queueing_p95": _queueing("p95"),
    "queueing_p99": _queueing("p99"), "queueing_most": _queueing_most, "loss_ratio": _loss_ratio, "sent_most": _most_sent,
    "stall": _stall, "recovery": _recovery, "settling": _settling, "variation": _smoothness,
    "rise_most": _change(1), "fall_most": _change(-1),
    "fct_mean_s": _weighted("fct_mean_s", "finished"), "fct_p99_s": _weighted("fct_p99_s", "finished"),
    "slowdown_mean": _weighted("slowdown_mean", "finished"), "rtt_mean": _weighted("rtt_mean_s", "rtt_count"), "trips": _trips,
    "window_most": _traced("window", lambda p: float(p.values.max())),
    "window_least": _traced("window", lambda p: float(p.values.min())),
    "window_mean": _traced("window", Pieces.mean), "window_last": _traced("window", lambda p: float(p.values[-1])),
    "gauge_most": _traced("", lambda p: float(p.values.max())), "gauge_least": _traced("", lambda p: float(p.values.min())),
    "gauge_mean": _traced("", Pieces.mean), "gauge_last": _traced("", lambda p: float(p.values[-1])),
    "gauge_share": _traced("", Pieces.share), "gauge_entries": _traced("", Pieces.entries),
    "gauge_first": _traced("", Pieces.first), "gauge_stay": _traced("", Pieces.stay),
    "gauge_stay_least": _traced("", Pieces.stay_least), "gauge_changes": _traced("", Pieces.changes),
    "in_flight_last": _traced("in_flight", lambda p: float(p.values[-1])),
    "in_flight_most": _traced("in_flight", lambda p: float(p.values.max())),
}  # fmt: skip


def _of_flows(column: ColumnInfo) -> Measured:
    """A column of flows, taken together as in studies."""

    def of(p: Part) -> float | None:
        values = p.flows(column.name)
        if not len(values):
            return None
        weights = column.weights(lambda name: p.flows(name)[None])
        return float(combined(column.kind, values[None], by_row, weights)[0])

    return of


def _measured(m: MetricLine) -> Measured:
    """How a metric follows: by its own function, from sums of columns, or from the values of its column."""
    if m.name in _OWN:
        return _OWN[m.name]
    if isinstance(m.of, Ratio):
        return _of_sums(m.of)
    column = columns(m.table)[m.column or ""]
    if m.table == "links":
        return _port(column.name)
    return (lambda p: p.total(column.name)) if _counted(m) else _of_flows(column)


def _counted(m: MetricLine) -> bool:
    """Whether it follows from counts that intervals have, too."""
    if isinstance(m.of, Ratio):
        return set(m.of.columns) <= columns("intervals").keys()
    known = columns("intervals").get(m.column or "") if m.table == "flows" else None
    return known is not None and known.kind == "total"


def _metric(m: MetricLine) -> RefereeMetric:
    return RefereeMetric(unit_of(m), "" if m.better == "neither" else m.better, meaning_of(m), _measured(m), m.traces)


_ALL = [m for m in LIST if m.referee and not m.ideal and (m.table in ("flows", "links") or m.name in _OWN)]

#: All metrics by name.
METRICS: dict[str, RefereeMetric] = {m.referee: _metric(m) for m in _ALL if m.referee}

#: Those that ask for the value of a gauge.
LEVELS = tuple(m.name for m in _ALL if m.level)

#: Those that are counted over all that comes after the warm-up, and not over a part of it.
WHOLE = frozenset(m.referee for m in _ALL if m.referee and (m.whole if m.name in _OWN else not _counted(m)))


def measure(run: Run, what: Wanted) -> float | None:
    """A number; None if there is nothing to measure."""
    start = run.place.warm_up if what.start is None else what.start
    end = run.place.duration if what.end is None else what.end
    windowed = what.start is not None or what.end is not None
    value = METRICS[what.metric].of(Part(run, what.of or run.place.subject, start, end, windowed, what))
    return None if value is None or math.isnan(value) else float(value)
