"""The tables of `headgate sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from ...results import digits
from ...sweep import Study, Sweep
from ...sweep.summary import headings, summary
from ...sweep.sweep import Check
from ..terminal import console

#: More variants than this are not listed one by one in the terminal.
MOST = 40


def print_plan(study: Sweep, checks: Sequence[Check]) -> None:
    """What would be run: the axes, and the variants that are no valid scenarios."""
    out = console()
    table = Table(title="axes", title_justify="left")
    for heading in ("axis", "sets", "points", "values"):
        table.add_column(heading, justify="right" if heading == "points" else "left")
    for axis in study.axes:
        values = [str(x) for x in axis.columns[axis.name]]
        shown = values if len(values) <= 8 else [*values[:6], "...", values[-1]]
        table.add_row(axis.name, escape("\n".join(axis.paths)), str(len(axis)), escape(", ".join(shown)))
    if study.axes:
        out.print(table)
    bad = [(v, c.error) for v, c in enumerate(checks) if c.error is not None]
    for v, error in bad[:10]:
        out.print(f"variant {v} ({escape(study.describe(v))}) is no valid scenario: {escape(error)}")
    if len(bad) > 10:
        out.print(f"and {len(bad) - 10} more")
    atleast = "at least " if study.stops else ""
    out.print(f"{len(checks)} variants, {atleast}{study.least_runs} runs, seed {study.seed}; nothing was run")


def print_study(study: Study) -> None:
    """The summary in the terminal."""
    out = console()
    entries = summary(study)
    runs = sum(e["runs"] for e in entries)
    name = study.manifest["scenario"].get("name") or "study"
    out.print(
        f"[bold]{escape(name)}[/]  {study.manifest['variants']} variants, {runs} runs, seed {study.manifest['seed']}"
    )
    out.print(
        "[dim]mean over the runs of a variant ± half width of its 95 % interval; rtt and queueing are means over flows[/]"
    )
    table = Table(title="variants", title_justify="left")
    axes = [axis for axis in study.axes if len(axis) > 1]
    for axis in axes:
        table.add_column(escape(axis.name))
    table.add_column("runs", justify="right")
    shown = headings()
    for _, heading, _ in shown:
        table.add_column(heading, justify="right")
    for entry in entries[:MOST]:
        cells = [escape(_cell(entry["axes"][axis.name])) for axis in axes]
        means = [_interval(entry[name], scale) for name, _, scale in shown]
        table.add_row(*cells, str(entry["runs"]), *means)
    if entries:
        out.print(table)
    if len(entries) > MOST:
        out.print(f"[dim]and {len(entries) - MOST} more variants; --json and the tables in the folder have them all[/]")
    if len(study.failures):
        rows = study.failures.to_pylist()
        for row in rows[:5]:
            point = ", ".join(f"{a.name} = {_cell(row[a.name])}" for a in axes) or "the scenario"
            out.print(f"[red]failed:[/] {escape(point)}, replication {row['replication']}: {escape(row['error'])}")
        more = f", {len(rows) - 5} of them not shown" if len(rows) > 5 else ""
        out.print(
            f"[red]{len(rows)} runs failed{more}[/]; the table failures has their scenarios, --resume tries them again"
        )
    out.print(f"tables in {escape(str(study.folder))}")


def _cell(value: Any) -> str:
    return digits(value) if isinstance(value, float) else str(value)


def _interval(mean: Any, scale: float) -> str:
    if mean.n == 0:
        return "-"
    value = digits(mean.mean * scale)
    return f"{value} ± {digits(mean.half * scale, 2)}" if mean.n > 1 else value
