"""headgate sweep: runs a study."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import signals
from .changes import changes_of
from .engines import engine_options
from .scenario_files import allow_code, allow_files, permit, plugin_files, read
from .show import print_json

if TYPE_CHECKING:
    from ..sweep import Sweep
    from ..sweep.driver import Progress


@click.command(
    epilog="""\b
Examples:
  headgate sweep scenarios/queues-and-rates.toml --dry-run
  headgate sweep scenarios/queues-and-rates.toml --out out/queues --workers 2
  headgate sweep scenarios/queues-and-rates.toml --out out/queues --resume"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@engine_options
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Memory that the runs of all workers may take together, such as 4GB; three quarters of the machine's unless given.",
)
@click.option("--resume", is_flag=True, help="Continue the study in the folder, if there is one.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the study; out/NAME-OF-FILE unless given.")
@click.option(
    "--set", "changes", metavar="PATH=VALUE", multiple=True, help="Change a value, e.g. sweep.replications=3."
)
@allow_files
@allow_code
@plugin_files
@click.option("--dry-run", is_flag=True, help="Check every variant and print what would be run.")
@click.option("--wide", is_flag=True, help="Print all columns, even if lines are longer than the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary, or with --dry-run the variants, as JSON.")
def sweep(
    file: Path,
    workers: int | None,
    engine: str,
    address: str | None,
    max_memory: str | None,
    resume: bool,
    out: Path | None,
    changes: tuple[str, ...],
    allowed: tuple[Path, ...],
    code: bool,
    dry_run: bool,
    wide: bool,
    as_json: bool,
) -> int:
    """Run the study in FILE: every variant of its scenario, several times.

    Exit code 1 if runs failed; they are recorded and the others are not affected.
    """
    with signals.loading():
        from rich.markup import escape

        from ..checks.phase import axis_warning
        from ..sweep import Sweep
        from ..sweep.driver import Interrupted
        from ..sweep.effects import warnings
        from .tables.sweep import print_study
        from .terminal import print_error, warn, warn_all

    study = Sweep.of(read(file, allowed))
    for option, path, value in changes_of(changes):
        study = study.set_option(option, path, value)
    if dry_run:
        exit_code = _dry(study, as_json)
        warn_all(warnings(study))
        warn(study.whole().unread())
        return exit_code
    permit(study.whole(), code)
    warn_all(warnings(study))
    warn(axis_warning(study.scenario, [path for axis in study.axes for path in axis.paths]))
    folder = out if out is not None else Path("out") / file.stem
    try:
        with _progress(f"running {file.name}") as callback:
            results = study.run(folder, workers, engine, address, resume, callback, max_memory)
    except Interrupted as e:
        signals.note(e.number)
        again = ["headgate", *(a for a in sys.argv[1:] if a != "--resume"), "--resume"]
        signals.mark_reported()
        print_error(
            f"stopped; what is finished is in {escape(str(folder))}. Go on with:\n  {escape(shlex.join(again))}"
        )
        raise click.exceptions.Exit(signals.code()) from None
    if as_json:
        from ..sweep.summary import to_dict

        print_json(to_dict(results))
    else:
        print_study(results, wide)
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
    from .tables.sweep import print_plan

    print_plan(study, checks)
    return 0


@contextmanager
def _progress(what: str) -> Iterator[Progress | None]:
    """A progress bar with the rate and the time left."""
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from ..results.results import digits
    from .terminal import bar_of

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
