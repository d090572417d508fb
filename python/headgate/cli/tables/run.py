"""The tables of `headgate run`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from ...base.units import LEAST_TIME, scale_of
from ...results.groups import FlowGroup, groups
from ...results.metrics import OF_COLUMN
from ...results.results import OF_ONE_RUN, Results, digits, equal_text
from ...results.summaries import AnySummary, FlowSummary, Heading, LinkSummary, headings
from ...stats import Mean
from ..terminal import console
from .fit import Column, names_of, print_fitted
from .means import half_text, mean_text

#: Maximum number of flows, groups or ports that are listed one by one in the terminal.
MOST = 20

#: The note for a run in which a flow's mean round trip is below its mean time in queues.
TWO_BASES = (
    "rtt is averaged over the packets that a source timed, mostly without retransmissions (Karn's algorithm); queueing is averaged over "
    "all packets that reached the sink, so it may be longer"
)

#: A port whose line is used less, in a run with busier ones, has no line in the terminal, unless it drops or holds packets.
_BUSY = 0.5


def print_results(results: Results, top: int | None = None, wide: bool = False) -> None:
    """The tables in the terminal.

    Args:
        results: of a run.
        top: the flows with the highest goodput are listed, as many as this; all of them, if they are few, unless given.
        wide: every column, also on lines that are longer than the terminal's.
    """
    out = console()
    several = len(results.runs) > 1
    over = f"{len(results.runs)} replications" if several else OF_ONE_RUN
    spread = "standard deviation (half of the 95 % interval)" if wide else "half of its 95 % interval"
    out.print(
        f"[bold]{escape(results.runs[0].name or 'scenario')}[/]  seed {results.seed}  digest {results.runs[0].digest}",
        soft_wrap=True,
    )
    if results.runs_equal:
        out.print(f"{equal_text(len(results.runs))}.", soft_wrap=True)
        out.print("counts are totals of all runs")
    else:
        out.print(f"mean ± {spread} over {over}; counts are totals")
    noise = results.scenario.engine.noise()
    if noise:
        out.print(noise, markup=False)
    left: list[Column] = []
    listed = top or (results.flow_count if results.flow_count <= MOST else 0)
    if listed:
        rows = results.flow_summaries(top, top is not None)
        title = "flows" if listed >= results.flow_count else f"the {listed} flows with the highest goodput"
        columns = _print_summaries(title, rows, wide)
        left += [c for c in columns if c.heading != "timeouts"]
        if len(left) < len(columns):
            # A timeout stops a flow for long: it is never left out.
            out.print(f"timeouts: {_counts([(row.flow, row.timeouts) for row in rows])}", markup=False)
        if any(row.rtt_s.mean < row.queueing_s.mean for row in rows):
            out.print(TWO_BASES, markup=False)
    together = [g for g in groups(results) if g.flows > 1 or listed < results.flow_count]
    if together:
        _print_groups(together, wide)
    if listed < results.flow_count:
        out.print(f"{results.flow_count} flows; --top N lists the largest, --json and --out have them all")
    classes = results.class_summaries()
    if classes:
        title = "transfers, from when the source has them until the sink has all"
        left += _print_summaries(title, classes[:MOST], wide)
        _more(len(classes), "classes")
    left += _print_links(results, wide)
    out.print()
    parts = [f"{k} {digits(v)}" for k, v in results.fairness().items() if v is not None]
    out.print("fairness: " + ", ".join(parts))
    if left:
        out.print(f"columns left out: {names_of(left)}; --wide shows all")


def _counts(found: Sequence[tuple[str, int]]) -> str:
    """The names that have a count above zero, each with it.

    >>> _counts([("a", 0), ("b", 3), ("c", 1)])
    'b 3, c 1'
    """
    several = [f"{name} {count}" for name, count in found if count]
    return ", ".join(several[:MOST]) + (f" and {len(several) - MOST} more" if len(several) > MOST else "")


def _more(count: int, what: str) -> None:
    if count > MOST:
        console().print(f"and {count - MOST} more {what}; --out or --json has them all")


def _print_links(results: Results, wide: bool) -> list[Column]:
    """Ports that are busy, or that dropped or hold packets, one by one; of the others the maximum utilisation."""
    ports = results.active_ports()
    if not ports:
        return []
    busiest = max(x.utilisation.mean for x in ports)
    names = {x.link for x in ports if x.holds or x.utilisation.mean >= min(_BUSY, busiest)}
    listed, idle = [x for x in ports if x.link in names], [x for x in ports if x.link not in names]
    if len(listed) > MOST:
        # Those that lose most, then those that send nothing, and then the busiest.
        order = sorted(listed, key=lambda x: (x.dropped, x.blocked, x.utilisation.mean), reverse=True)[:MOST]
        shown = [x for x in listed if x in order]
    else:
        shown = listed
    title = "ports" if any(x.queue == "host" for x in shown) else "gateways' ports"
    left = _print_summaries(title, shown, wide)
    _more(len(listed), "ports")
    if idle:
        console().print(_idle(idle))
    return left


def _idle(ports: Sequence[LinkSummary]) -> str:
    """A line for the ports that are not listed."""
    busy = digits(100 * max(x.utilisation.mean for x in ports), 2)
    wait = max((x.queueing_s.mean for x in ports if x.queueing_s.mean == x.queueing_s.mean), default=0.0)
    factor, unit = scale_of("s", [max(wait, LEAST_TIME)])
    wait_text = (
        f"mean wait {'at most' if wait >= LEAST_TIME else 'below'} {digits(max(wait, LEAST_TIME) * factor, 2)} {unit}"
    )
    wait_text = wait_text if wait else "no wait"
    what = f"{len(ports)} other ports" if len(ports) > 1 else f"{ports[0].link}"
    return escape(f"{what}: no drops, busy at most {busy} % of the time, {wait_text}")


def _print_summaries(title: str, rows: Sequence[AnySummary], wide: bool) -> list[Column]:
    """Rows as a table, with the columns of the summary's class; returns those that did not fit."""
    of = [h for h in headings(type(rows[0])) if (wide and not h.rare) or _has_values(h, rows)]
    rates = [_number(h.value(row)) for h in of if h.unit == "bit/s" for row in rows]
    factor, rate = scale_of("bit/s", rates)
    columns = []
    for h in of:
        scale, heading = h.scale, h.heading
        if h.unit == "bit/s":
            scale, heading = factor, f"{heading.rsplit(' ', 1)[0]} {rate}"
        least = LEAST_TIME if h.unit == "s" else 0.0
        cells = [_cell(h.value(row), scale, wide, least) for row in rows]
        columns.append(Column(heading, h.rank, h.text, cells))
    return print_fitted(title, columns, wide)


