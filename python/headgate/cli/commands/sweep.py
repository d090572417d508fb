"""headgate sweep: runs a study."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.parts import PartMark, Share, read_part
from .. import shared, signals
from ..changes import changes_of
from ..command import Command, argument, option
from ..printed import Key, MeanJson, PartJson, Shape, StudyJson, key
from ..scenario_files import allow_code, allow_files, permit, plugin_files, read, titled
from ..show import print_json
from ..studies import part_folder, run_part, say_rest, study_progress

if TYPE_CHECKING:
    from ...sweep import Study, Sweep


class SweepJson(StudyJson):
    """The study."""

    folder: str = key("Its folder.")
    variants: list[VariantJson] = key("Each variant that ran.")


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
    question = "what happens in every variant of a scenario?"
    examples = """\
headgate sweep scenarios/queues-and-rates.toml --dry-run
headgate sweep scenarios/queues-and-rates.toml --out out/queues --workers 2
headgate sweep scenarios/queues-and-rates.toml --out out/queues --resume
headgate sweep scenarios/queues-and-rates.toml --part 3/64 --out parts/3
"""
    prints = {"": SweepJson, "With `--dry-run`": SweepPlanJson, "With `--part`": PartJson}

    file: Path = argument()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    max_memory: str | None = shared.max_memory("the runs of all workers may take together")
    part: str | None = shared.part()
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
            from ...checks.phase import axis_warning
            from ...sweep import Sweep
            from ...sweep.effects import warnings

        part = None if self.part is None else read_part(self.part)
        study = Sweep.of(read(self.file, self.allowed))
        for name, path, value in changes_of(self.changes):
            study = study.set_option(name, path, value)
        if self.dry_run:
            exit_code = _dry(study, self.as_json, part)
            _warn(*warnings(study), study.whole().unread())
            return exit_code
        permit(study.whole(), self.code)
        _warn(*warnings(study), axis_warning(study.scenario, [path for axis in study.axes for path in axis.paths]))
        folder = self.out if self.out is not None else Path("out") / Path(titled(self.file)).stem
        if part is not None:
            return run_part(self, part, study, self.out or part_folder(folder, part))
        with study_progress(f"running {titled(self.file)}", folder) as callback:
            results = study.run(folder, self.workers, self.engine, self.address, self.resume, callback, self.max_memory)
        return _shown(results, self.as_json, self.wide)

    @classmethod
    def gathered(cls, marks: Sequence[PartMark], out: Path, incomplete: bool, as_json: bool) -> int:
        """Joins parts for `headgate gather`."""
        with signals.loading():
            from ...sweep.parts import join
        results = join(marks, out, incomplete)
        say_rest(marks[0].part, results, out)
        return _shown(results, as_json)


def _warn(*messages: str) -> None:
    if any(messages):
        # Loaded only then, so that runs begin at once.
        from ..terminal import warn_all

        warn_all(messages)


def _shown(results: Study, as_json: bool, wide: bool = False) -> int:
    if as_json:
        from ...sweep.summary import to_dict

        print_json(to_dict(results))
    else:
        from ..tables.sweep import print_study

        print_study(results, wide)
    return 1 if len(results.failures) else 0


def _dry(study: Sweep, as_json: bool, part: Share | None) -> int:
    checks = study.check()
    variants = study.variants()
    runs = study.least_runs if part is None else sum(1 for _ in part.positions(study.least_runs))
    if as_json:
        entries = [
            {"variant": v, "key": c.key, "axes": cells, "error": c.error}
            for v, (cells, c) in enumerate(zip(variants, checks, strict=True))
        ]
        print_json({"seed": study.seed, "runs": runs, "variants": entries})
        return 0
    from ..tables.sweep import print_plan

    print_plan(study, checks, "" if part is None else f"part {part} has {runs} of them; ")
    return 0
