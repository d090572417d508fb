"""The tables of `headgate run`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from ...results import Results, digits
from ...stats import Mean
from ...summaries import AnySummary, headings
from ..terminal import console

#: More flows or ports than this are not listed one by one in the terminal.
MOST = 60


def print_results(results: Results) -> None:
    """The tables in the terminal."""
    out = console()
    several = len(results.runs) > 1
    over = f"{len(results.runs)} replications" if several else "intervals after the warm-up"
    out.print(
        f"[bold]{escape(results.runs[0].name or 'scenario')}[/]  seed {results.seed}  digest {results.runs[0].digest}"
    )
    out.print(f"[dim]mean ± standard deviation (95 % half width) over {over}; counts are totals[/]")
    _print_summaries("flows", "flows", results.flow_summaries(MOST), results.flow_count)
    classes = results.class_summaries()
    if classes:
        title = "transfers, from when the source has them until the sink has all"
        _print_summaries(title, "classes", classes[:MOST], len(classes))
    _print_links(results)
    fairness = results.fairness()
    parts = [f"{k} {digits(v)}" for k, v in fairness.items() if v is not None]
    out.print("fairness: " + ", ".join(parts))


def _print_links(results: Results) -> None:
    """Ports that a discipline manages or that did something; hosts' ports only if they are busy."""
    busy = [x for x in results.link_summaries() if x.utilisation.mean > 0 and x.queue != "host"]
    links = [x for x in busy if x.utilisation.mean >= 0.01 or x.lost or any(n > 0 for n in x.drops.values())] or busy
    if links:
        _print_summaries(
            "gateways' ports that are busy 1 % of the time or more, or drop", "ports", links[:MOST], len(links)
        )


def _print_summaries(title: str, what: str, rows: Sequence[AnySummary], count: int) -> None:
    """The first rows of so many as a table, with the columns that the summary's class says."""
    columns = [c for c in headings(type(rows[0])) if not c.rare or any(c.value(row) for row in rows)]
    table = Table(title=title, title_justify="left")
    for column in columns:
        table.add_column(column.heading, justify="left" if column.text else "right")
    for row in rows:
        table.add_row(*(_cell(column.value(row), column.scale) for column in columns))
    out = console()
    out.print(table)
    if count > len(rows):
        out.print(f"[dim]and {count - len(rows)} more {what}; --out or --json has them all[/]")


def _cell(value: Any, scale: float) -> str:
    if isinstance(value, Mean):
        return mean_text(value, scale)
    return digits(value * scale) if isinstance(value, float) else escape(str(value))


def mean_text(mean: Mean, scale: float = 1.0) -> str:
    """A mean with its deviation and the half width of its 95 % interval; never without its spread."""
    if mean.n == 0:
        return "-"
    value = digits(mean.mean * scale)
    if mean.n == 1 or not mean.std >= 0:
        return f"{value} (n=1)"
    return f"{value} ± {digits(mean.std * scale, 2)} ({digits(mean.half * scale, 2)})"
