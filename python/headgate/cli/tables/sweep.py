"""The tables of `headgate sweep`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape

from ...base.counts import counted, verb
from ...base.parts import Share
from ...results.results import digits
from ...sweep import Study, Sweep
from ...sweep.summary import headings, summary
from ...sweep.variants import Check
from ..terminal import console
from .fit import Column, names_of, print_fitted
from .means import interval_text

#: Maximum number of variants that are listed one by one in the terminal.
MOST = 40


def print_plan(study: Sweep, checks: Sequence[Check], part: str = "") -> None:
    """The plan of a study: the axes, and the variants that are no valid scenarios; `part` says what a part has of it."""
    out = console()
    rows = []
    for axis in study.axes:
        values = [str(x) for x in axis.columns[axis.name]]
        shown = values if len(values) <= 8 else [*values[:6], "...", values[-1]]
        rows.append((axis.name, "\n".join(axis.paths), str(len(axis)), ", ".join(shown)))
    if rows:
        columns = [Column(heading, text=heading != "points") for heading in ("axis", "sets", "points", "values")]
        for column, cells in zip(columns, zip(*rows, strict=True), strict=True):
            column.cells = list(cells)
        print_fitted("axes", columns)
    bad = [(v, c.error) for v, c in enumerate(checks) if c.error is not None]
    for v, error in bad[:10]:
        out.print(f"variant {v} ({escape(study.describe(v))}) is no valid scenario: {escape(error)}")
    if len(bad) > 10:
        out.print(f"and {len(bad) - 10} more: the same command with --json has all")
    atleast = "at least " if study.stops else ""
    out.print(
        f"{counted(len(checks), 'variant')}, {atleast}{counted(study.least_runs, 'run')}, seed {study.seed}; {part}nothing was run"
    )


def print_study(study: Study, wide: bool = False) -> None:
    """The summary in the terminal."""
    out = console()
    entries = summary(study)
    runs = sum(e["runs"] for e in entries)
    name, variants = study.manifest["scenario"].get("name") or "study", counted(study.manifest["variants"], "variant")
    out.print(
        f"[bold]{escape(name)}[/]  {variants}, {counted(runs, 'run')}, seed {study.manifest['seed']}",
        soft_wrap=True,
    )
    equal = sum(e["runs_equal"] for e in entries)
    if entries and equal == len(entries):
        out.print("all runs of a variant are equal: nothing is drawn that differs by seed, so there")
        out.print("is no interval; rtt and queueing are means over all packets")
    elif entries and all(e["runs"] == 1 for e in entries):
        out.print("one run of each variant, so there is no interval")
        out.print("rtt and queueing are means over all packets, rtt p99 the mean of their quantiles")
    else:
        out.print("mean over a variant's runs ± half of its 95 % interval")
        out.print("rtt and queueing are means over all packets, rtt p99 the mean of their quantiles")
        if equal:
            of = f"{counted(equal, 'variant')} {verb(equal, 'has', 'have')}"
            out.print(f"{of} no interval: all their runs are equal, nothing is drawn there")
    axes = [axis for axis in study.axes if len(axis) > 1]
    shown = entries[:MOST]
    columns = [Column(a.name, text=True, cells=[_cell(e["axes"][a.name]) for e in shown]) for a in axes]
    columns.append(Column("runs", 5, cells=[str(e["runs"]) for e in shown]))
    for name, heading, scale, rank in headings():
        if all(name in e for e in shown):
            columns.append(Column(heading, rank, cells=[interval_text(e[name], scale) for e in shown]))
    left = print_fitted("variants", columns, wide) if entries else []
    out.print()
    if left:
        out.print(f"columns left out: {names_of(left)}; --wide shows them")
    if len(entries) > MOST:
        out.print(f"[dim]and {len(entries) - MOST} more variants; --json and the tables in the folder have them all[/]")
    _print_failures(study)
    out.print(f"tables in {escape(str(study.folder))}", soft_wrap=True)


def print_part(study: Study, part: Share) -> None:
    """What was made of a part, and what becomes of it."""
    out = console()
    out.print(f"[bold]part {part}[/]  {counted(len(study.runs), 'run')}, seed {study.manifest['seed']}")
    _print_failures(study)
    folder = escape(str(study.folder))
    out.print(f"tables in {folder}; when all parts are there: headgate gather DIR... --out OUT", soft_wrap=True)


def _print_failures(study: Study) -> None:
    """The first runs that failed, and how many did."""
    if not len(study.failures):
        return
    out, rows = console(), study.failures.to_pylist()
    axes = [axis for axis in study.axes if len(axis) > 1]
    for row in rows[:5]:
        point = ", ".join(f"{a.name} = {_cell(row[a.name])}" for a in axes) or "the scenario"
        out.print(f"[bold red]failed:[/] {escape(point)}, replication {row['replication']}: {escape(row['error'])}")
    more = f", {len(rows) - 5} of them not shown" if len(rows) > 5 else ""
    out.print(
        f"[bold red]{counted(len(rows), 'run')} failed{more}[/]; the table failures has their scenarios, --resume tries them again"
    )


def _cell(value: Any) -> str:
    return digits(value) if isinstance(value, float) else str(value)
