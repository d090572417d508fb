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
from .fairness import of_ideal


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
    def per(self) -> str:
        """Of a mean over packets the column with their number; empty for all others.

        >>> columns("flows")["queueing_mean_s"].per, columns("flows")["drops"].per
        ('received', '')
        """
        return _PER.get(self.name, {}).get(self.table, "")

    @property
    def stem(self) -> str:
        """Its name without the unit that it ends in.

        >>> [columns("flows")[name].stem for name in ("goodput_bps", "rtt_mean_s", "drops")]
        ['goodput', 'rtt_mean', 'drops']
        """
        return self.name.removesuffix(_ENDS.get(self.unit, ""))


#: The columns that are means over packets, and the columns with the numbers of these packets (or of measured round trips), in each table
#: that has both. A mean over several flows, intervals or ports is the one over all of their packets.
_PER = {
    "queueing_mean_s": {"flows": "received", "intervals": "received", "links": "sent"},
    "owd_mean_s": {"flows": "received", "intervals": "received"},
    "rtt_mean_s": {"flows": "rtt_count", "intervals": "rtt_count"},
}

#: Endings of names of columns.
_ENDS = {"s": "_s", "bit/s": "_bps", "packets/s": "_pps", "bytes": "_bytes"}


def _span(t: Mapping[str, Any]) -> Any:
    return t["end_s"] - t["start_s"]


def _goodput(t: Mapping[str, Any]) -> Any:
    return 8.0 * t["unique_bytes"] / _span(t)


#: Rates of flows over the time after the warm-up, which follow from what the engine counted.
RATES = (
    ColumnInfo(
        "flows", "goodput_pps", "packets/s", "total", "float", "Packets that reached the sink for the first time, per second.",
        lambda t: t["unique"] / _span(t),
    ),
    ColumnInfo(
        "flows", "goodput_bps", "bit/s", "total", "float", "New data that arrived, over the time.",
        _goodput,
    ),
    ColumnInfo(
        "flows", "goodput_of_weight_bps", "bit/s", "mean", "float", "Goodput over the flow's weight, as a weighted fair share is.",
        lambda t: _goodput(t) / t["weight"],
    ),
    ColumnInfo(
        "flows", "throughput_pps", "packets/s", "total", "float", "Packets received less retransmissions, per second: REAL's measure.",
        lambda t: (t["received"] - t["retransmissions"]) / _span(t),
    ),
)  # fmt: skip

#: Columns that follow from the max-min ideal of the flows.
_IDEALS = (
    ColumnInfo(
        "flows", "max_min_bps", "bit/s", "total", "float", "Weighted max-min fair allocation, given the network and the demands.",
        lambda t: t["max_min_bps"],
    ),
    ColumnInfo(
        "flows", "goodput_of_max_min", "", "mean", "float", "Goodput over that allocation.",
        lambda t: of_ideal(_goodput(t), t["max_min_bps"]),
    ),
)  # fmt: skip

#: Measured columns of the tables of runs and of times in studies, and additional columns of a replay's summary.
_MORE = (
    ColumnInfo("runs", "events", "", "total", "int", "Events of the run."),
    ColumnInfo("times", "cpu_s", "s", "mean", "float", "Processor time of the run."),
    ColumnInfo(
        "replay-summary", "jain_of_max_min", "", "mean", "float",
        "Jain's index of the flows' throughputs over the weighted max-min ideal of their offered load.",
    ),
    ColumnInfo(
        "replay-summary", "jain", "", "mean", "float", "Jain's index of the flows' throughputs over their weights."
    ),
    ColumnInfo(
        "replay-summary", "sparse_packets", "packets", "total", "int",
        "Packets of sparse flows, which ask for no more than their fair share; of all flows where none is sparse.",
    ),
    ColumnInfo("replay-summary", "sparse_drops", "packets", "total", "int", "Packets of sparse flows that were dropped."),
    ColumnInfo(
        "replay-summary", "sparse_delay_s", "s", "mean", "float",
        "Mean queueing delay of the packets of sparse flows that were sent.",
    ),
)  # fmt: skip


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
