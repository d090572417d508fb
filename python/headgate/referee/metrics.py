"""What the referee measures: one definition of each metric."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .part import Part, Run, Wanted
from .pieces import Pieces

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class RefereeMetric:
    """What is measured.

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
    of: Callable[[Part], float | None]
    traces: tuple[str, ...] = ()


def _ratio(a: float, b: float) -> float | None:
    return a / b if b else None


def _goodput(p: Part) -> float | None:
    return _ratio(8 * p.total("unique_bytes"), p.seconds)


def _share(p: Part) -> float | None:
    return _ratio(p.total("unique_bytes"), p.total("unique_bytes", True))


def _utilisation(p: Part) -> float | None:
    return _ratio(8 * p.total("received_bytes", not p.what.of), p.run.place.capacity(p.start, p.end))


def _jain(p: Part) -> float | None:
    x = p.each("unique_bytes")
    return _ratio(float(x.sum()) ** 2, len(x) * float((x * x).sum()))


def _least_share(p: Part) -> float | None:
    x = p.each("unique_bytes")
    return _ratio(float(x.min(initial=math.inf)) * len(x), float(x.sum())) if len(x) else None


def _evenness(p: Part) -> float | None:
    x = p.each("unique_bytes")
    return _ratio(float(x.min()), float(x.max())) if len(x) else None


def _loss_ratio(p: Part) -> float | None:
    """Shares of packets lost, of these flows over that of the others."""
    own = [p.total(name) for name in ("drops", "lost", "sent")]
    everybody = [p.total(name, True) for name in ("drops", "lost", "sent")]
    others = [a - b for a, b in zip(everybody, own, strict=True)]
    here, there = (_ratio(x[0] + x[1], x[2]) for x in (own, others))
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
        weight = p.flows("received")
        return _ratio(float((np.nan_to_num(p.flows("queueing_mean_s")) * weight).sum()), float(weight.sum()))
    table = p.run.table("intervals")
    inside = (table["start_s"] >= p.start - 1e-9) & (table["end_s"] <= p.end + 1e-9) & p.named(table)
    weight = np.asarray(table["received"][inside], float)
    return _ratio(float((np.nan_to_num(table["queueing_mean_s"][inside]) * weight).sum()), float(weight.sum()))


def _queueing(quantile: str) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        # The delay of a path without queues is the mean delay less the mean wait.
        fixed = p.flows("owd_mean_s") - p.flows("queueing_mean_s")
        waits = p.flows(f"owd_{quantile}_s") - fixed
        weight = p.flows("received")
        known = np.isfinite(waits) & (weight > 0)
        return _ratio(float((waits[known].clip(0) * weight[known]).sum()), float(weight[known].sum()))

    return of


def _queueing_most(p: Part) -> float | None:
    table = p.run.table("intervals")
    inside = (table["start_s"] >= p.start - 1e-9) & (table["end_s"] <= p.end + 1e-9) & p.named(table)
    waits = np.asarray(table["queueing_mean_s"][inside], float)
    waits = waits[np.isfinite(waits)]
    return float(waits.max()) if len(waits) else None


def _loss(p: Part) -> float | None:
    return _ratio(p.total("drops") + p.total("lost"), p.total("sent"))


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


def _finished(p: Part) -> float | None:
    return _ratio(p.flows("finished").sum(), p.flows("started").sum())


def _weighted(column: str, weight: str) -> Callable[[Part], float | None]:
    def of(p: Part) -> float | None:
        values, weights = p.flows(column), p.flows(weight)
        known = np.isfinite(values) & (weights > 0)
        return _ratio(float((values[known] * weights[known]).sum()), float(weights[known].sum()))

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


def _of_sent(column: str) -> Callable[[Part], float | None]:
    return lambda p: _ratio(p.total(column), p.total("sent"))


_WINDOW, _GAUGE = ("window",), ("estimates",)

