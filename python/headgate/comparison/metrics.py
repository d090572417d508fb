"""The metrics that can be compared and drawn: the columns of a study's tables, and short names for the usual ones."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..base.errors import HeadgateError, cut, nearest
from ..results.columns import columns
from ..results.metrics import METRICS, OF_COLUMN, OVER
from ..sweep import rows

#: Short names: the metrics whose column in a study has another one. Indices come last.
ALIASES = {
    m.name: m
    for m in sorted(METRICS, key=lambda m: m.over == "jain")
    if m.column and m.column != m.name and m.table in ("flows", "links")
}

#: Words for the parts of a column's name.
_WORDS = {
    "owd": "one-way delay",
    "rtt": "round-trip time",
    "queueing": "queueing delay",
    "fct": "completion time",
    "mean": "mean",
    "std": "standard deviation of the",
    "min": "least",
    "max": "greatest",
    "p50": "median",
    "p95": "95 % quantile of the",
    "p99": "99 % quantile of the",
}


@dataclass(frozen=True)
class Metric:
    """One number per run, flow or port.

    Attributes:
        name: as the user gave it.
        table: `flows`, `links`, `runs` or `times`.
        column: of the table.
        over: how several flows or ports of a run are combined, one of `OVER`.
    """

    name: str
    table: str
    column: str
    over: str

    @property
    def unit(self) -> str:
        """`s`, `bit/s`, `packets/s`, `bytes`, `packets`, or nothing.

        >>> find("goodput").unit, find("drops").unit, find("jain").unit
        ('bit/s', 'packets', '')
        """
        return "" if self.over == "jain" else columns(self.table)[self.column].unit

    @property
    def of_runs(self) -> bool:
        """Whether it is one number of a run, not of its flows or ports."""
        return self.table in ("runs", "times")

    @property
    def quantile(self) -> bool:
        """Whether it is a quantile, of which means say little.

        >>> find("p99_delay").quantile, find("delay").quantile
        (True, False)
        """
        return re.search(r"_p\d+(_|$)", self.column) is not None

    @property
    def label(self) -> str:
        """In words, without the unit.

        >>> find("p99_delay").label, find("goodput").label, find("jain").label, find("drops_full", link="slow").label
        ('99 % quantile of the one-way delay', 'goodput', "Jain's index of goodput", 'drops full')
        >>> find("jain_of_max_min").label
        "Jain's index of goodput over its max-min ideal"
        """
        known, stem = OF_COLUMN.get(self.column), columns(self.table)[self.column].stem
        what, _, how = stem.partition("_")
        plain = f"{_WORDS[how]} {_WORDS[what]}" if {what, how} <= _WORDS.keys() else stem.replace("_", " ")
        stem = known.words if known is not None and known.words else plain
        return f"Jain's index of {stem}" if self.over == "jain" else stem

    def of(self, pattern: str | None = None, split: bool = False) -> str:
        """In words, with its flows or ports; `split` says that each is considered separately.

        >>> find("p99_delay").of("telnet"), find("drops").of("ftp*")
        ('99 % quantile of the one-way delay of telnet', 'drops, total of flows ftp*')
        """
        kind = {"flows": "flow", "links": "link", "runs": "", "times": ""}[self.table]
        if not kind:
            return self.label
        if split:
            return f"{self.label}, each {kind} by itself"
        if pattern is not None and not any(c in pattern for c in "*?["):
            return f"{self.label} of {pattern}"
        what = f"all {kind}s" if pattern is None or pattern == "*" else f"{kind}s {pattern}"
        joined = {"total": "total of", "mean": "mean over", "least": "least of", "most": "most of", "jain": "over"}
        return f"{self.label}, {joined[self.over]} {what}"


def find(name: str, flow: str | None = None, link: str | None = None, over: str | None = None) -> Metric:
    """The metric of a name: a column or an alias.

    Args:
        name: `goodput_bps`, `p99_delay`.
        flow: given if the metric is to be one of flows; the names have no effect here.
        link: the same for ports.
        over: how several flows or ports are combined; by default rates and counts are summed, others averaged.

    >>> find("p99_delay"), find("drops", over="most").over
    (Metric(name='p99_delay', table='flows', column='owd_p99_s', over='mean'), 'most')

    Raises:
        HeadgateError: no such metric, or it is not one of flows, or of ports, as requested.
    """
    if flow is not None and link is not None:
        raise HeadgateError(f"flow {cut(flow)} and link {cut(link)}: expected one of them")
    if over is not None and over not in OVER:
        raise HeadgateError(f"over {cut(over)}: expected one of {', '.join(OVER)}{nearest(over, OVER)}")
    alias = ALIASES.get(name)
    column = alias.column if alias is not None and alias.column else name
    tables = {table: rows.measured(table) for table in ("flows", "runs", "times", "links")}
    holders = [table for table, measured in tables.items() if column in measured]
    if not holders:
        known = [*ALIASES, *(c for measured in tables.values() for c in measured)]
        raise HeadgateError(
            f"metric {cut(name)}: expected a measured column of a study's tables or one of "
            f"{', '.join(ALIASES)}.{nearest(name, known)}"
        )
    wanted = "flows" if flow is not None else "links" if link is not None else holders[0]
    if wanted not in holders:
        raise HeadgateError(f"metric {cut(name)}: is one of {holders[0]}, found --{wanted[:-1]} {cut(flow or link)}")
    if wanted == "links" and link is None:
        raise HeadgateError(f"metric {cut(name)}: is one of links; expected the name of a link (--link) beside it")
    by_name = alias.over if alias is not None and alias.over == "jain" else ""
    return Metric(name, wanted, column, over or by_name or columns(wanted)[column].kind)


def by_parts(metric: Metric) -> Metric:
    """The metric for each flow or port by itself."""
    return replace(metric, over="total" if metric.over == "jain" else metric.over)
