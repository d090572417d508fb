"""headgate artifact: a folder or a zip with what a study or a scenario gave, which can be made again and compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import HeadgateError, cut
from .. import shared, signals
from ..changes import changes_of
from ..command import Command, argument, option
from ..printed import Shape, key
from ..scenario_files import allow_code, allow_files, permit, plugin_files, read, titled
from ..show import print_json

if TYPE_CHECKING:
    from ...scenario.scenario import Scenario
    from ..artifact_check import Checked


class ArtifactJson(Shape):
    """The artifact."""

    version: str = key("Version of headgate.")
    out: str = key("Its folder or its zip.")
    runs: int = key("Runs in it.")
    files: list[str] = key("Its files, beside `artifact.json`.")
    undrawn: dict[str, str] = key("By the names of figures that could not be drawn, why.")


class RemadeJson(Shape):
    """Whether it can be made again."""

    version: str = key("Version of headgate.")
    agrees: bool = key("Whether nothing differs: if so, the exit code is 0.")
    compared: dict[str, int] = key("How many `digests`, `tables` and `figures` were compared.")
    differences: list[DifferenceJson] = key("What differs.")
    versions: dict[str, OtherJson] = key("By its name, each program and library of another version than here.")
    notes: list[str] = key("What was not compared, and why.")


class DifferenceJson(Shape):
    """A difference."""

    name: str = key("What differs.")
    found: str = key("What was made here, or is in the folder.")
    expected: str = key("What the artifact says.")


class OtherJson(Shape):
    """Two versions; null where there is none."""

    artifact: str | None = key("That of the artifact.")
    here: str | None = key("That here.")


class ArtifactCommand(Command):
    """Run STUDY and write an artifact of it: the scenario, versions, digests, tables, figures, and the command that makes it again.

    STUDY is the file of a study or of a scenario, or in quotation marks a link that holds a scenario. With --check it is an artifact,
    whose runs are made again and compared: the exit code is 0 only if all digests, tables and figures agree. Without --check it is 1 if
    runs failed.
    """

    group = "Compare"
    page = "how-to/artifact"
    question = "can others make my results again?"
    notes = """The artifact says which versions made it. The same versions give the same bytes, also of a zip. Figures are
compared only with the same version of matplotlib."""
    examples = """\
headgate artifact scenarios/queues-and-rates.toml --replications 2 \\
  --out queues.zip
