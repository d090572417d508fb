"""headgate sweep: runs a study."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.markup import escape
from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from ..results import digits
from . import signals
from .run import changes_of
from .show import bar_of, console, print_error, print_json

if TYPE_CHECKING:
    from ..sweep import Study, Sweep
    from ..sweep.driver import Progress

#: More variants than this are not listed one by one in the terminal.
MOST = 40


@click.command(
    epilog="""\b
Examples:
  headgate sweep scenarios/queues-and-rates.toml --dry-run
  headgate sweep scenarios/queues-and-rates.toml --out out/queues --workers 2
  headgate sweep scenarios/queues-and-rates.toml --out out/queues --resume"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--workers", type=click.IntRange(1), help="Processes; one per processor unless given.")
@click.option(
    "--engine", type=click.Choice(["local", "dask"]), default="local", show_default=True, help="Where to work."
)
@click.option("--address", help="Of a Dask scheduler, such as tcp://host:8786; a cluster on this machine unless given.")
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Memory that the runs of all workers may take together, such as 4GB; three quarters of the machine's unless given.",
)
@click.option("--resume", is_flag=True, help="Go on with the study in the folder, if there is one.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the study; out/NAME-OF-FILE unless given.")
@click.option(
    "--set", "changes", metavar="PATH=VALUE", multiple=True, help="Change a value, e.g. sweep.replications=3."
)
@click.option("--dry-run", is_flag=True, help="Check every variant and say what would be run.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the summary, or with --dry-run the variants, for machines."
)
def sweep(
    file: Path,
    workers: int | None,
    engine: str,
    address: str | None,
    max_memory: str | None,
    resume: bool,
    out: Path | None,
    changes: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run the study in FILE: every variant of its scenario, several times.

    Exit code 1 if runs failed; they are recorded and the others are not affected.
    """
    from ..sweep import Sweep
    from ..sweep.driver import Interrupted

    study = Sweep.from_file(file)
    for path, value in changes_of(changes):
        study = study.set(path, value)
    if dry_run:
        return _dry(study, as_json)
    folder = out if out is not None else Path("out") / file.stem
    try:
        with _progress(f"running {file.name}") as callback:
            results = study.run(folder, workers, engine, address, resume, callback, max_memory)
    except Interrupted:
        again = ["headgate", *(a for a in sys.argv[1:] if a != "--resume"), "--resume"]
        signals.say()
        print_error(
            f"stopped; what is finished is in {escape(str(folder))}. Go on with:\n  {escape(shlex.join(again))}"
        )
        raise click.exceptions.Exit(signals.STOPPED) from None
    if as_json:
        from ..sweep.summary import to_dict

        print_json(to_dict(results))
    else:
        print_study(results)
    return 1 if len(results.failures) else 0


def _dry(study: Sweep, as_json: bool) -> int:
    checks = study.check()
    variants = study.variants()
    if as_json:
        entries = [
            {"variant": v, "key": c.key, "axes": cells, "error": c.error}
            for v, (cells, c) in enumerate(zip(variants, checks, strict=True))
        ]
        print_json({"seed": study.seed, "runs": study.least_runs, "variants": entries})
        return 0
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
    out.print(f"{len(variants)} variants, {atleast}{study.least_runs} runs, seed {study.seed}; nothing was run")
    return 0


def print_study(study: Study) -> None:
    """The summary in the terminal."""
    from ..sweep.summary import headings, summary

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


@contextmanager
def _progress(what: str) -> Iterator[Progress | None]:
    """A progress bar with the rate and the time left; nothing if there is no terminal."""
    failures = TextColumn("[red]{task.fields[failed]}")
    with bar_of(MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), failures) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(what, total=None, rate="", failed="")

        def update(done: int, total: int, failed: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{digits(speed, 3)} runs/s" if speed else ""
            bar.update(
                task, completed=done + failed, total=total, rate=rate, failed=f"{failed} failed" if failed else ""
            )

        yield update
