"""headgate sweep: runs a study."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import shared, signals
from ..changes import changes_of
from ..command import Command, argument, option
from ..printed import FailureJson, Key, MeanJson, Shape, key
from ..scenario_files import allow_code, allow_files, permit, plugin_files, read
from ..show import print_json

if TYPE_CHECKING:
    from ...sweep import Sweep
    from ...sweep.driver import Progress


class SweepJson(Shape):
    """The study."""

    folder: str = key("Its folder.")
    version: str = key("Version of headgate.")
    seed: int = key("Seed of all random streams.")
    complete: bool = key("Whether all runs have ended.")
    runs: int = key("Runs that ended.")
    variants: list[VariantJson] = key("Each variant that ran.")
    failures: list[FailureJson] = key("Runs that failed.")


class VariantJson(Shape):
    """A variant: means over its runs, of all of its flows together."""

    variant: int = key("Its number.")
    axes: dict[str, Any] = key("The columns of the axes.")
    runs: int = key("Its runs.")
    runs_equal: bool = key("Whether there are several, and all are equal.")

    @classmethod
    def derived(cls) -> dict[str, tuple[Any, Key]]:
        """The metrics of the summary."""
        from ...results.columns import meaning_of, unit_of
        from ...sweep.summary import entry_of, metrics

        return {entry_of(m): (MeanJson, Key(meaning_of(m), unit_of(m), False)) for m in metrics()}


class SweepPlanJson(Shape):
    """What would be run."""

    seed: int = key("Seed of all random streams.")
    runs: int = key("Number of runs, at the least.")
    variants: list[PlannedJson] = key("Each variant.")


class PlannedJson(Shape):
    """A variant."""

    variant: int = key("Its number.")
    key_: str | None = key("By which its runs are known in a folder.")
    axes: dict[str, Any] = key("The columns of the axes.")
    error: str | None = key("What is wrong with it.")


class SweepCommand(Command):
    """Run the study in FILE: every variant of its scenario, several times.

    Exit code 1 if runs failed; they are recorded and the others are not affected.
    """

    group = "Compare"
    page = "how-to/sweep"
    examples = """\
headgate sweep scenarios/queues-and-rates.toml --dry-run
headgate sweep scenarios/queues-and-rates.toml --out out/queues --workers 2
headgate sweep scenarios/queues-and-rates.toml --out out/queues --resume
"""
    prints = {"": SweepJson, "With `--dry-run`": SweepPlanJson}

    file: Path = argument()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    max_memory: str | None = shared.max_memory("the runs of all workers may take together")
    resume: bool = shared.resume("study")
    out: Path | None = option("Folder of the study; out/NAME-OF-FILE unless given.")
    changes: tuple[str, ...] = shared.changes("sweep.replications=3")
    allowed: tuple[Path, ...] = allow_files()
    code: bool = allow_code()
    plugin: tuple[str, ...] = plugin_files()
    dry_run: bool = option("Check every variant and print what would be run.")
    wide: bool = shared.wide()
    as_json: bool = shared.as_json("the summary, or with --dry-run the variants,")

    def run(self) -> int:
        with signals.loading():
            from rich.markup import escape

            from ...checks.phase import axis_warning
            from ...sweep import Sweep
            from ...sweep.driver import Interrupted
            from ...sweep.effects import warnings
            from ..tables.sweep import print_study
            from ..terminal import print_error, warn, warn_all

        study = Sweep.of(read(self.file, self.allowed))
        for name, path, value in changes_of(self.changes):
            study = study.set_option(name, path, value)
        if self.dry_run:
            exit_code = _dry(study, self.as_json)
            warn_all(warnings(study))
            warn(study.whole().unread())
            return exit_code
        permit(study.whole(), self.code)
        warn_all(warnings(study))
        warn(axis_warning(study.scenario, [path for axis in study.axes for path in axis.paths]))
        folder = self.out if self.out is not None else Path("out") / self.file.stem
        try:
            with _progress(f"running {self.file.name}") as callback:
                results = study.run(
                    folder, self.workers, self.engine, self.address, self.resume, callback, self.max_memory
                )
        except Interrupted as e:
            signals.note(e.number)
            again = ["headgate", *(a for a in sys.argv[1:] if a != "--resume"), "--resume"]
            signals.mark_reported()
            print_error(
                f"stopped; what is finished is in {escape(str(folder))}. Go on with:\n  {escape(shlex.join(again))}"
            )
            raise click.exceptions.Exit(signals.code()) from None
        if self.as_json:
            from ...sweep.summary import to_dict

            print_json(to_dict(results))
        else:
            print_study(results, self.wide)
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
    from ..tables.sweep import print_plan

    print_plan(study, checks)
    return 0


@contextmanager
def _progress(what: str) -> Iterator[Progress | None]:
    """A progress bar with the rate and the time left."""
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from ...results.results import digits
    from ..terminal import bar_of

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