headgate artifact scenarios/two-sources.toml --out two --json
headgate artifact --check queues.zip
headgate artifact --check two --json
"""
    prints = {"": ArtifactJson, "With `--check`": RemadeJson}

    file: Path = argument(metavar="STUDY")
    check: bool = option("Make the runs of the artifact STUDY again, and compare.")
    out: Path | None = option(
        "Folder of the artifact, or its file if the name ends in .zip; out/NAME-artifact unless given.",
        metavar="FOLDER|FILE.zip",
    )
    seed: int | None = shared.seed("Seed of all random streams, instead of the file's.", None)
    replications: int | None = option("Number of independent runs, of each variant.", least=1, most=100_000)
    metrics: tuple[str, ...] = option("Metric of a figure of a study; goodput unless given.", None, "--metric")
    figures: bool = option("Draw figures. On unless --no-figures is given.", True, "--figures/--no-figures")
    changes: tuple[str, ...] = shared.changes("duration=60s")
    workers: int | None = shared.workers()
    max_memory: str | None = shared.max_memory("the runs may take together")
    allowed: tuple[Path, ...] = allow_files()
    code: bool = allow_code()
    plugin: tuple[str, ...] = plugin_files()
    as_json: bool = shared.as_json("what was made, or with --check what was compared,")

    def run(self) -> int:
        return self._check() if self.check else self._make()

    def _make(self) -> int:
        with signals.loading():
            from ... import __version__
            from ...base.counts import counted
            from ...plots.canvas import require as can_draw
            from ...scenario.links import is_link
            from ..artifacts import Commission, fill, is_metric, replacing, require_place
            from ..terminal import console, note

        scenario = self._scenario()
        metrics = (self.metrics or ("goodput",)) if self.figures else ()
        if wrong := next((name for name in metrics if not is_metric(name)), None):
            raise HeadgateError(f"--metric: found {cut(repr(wrong))}; expected the name of a metric, such as goodput")
        title = titled(self.file)
        out = self.out or Path("out") / f"{'link' if is_link(str(self.file)) else self.file.stem}-artifact"
        permit(scenario, self.code)
        require_place(out)
        if metrics:
            can_draw("figure.svg")
        wanted = Commission(scenario, self.replications or 1, metrics, self.workers, self.max_memory, title)
        with replacing(out) as folder:
            made = fill(wanted, folder)
        failed = "tables/failures.csv" in made["files"]
        if self.as_json:
            print_json(
                {
                    "version": __version__,
                    "out": str(out),
                    "runs": len(made["digests"]),
                    "files": list(made["files"]),
                    "undrawn": made["undrawn"],
                }
            )
            return int(failed)
        console().print(f"artifact of {counted(len(made['digests']), 'run')}: {out}", markup=False, soft_wrap=True)
        for name, why in made["undrawn"].items():
            note(f"the figure {name} was not drawn; {why}")
        if failed:
            note("runs failed: tables/failures.csv of the artifact says which, and why")
        return int(failed)

    def _scenario(self) -> Scenario:
        """The scenario or the study with what the options change."""
        scenario = read(self.file, self.allowed)
        changes: list[tuple[str, str, Any]] = list(changes_of(self.changes))
        is_study = "sweep" in scenario.data
        if self.seed is not None:
            sweep_has_one = is_study and "seed" in scenario.data["sweep"]
            changes.append(("--seed", "sweep.seed" if sweep_has_one else "seed", self.seed))
        if is_study:
            from ...sweep import Sweep

            if self.replications is not None:
                changes.append(("--replications", "sweep.replications", self.replications))
            study = Sweep.of(scenario)
            for name, path, value in changes:
                study = study.set_option(name, path, value)
            study.check()
            return study.whole()
        for name, path, value in changes:
            scenario = scenario.set_option(name, path, value)
        if self.figures and not scenario.data.get("traces"):
            from ...plots.traces import TRACES

            # Traces change no digest.
            scenario = scenario.put("traces", list(TRACES))
        scenario.resolve()
        return scenario

    def _check(self) -> int:
        given = {
            "--out": self.out, "--seed": self.seed, "--replications": self.replications, "--metric": self.metrics,
            "--set": self.changes, "--no-figures": not self.figures,
        }  # fmt: skip
        if found := next((name for name, value in given.items() if value), None):
            raise HeadgateError(f"{found}: found it with --check; expected none, since the artifact says it")
        with signals.loading():
            from ..artifact_check import checked
            from ..artifacts import opened

        with opened(self.file) as folder:
            result = checked(folder, lambda scenario: permit(scenario, self.code), self.workers, self.max_memory)
        if self.as_json:
            print_json(_as_json(result))
        else:
            _print(result)
        return 0 if result.agrees else 1


def _as_json(result: Checked) -> dict[str, Any]:
    from ... import __version__

    return {
        "version": __version__,
        "agrees": result.agrees,
        "compared": result.compared,
        "differences": [vars(one) for one in result.differences],
        "versions": {name: {"artifact": there, "here": here} for name, (there, here) in result.versions.items()},
        "notes": result.notes,
    }


def _print(result: Checked) -> None:
    from ...base.counts import counted
    from ..terminal import console, note

    out = console()
    for name, (there, here) in result.versions.items():
        note(f"{name}: the artifact was made with {there or 'none'}, and here is {here or 'none'}")
    for text in result.notes:
        note(text)
    for difference in result.differences:
        out.print(str(difference), markup=False, soft_wrap=True)
    what = ", ".join(counted(number, kind[:-1]) for kind, number in result.compared.items())
    end = "all agree" if result.agrees else f"{counted(len(result.differences), 'difference')}"
    out.print(f"made again and compared: {what}; {end}", markup=False, soft_wrap=True)
