"""The columns of all tables: name, unit, kind, meaning and, where they follow from others, how they are computed.

Most are the engine's, which has a list for each table (`crates/sim/src/tables`, `crates/replay/src/columns.rs`); those that follow
from them are below. Tables, summaries, what can be compared and drawn, the commands' headings and the reference come from here: no
unit and no rule is derived from a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..base import catalogue
from .metrics import METRICS, SECONDS, MetricLine, Ratio, added


@dataclass(frozen=True)
class ColumnInfo:
    """The description of a column.

    Attributes:
        table: that it is in.
        name: of the column.
        unit: `s`, `bit/s`, `bytes`, `packets`, `packets/s`, or nothing for names and pure numbers.
        kind: `key` and `given` identify and describe the object of the row; `total`, `mean`, `least` and `most` say how the
            values of several flows, ports or runs are combined.
        type: `int`, `float` or `name`.
        help: what it means.
        of: how it follows from the other columns of its table; None for those of the engine.
    """

    table: str
    name: str
    unit: str
    kind: str
    type: str
    help: str
    of: Callable[[Mapping[str, Any]], Any] | None = None

    @property
    def measured(self) -> bool:
        """Whether it measures the object of its row, and so can be compared and drawn."""
        return self.kind not in ("key", "given")

    @property
    def per(self) -> tuple[str, ...]:
        """Of a mean over packets the columns with their number, as `added` takes them; empty for all others.

        >>> columns("flows")["queueing_mean_s"].per, columns("flows")["drops"].per
        (('received',), ())
        """
        if isinstance(self.of, Ratio) and self.kind == "mean":
            return () if SECONDS in self.of.bottom else self.of.bottom
        return _PER.get(self.name, {}).get(self.table, ())

    def weights(self, column: Callable[[str], Any]) -> Any:
        """The numbers of packets that the values are means over; None if they are no such means. `column` gives a column of the table."""
        if not self.per:
            return None
        return added(self.per, {name: column(name) for name in (name.removeprefix("-") for name in self.per)})

    @property
    def stem(self) -> str:
        """Its name without the unit that it ends in.

        >>> [columns("flows")[name].stem for name in ("goodput_bps", "rtt_mean_s", "drops")]
        ['goodput', 'rtt_mean', 'drops']
        """
        return self.name.removesuffix(_ENDS.get(self.unit, ""))


#: The columns with the numbers of packets (or of measured round trips) that means are over, in each table that has both. A mean over
#: several flows, intervals or ports is the one over all of their packets.
_PER = {
    "queueing_mean_s": {"flows": ("received",), "intervals": ("received",), "links": ("sent",)},
    "owd_mean_s": {"flows": ("received",), "intervals": ("received",)},
    "rtt_mean_s": {"flows": ("rtt_count",), "intervals": ("rtt_count",)},
}

#: Endings of names of columns.
_ENDS = {"s": "_s", "bit/s": "_bps", "packets/s": "_pps", "bytes": "_bytes"}


def _column(m: MetricLine) -> ColumnInfo:
    """The column of a metric that the engine does not have."""
    assert m.column and m.unit is not None and m.help
    whole = m.of is None and m.over == "total"
    return ColumnInfo(m.table, m.column, m.unit, m.over or "mean", "int" if whole else "float", m.help, m.of)


_FOLLOWS = [m for m in METRICS if m.column and m.of is not None]

#: Rates of flows over the time after the warm-up, which follow from what the engine counted.
RATES = tuple(_column(m) for m in _FOLLOWS if not m.ideal)

#: Columns that follow from the max-min ideal of the flows.
_IDEALS = tuple(_column(m) for m in _FOLLOWS if m.ideal)

#: Measured columns of the tables of runs and of times in studies, and additional columns of a replay's summary.
_MORE = tuple(_column(m) for m in METRICS if m.of is None and m.unit is not None and m.column and m.over != "jain")


def unit_of(metric: MetricLine) -> str:
    """The unit of a metric: its own, or that of its column.

    >>> from headgate.results.metrics import BY_NAME
    >>> unit_of(BY_NAME["goodput"]), unit_of(BY_NAME["p95_delay"]), unit_of(BY_NAME["jain"])
    ('bit/s', 's', '')
    """
    return metric.unit if metric.unit is not None else columns(metric.table)[metric.column or ""].unit


def meaning_of(metric: MetricLine) -> str:
    """What a metric means: its own sentence, or that of its column."""
    return metric.help if metric.help is not None else columns(metric.table)[metric.column or ""].help


def rates(flows: Mapping[str, Any]) -> dict[str, Any]:
    """Rates of flows over the time after the warm-up, from columns of the table `flows`: arrays of the same shape."""
    return {c.name: c.of(flows) for c in RATES if c.of is not None}


@cache
def columns(table: str) -> dict[str, ColumnInfo]:
    """The columns of a table by their names, in their order; rates come before counts.

    >>> columns("links")["backlog_max"].kind, columns("intervals")["rtt_mean_s"].unit, list(columns("runs"))
    ('most', 's', ['events'])
    """
    known = [ColumnInfo(**c) for c in catalogue.columns() if c["table"] == table]
    known += [c for c in _MORE if c.table == table]
    if table == "flows":
        place = next(i for i, c in enumerate(known) if c.name == "sent")
        known[place:place] = (*RATES, *_IDEALS)
    return {c.name: c for c in known}


def numeric(table: str) -> tuple[str, ...]:
    """The columns of numbers that a run by itself gives: all but those that need the max-min ideal.

    >>> "goodput_bps" in numeric("flows"), "max_min_bps" in numeric("flows"), "flow" in numeric("flows")
    (True, False, False)
    """
    return tuple(name for name, c in columns(table).items() if c.type != "name" and c not in _IDEALS)


#: Units in the terminal, with the factor before them; all others are shown as they are.
_SHOWN = {"s": (1e3, "ms"), "bit/s": (1e-3, "kbit/s"), "packets/s": (1.0, "pkt/s"), "packets": (1.0, "pkt")}


def shown(unit: str) -> tuple[float, str]:
    """The factor from a unit to the one in the terminal's tables, and that unit.

    >>> shown("bit/s"), shown("")
    ((0.001, 'kbit/s'), (1.0, ''))
    """
    return _SHOWN.get(unit, (1.0, unit))


#: Units in the tables of judges, with the factor before them and the digits after the point.
_JUDGED = {"s": (1e3, "ms", 1), "bit/s": (1e-6, "Mbit/s", 2), "bit/s²": (1e-6, "Mbit/s²", 2)}


def judged(metric: MetricLine) -> tuple[float, str, int]:
    """The factor from the unit of a metric to the one in the tables of judges, that unit, and the digits after the point.

    >>> from headgate.results.metrics import BY_NAME
    >>> [judged(BY_NAME[name]) for name in ("goodput", "delay", "loss", "timeouts")]
    [(1e-06, 'Mbit/s', 2), (1000.0, 'ms', 1), (100.0, '%', 2), (1.0, '', 2)]
    """
    unit = unit_of(metric)
    return (100.0, "%", 2) if metric.share else _JUDGED.get(unit, (1.0, unit, 2))