def _has_values(heading: Heading, rows: Sequence[AnySummary]) -> bool:
    """Whether a column of counts has one that is not zero; drops are shown even if there are none."""
    values = [heading.value(row) for row in rows]
    return heading.path in (("drops",), ("drops", "full")) or any(not isinstance(v, int) or v for v in values)


def _print_groups(found: Sequence[FlowGroup], wide: bool) -> None:
    """Totals of the groups of flows."""
    factor, rate = scale_of("bit/s", [g.goodput_bps.mean for g in found] + [g.max_min_bps for g in found])
    shown = found[:MOST]

    def column(heading: str, rank: int, values: list[Any], scale: float = 1.0, least: float = 0.0) -> Column:
        return Column(heading, rank, isinstance(values[0], str), [_cell(v, scale, wide, least) for v in values])

    columns = [
        column("group", 0, [g.name for g in shown]),
        column("flows", 0, [g.flows for g in shown]),
        column("control", 6, [g.control for g in shown]),
        column(f"{_words('goodput_bps')} {rate}", 1, [g.goodput_bps for g in shown], factor),
        column(f"{_words('max_min_bps')} {rate}", 2, [g.max_min_bps for g in shown], factor),
        Column(
            f"range per flow {rate}",
            5,
            cells=[f"{digits(g.least_bps * factor)} to {digits(g.most_bps * factor)}" for g in shown],
        ),
        column(f"{_words('queueing_mean_s')} ms", 3, [g.queueing_s for g in shown], 1e3, LEAST_TIME),
        column(f"{_words('rtt_mean_s')} ms", 7, [g.rtt_s for g in shown], 1e3, LEAST_TIME),
        column(_words("drops"), 4, [g.counts["drops"] for g in shown]),
    ]
    for rank, key in enumerate(("retransmissions", "timeouts", "marks")):
        if wide or any(g.counts[key] for g in shown):
            columns.append(column(_words(key), 8 + rank, [g.counts[key] for g in shown]))
    for h in (h for h in headings(FlowSummary) if h.path[0] == "more"):
        values = [g.more[h.path[1]] for g in shown]
        if (wide and not h.rare) or any(not isinstance(v, int) or v for v in values):
            columns.append(column(h.heading, h.rank, values, h.scale, LEAST_TIME if h.unit == "s" else 0.0))
    print_fitted("groups: goodput and counts of all their flows together, delays the mean", columns, wide)
    _more(len(found), "groups")


def _words(column: str) -> str:
    """The heading of a metric."""
    return OF_COLUMN[column].heading


def _number(value: Any) -> float:
    return float(value.mean if isinstance(value, Mean) else value)


def _cell(value: Any, scale: float, wide: bool, least: float = 0.0) -> str:
    """A cell; of a value above 0 that is below `least` it says only that."""
    if not isinstance(value, str) and 0 < _number(value) < least:
        return f"<{least * scale:g}"
    if isinstance(value, Mean):
        return mean_text(value, scale) if wide else half_text(value, scale)
    return digits(value * scale) if isinstance(value, float) else str(value)
