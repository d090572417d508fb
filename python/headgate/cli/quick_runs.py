"""What `headgate quick` answers with: the runs of a line, and how they are shown. Whoever asks has it here, in a terminal or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import HeadgateError, cut
from . import signals

if TYPE_CHECKING:
    from ..base.parallel import Progress
    from ..checks.phase import Phase
    from ..quick.line import TypedLine
    from ..quick.sweeping import ShaperSweep
    from ..results.results import Results
    from ..scenario.scenario import Scenario

#: Gives what is told of the progress of some work, which it is called with, or None.
Told = Callable[[str], AbstractContextManager["Progress | None"]]


@dataclass
class OneRun:
    """The run of a line without several values."""

    line: TypedLine
    results: Results
    warnings: list[str]
    notes: list[str]
    phase: Phase | None = None

    def sentences(self) -> list[str]:
        """All that is said below the tables."""
        from ..results.sentences import sentences

        return [*self.notes, *sentences(self.results)]

    def print(self, top: int | None = None, wide: bool = False) -> None:
        """The tables and the sentences."""
        from .tables.phase import print_phase
        from .tables.run import print_results
        from .terminal import console

        out = console()
        _print_read(self.line)
        print_results(self.results, top, wide)
        if self.phase is not None:
            print_phase(self.phase)
        out.print()
        for sentence in self.sentences():
            out.print(sentence, markup=False)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        said = self.line.sentences()
        more = {"warnings": self.warnings} | ({"read_as": said} if said else {})
        return self.results.to_dict() | more | ({} if self.phase is None else {"phase": self.phase.to_dict()})


@dataclass
class SeveralRuns:
    """A run for each value of an option."""

    line: TypedLine
    results: list[Results]
    cautions: list[str]
    warnings: list[str]
    notes: list[str] = field(default_factory=list)

    @property
    def option(self) -> str:
        """The option with several values."""
        return f"--{self.line.axis.replace('_', '-')}"

    def sentences(self) -> list[str]:
        """All that is said below the table."""
        return [*self.notes, *self.cautions]

    def print(self) -> None:
        """The table and the sentences."""
        from .tables.several import print_several
        from .terminal import console

        out = console()
        _print_read(self.line)
        print_several(self.option, self.line.values, self.results)
        out.print()
        for note in self.sentences():
            out.print(note, markup=False)
        out.print("Each row is a run by itself. One of them with all that it has:")
        out.print(self.line.each()[-1].command(), markup=False, soft_wrap=True)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        values = zip(self.line.values, self.results, strict=True)
        return {
            "option": self.option,
            "runs": [{"value": value, **one.to_dict()} for value, one in values],
            "cautions": self.cautions,
            "warnings": self.warnings,
            "read_as": self.line.sentences(),
        }


@dataclass
class ShaperRuns:
    """Whether a shaper would help: a run for each of some rates."""

    line: TypedLine
    found: ShaperSweep
    notes: list[str]

    def sentences(self) -> list[str]:
        """All that is said below the table."""
        return [*self.notes, *self.found.sentences()]

    def print(self) -> None:
        """The table and the sentences."""
        from .tables.shaper import print_sweep
        from .terminal import console

        out = console()
        for sentence in self.line.sentences():
            out.print(sentence, markup=False, soft_wrap=True)
        print_sweep(self.found)
        out.print()
        for sentence in self.sentences():
            out.print(sentence, markup=False)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        said = self.line.sentences()
        return self.found.to_dict() | ({"read_as": said} if said else {})


def _print_read(line: TypedLine) -> None:
    from .terminal import console

    out, said = console(), line.sentences()
    for sentence in said:
        out.print(sentence, markup=False, soft_wrap=True)
    if said:
        out.print()


def given_of(line: TypedLine) -> tuple[dict[str, Any], int]:
    """The arguments of a scenario, and the number of runs.

    Raises:
        HeadgateError: the seed is none.
    """
    from ..quick import preset

    given = dict(line.options)
    replications = int(given.pop("replications", None) or 1)
    seed = str(given.get("seed", 1)).strip()
    if not re.fullmatch(r"\d{1,20}", seed) or int(seed) >= 2**64:
        raise HeadgateError(
            f"--seed: found {cut(repr(seed))}; expected a whole number from 0 to 2^64-1, or several as 1..5"
        )
    if "seed" in given:
        given["seed"] = int(seed)
    sort = given.pop("preset", None)
    return ({} if sort is None else preset(sort)) | given, replications


def sweeps_shaper(line: TypedLine) -> bool:
    """Whether rates of a shaper are tried."""
    return str(line.options.get("shaper", "")).partition(":")[0].strip() == "sweep"


def scenarios_of(line: TypedLine) -> list[Scenario]:
    """The scenario of each value of a line; one if no option has several."""
    from ..quick import scenario

    return [scenario(flows=line.flows, up_flows=line.up_flows, **given_of(one)[0]) for one in line.each()]


def one(line: TypedLine, phase: bool, told: Told, figure: Path | None = None) -> OneRun:
    """The run of a line, and with `phase` the check whether the phase of arrivals decides its shares.

    Raises:
        HeadgateError: the line is no scenario.
    """
    from ..quick import finely, notes, shaper_said

    given, replications = given_of(line)
    (scenario,) = scenarios_of(line)
    with told("running") as callback:
        results = scenario.run(None, replications, None, callback)
    # What tables need is loaded while it runs.
    with signals.loading():
        from ..checks.phase import check, in_step
        from ..scenario.effects import warnings
    if figure is not None:
        from ..plots import shares

        shares(finely(scenario).run(), figure)
    found = None
    if phase and in_step(scenario):
        with told("with other host noise") as callback:
            found = check(scenario, results, progress=callback)
    shaped, above = shaper_said(line.flows, line.up_flows, **given)
    about = notes(given["rtt"], line.flows, line.up_flows, given.get("transport", "same"))
    return OneRun(line, results, [*warnings(results.scenario), *above], [*shaped, *about], found)


def several(line: TypedLine, phase: bool, told: Told) -> SeveralRuns:
    """A run for each value of the option that has several.

    Raises:
        HeadgateError: one of them is no scenario.
    """
    with signals.loading():
        from ..checks.phase import check, in_step
        from ..quick import notes
        from ..results.sentences import unsettled
        from ..scenario.effects import warnings_of_all

    option = f"--{line.axis.replace('_', '-')}"
    results, cautions = [], list[str]()
    scenarios: Sequence[Scenario] = scenarios_of(line)
    given, replications = given_of(line.each()[-1])
    for scenario, value in zip(scenarios, line.values, strict=True):
        with told(f"running {option} {value}") as callback:
            results.append(scenario.run(None, replications, None, callback))
        own = unsettled(results[-1])
        if phase and in_step(scenario):
            with told("with other host noise") as callback:
                found = check(scenario, results[-1], progress=callback)
            own += [found.sentence()] if found.depends else []
        cautions += [f"{option} {value}: {sentence}" for sentence in own]
    about = notes(given["rtt"], line.flows, line.up_flows, given.get("transport", "same"))
    return SeveralRuns(line, results, cautions, warnings_of_all(each.scenario for each in results), about)


def shaper(line: TypedLine, told: Told) -> ShaperRuns:
    """Whether a shaper would help, and at which rate.

    Raises:
        HeadgateError: the line is no scenario.
    """
    with signals.loading():
        from ..quick import notes, shaper_sweep

    given, _ = given_of(line)
    with told("trying rates") as callback:
        found = shaper_sweep(line.flows, line.up_flows, progress=callback, **given)
    about = notes(given["rtt"], line.flows, line.up_flows, given.get("transport", "same"))
    return ShaperRuns(line, found, about)


def require_one_question(line: TypedLine, figure: Path | None = None) -> None:
    """Whether a line asks for one thing only.

    Raises:
        HeadgateError: several values stand beside a figure, or rates that are tried are among them.
    """
    if not line.axis:
        return
    option = f"--{line.axis.replace('_', '-')}"
    other = "--figure" if figure is not None else ""
    if other or any(value.startswith("sweep") for value in line.values if line.axis == "shaper"):
        single = next(value for value in line.values if not value.startswith("sweep"))
        raise HeadgateError(
            f"{other or '--shaper'}: found several values of {option}; expected one, as {option} {single}"
        )


def answered(line: TypedLine, phase: bool, told: Told, figure: Path | None = None) -> OneRun | SeveralRuns | ShaperRuns:
    """What a line asks for.

    Raises:
        HeadgateError: it is no scenario, or asks for two things at once.
    """
    require_one_question(line, figure)
    if line.axis:
        return several(line, phase, told)
    return shaper(line, told) if sweeps_shaper(line) else one(line, phase, told, figure)