#: Metrics that ask for the value of a gauge.
LEVELS = ("gauge_share", "gauge_entries", "gauge_first", "gauge_stay", "gauge_stay_least")

#: All metrics by name.
METRICS: dict[str, RefereeMetric] = {
    "utilisation": RefereeMetric(
        "", "more", "What all flows, or those of `of`, delivered over what the line can carry.", _utilisation
    ),
    "goodput": RefereeMetric("bit/s", "more", "New data that arrived, over the time.", _goodput),
    "share": RefereeMetric("", "", "The goodput of these flows over that of all.", _share),
    "jain": RefereeMetric("", "more", "Jain's index of the goodputs of these flows: 1 if they are equal.", _jain),
    "least_share": RefereeMetric("", "more", "The least goodput of these flows over their mean.", _least_share),
    "evenness": RefereeMetric("", "more", "The least goodput of these flows over the greatest.", _evenness),
    "queueing_mean": RefereeMetric("s", "less", "Mean time in queues, of the packets that arrived.", _queueing_mean),
    "queueing_p50": RefereeMetric(
        "s", "less", "Median of the time in queues, over the whole measured time.", _queueing("p50")
    ),
    "queueing_p95": RefereeMetric(
        "s", "less", "95 % quantile of the time in queues, over the whole measured time.", _queueing("p95")
    ),
    "queueing_p99": RefereeMetric(
        "s", "less", "99 % quantile of the time in queues, over the whole measured time.", _queueing("p99")
    ),
    "queueing_most": RefereeMetric("s", "less", "The greatest mean wait of an interval.", _queueing_most),
    "loss": RefereeMetric("", "less", "Packets dropped or lost over packets sent.", _loss),
    "loss_ratio": RefereeMetric("", "", "The loss of these flows over that of all others.", _loss_ratio),
    "retransmissions": RefereeMetric("", "less", "Packets sent again over packets sent.", _of_sent("retransmissions")),
    "timeouts": RefereeMetric("", "less", "Retransmission timeouts.", lambda p: p.total("timeouts")),
    "marks": RefereeMetric("", "", "Packets marked over packets sent.", _of_sent("marks")),
    "sent": RefereeMetric("packets", "", "Packets sent.", lambda p: p.total("sent")),
    "sent_most": RefereeMetric("packets", "", "The most packets sent in an interval.", _most_sent),
    "stall": RefereeMetric("s", "less", "The longest time in which nothing new arrived, in whole intervals.", _stall),
    "recovery": RefereeMetric(
        "s",
        "less",
        "Time until five intervals carry `part` of what the line can; the whole time if never.",
        _recovery,
    ),
    "settling": RefereeMetric(
        "s", "less", "Time until the share of these flows stays within a fifth of its final value.", _settling
    ),
    "variation": RefereeMetric("", "less", "Standard deviation of the goodput of seconds over its mean.", _smoothness),
    "rise_most": RefereeMetric(
        "", "", "The greatest growth of the rate from an interval to the next, over its mean.", _change(1)
    ),
    "fall_most": RefereeMetric(
        "", "less", "The greatest fall of the rate from an interval to the next, over its mean.", _change(-1)
    ),
    "completion": RefereeMetric(
        "s", "less", "Mean completion time of the transfers.", _weighted("fct_mean_s", "finished")
    ),
    "completion_p99": RefereeMetric(
        "s", "less", "99 % quantile of the completion times.", _weighted("fct_p99_s", "finished")
    ),
    "slowdown": RefereeMetric(
        "", "less", "Mean of completion time over the least possible one.", _weighted("slowdown_mean", "finished")
    ),
    "finished": RefereeMetric("", "more", "Transfers that were completed over those that began.", _finished),
    "rtt_mean": RefereeMetric(
        "s", "less", "Mean round-trip time that the sources measured.", _weighted("rtt_mean_s", "rtt_count")
    ),
    "trips": RefereeMetric("1/min", "more", "Round trips a minute, of those that the sources measured.", _trips),
    "backlog_most": RefereeMetric("packets", "less", "The most packets that waited at the line.", _port("backlog_max")),
    "backlog_mean": RefereeMetric(
        "packets", "less", "Packets waiting at the line, averaged over time.", _port("backlog_mean")
    ),
    "window_most": RefereeMetric(
        "packets",
        "",
        "The greatest window of the first flow.",
        _traced("window", lambda p: float(p.values.max())),
        traces=_WINDOW,
    ),
    "window_least": RefereeMetric(
        "packets",
        "",
        "The least window of the first flow.",
        _traced("window", lambda p: float(p.values.min())),
        traces=_WINDOW,
    ),
    "window_mean": RefereeMetric(
        "packets",
        "",
        "The window of the first flow, averaged over time.",
        _traced("window", Pieces.mean),
        traces=_WINDOW,
    ),
    "window_last": RefereeMetric(
        "packets",
        "",
        "The window of the first flow at the end of the time.",
        _traced("window", lambda p: float(p.values[-1])),
        traces=_WINDOW,
    ),
    "gauge_most": RefereeMetric(
        "",
        "",
        "The greatest value of a gauge of the first flow.",
        _traced("", lambda p: float(p.values.max())),
        traces=_GAUGE,
    ),
    "gauge_least": RefereeMetric(
        "", "", "The least value of a gauge.", _traced("", lambda p: float(p.values.min())), traces=_GAUGE
    ),
    "gauge_mean": RefereeMetric("", "", "A gauge, averaged over time.", _traced("", Pieces.mean), traces=_GAUGE),
    "gauge_last": RefereeMetric(
        "", "", "A gauge at the end of the time.", _traced("", lambda p: float(p.values[-1])), traces=_GAUGE
    ),
    "gauge_share": RefereeMetric(
        "", "", "Share of the time in which a gauge is at `level`.", _traced("", Pieces.share), traces=_GAUGE
    ),
    "gauge_entries": RefereeMetric(
        "", "", "How often a gauge came to `level`, from `after` if given.", _traced("", Pieces.entries), traces=_GAUGE
    ),
    "gauge_first": RefereeMetric(
        "s",
        "less",
        "Time until a gauge is at `level`; the whole time if never.",
        _traced("", Pieces.first),
        traces=_GAUGE,
    ),
    "gauge_stay": RefereeMetric(
        "s", "", "The longest time that a gauge stayed at `level`.", _traced("", Pieces.stay), traces=_GAUGE
    ),
    "gauge_stay_least": RefereeMetric(
        "s", "", "The shortest complete stay at `level`.", _traced("", Pieces.stay_least), traces=_GAUGE
    ),
    "in_flight_last": RefereeMetric(
        "packets",
        "less",
        "Packets sent and not acknowledged at the end of the time.",
        _traced("in_flight", lambda p: float(p.values[-1])),
        traces=("in_flight",),
    ),
    "in_flight_most": RefereeMetric(
        "packets",
        "less",
        "The most packets sent and not acknowledged.",
        _traced("in_flight", lambda p: float(p.values.max())),
        traces=("in_flight",),
    ),
    "gauge_changes": RefereeMetric("", "", "How often a gauge changed.", _traced("", Pieces.changes), traces=_GAUGE),
}

#: Those that are counted over all that comes after the warm-up, and not over a part of it.
WHOLE = frozenset(
    name
    for name in METRICS
    if name.startswith(("queueing_p", "completion", "backlog")) or name in ("slowdown", "finished", "rtt_mean", "trips")
)


def measure(run: Run, what: Wanted) -> float | None:
    """A number; None if there is nothing to measure."""
    start = run.place.warm_up if what.start is None else what.start
    end = run.place.duration if what.end is None else what.end
    windowed = what.start is not None or what.end is not None
    value = METRICS[what.metric].of(Part(run, what.of or run.place.subject, start, end, windowed, what))
    return None if value is None or math.isnan(value) else float(value)
