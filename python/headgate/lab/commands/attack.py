"""headgate attack: the scenario in which a scheme fails, found and made small."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import HeadgateError
from ...cli import completing, shared, signals
from ...cli.changes import parameters_of
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import ReportJson, RunsJson, Shape, key

if TYPE_CHECKING:
    from ..frame.subjects import Judged


class AttackJson(ReportJson):
    """What the search found, and what it took."""

    objective: str = key("The property that must fail.")
    limit: float = key("Value at which it counts as failed, in the unit of the objective.")
    margin: float = key("How many times better the best reference is.")
    references: list[str] = key("The references in the same place.")
    seed: int = key("Seed of the search.")
    candidates: int = key("Scenarios that were tried.")
    runs: int = key("Runs that this took.")
    cpu_s: float = key("Processor time.", "s")
    candidates_per_cpu_hour: int | None = key("Candidates in an hour of processor time.")
    wall_s: float = key("Real time.", "s")
    best: float | None = key(
        "The greatest score of a candidate: the logarithm of how far it is beyond limit and margin, below 0 if it is not."
    )
    rejected: int = key("Candidates that failed with the search's seed and not with most others.")
    findings: list[BreakJson] = key("The breaks.")


class BreakJson(Shape):
    """A break."""

    sentence: str = key("The break in a sentence.")
    value: float | None = key("Median over the unseen runs, in the unit of the objective.")
    references: dict[str, float | None] = key("The same of each reference.")
    failed: int = key("Unseen runs in which it failed.")
    runs: int = key("Unseen runs.")
    after: int = key("Candidates until then.")
    active: list[str] = key("The numbers that differ from a plain path.")
    genome: GenomeJson = key("What the search set.")
    scenario: dict[str, Any] = key("The scenario.")


class GenomeJson(Shape):
    """The numbers and choices of a scenario."""

    numbers: dict[str, float] = key("Numbers by their names, in s, bit/s and shares.")
    queue: str = key("Discipline of the line.")
    pattern: str = key("How the delay varies.")
    times: list[Any] = key("Free times at which the delay changes.")


class AttackListsJson(Shape):
    """What an attack may look for, and what it may change."""

    objectives: list[ObjectiveJson] = key("The objectives.")
    presets: dict[str, str] = key("Titles of the presets of bounds, by their names.")
    genes: list[GeneJson] = key("The numbers of a scenario that the search may change.")


class ObjectiveJson(Shape):
    """An objective."""

    name: str = key("Its name.")
    judges: str = key("Whether it is one of a flow control (`control`) or of a queue (`aqm`).")
    meaning: str = key("What it means.")
    limit: float = key("Value at which it counts as failed.")
    unit: str = key("Unit of the limit.")


class GeneJson(Shape):
    """A number of a scenario."""

    name: str = key("Its name.")
    unit: str = key("Its unit: `s`, `bps`, or empty for a share or another pure number.")
    meaning: str = key("What it means.")


class AttackCommand(Command):
    """Search for a scenario in which the flow control CONTROL fails, and make it small.

    CONTROL, QUEUE and the references are names of the list, files (mine.py, libmine.so), module:Class, or tables in TOML or JSON; a flow
    control may be a program, as a list of its arguments. A scenario counts as a break if the scheme is beyond the limit
    there, the best reference in the same place is better by the margin, and most runs with seeds that the search has not seen fail as
    well. Exit code 1 if there is a break.
    """

    group = "Judge a control or a queue"
    page = "how-to/attack"
    question = "in which scenario does a control or a queue fail?"
    examples = """\
headgate attack bbr1 --out out/bbr1
headgate attack copa --objective starvation --preset wifi
headgate attack --queue red --objective victim-delay
headgate attack mine.py --queue fq_codel --against reno,cubic
headgate attack reno --objective share --noise 0 --findings 1
headgate attack --list
"""
    prints = {"": AttackJson, "With `--list`": AttackListsJson, "With `--part`": RunsJson}

    control: str | None = argument(metavar="CONTROL", complete=completing.controls)
    queue: str | None = option(
        "Attack this queue; with CONTROL, attack the control behind this queue.", metavar="QUEUE"
    )
    objective: str = option("Property that must fail; unless given, goodput or victim-delay.", "", metavar="NAME")
    preset: str = option("Bounds of the scenarios, or a file (.toml).", "internet", metavar="NAME")
    against: str | None = option("References in the same place, between commas.", metavar="NAMES")
    absolute: bool = option("Judge by the limit alone, whatever references get.")
    limit: float | None = option("Value at which the property counts as failed.", above=0)
    margin: float = option("How many times better the best reference is.", 2.0, least=1)
    candidates: int = option("Maximum number of candidates.", 3000, least=50, most=10_000_000)
    budget: float | None = option("Maximum processor time.", above=0, metavar="MINUTES")
    findings: int = option("End after this number of breaks.", 3, least=1, most=100)
    times: int | None = option("Number of times at which a delay may change; 3 unless given.", least=0, most=20)
    noise: str = option("Noise of the hosts; 0 for none.", "1pkt", metavar="TIME")
    seed: int = shared.seed("Seed of the search.", most=None)
    random: bool = option("Draw all candidates at random, which a search has to beat.")
    own_name: str = shared.own_name("scheme")
    changes: tuple[str, ...] = shared.parameters("what is attacked")
    out: str | None = option("Write each break with its figure there; a second call goes on there.", metavar="DIR")
    resume: bool = shared.resume_there()
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    part: str | None = shared.part()
    listed: bool = option("List the objectives, and the numbers of a scenario.", False, "--list")
    as_json: bool = shared.as_json("everything")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...scenario.subjects import several
            from ..attacks.outputs import answer, write
            from ..attacks.run import Budget
            from ..attacks.run import attack as search
            from ..attacks.terminal import print_lists
            from ..frame import page
            from ..frame.judging import judging
            from ..frame.subjects import named
            from ..frame.terminal import print_report

        if self.listed:
            print_lists(self.as_json)
            return 0
        if self.control is None and self.queue is None:
            raise HeadgateError("CONTROL: missing; expected a flow control, or --queue with a queueing discipline")
        if self.against is not None and self.absolute:
            raise HeadgateError("--absolute: expected no --against beside it")
        parameters = parameters_of(self.changes, "beta=0.5")
        judges = "control" if self.control is not None else "aqm"
        place = "--queue" if self.control is None else "CONTROL"
        attacked = named(str(self.control or self.queue), judges, self.own_name, parameters, place=place)
        behind = (
            named(self.queue, "aqm", place="--queue") if self.control is not None and self.queue is not None else None
        )
        others: list[Judged] | None = [] if self.absolute else None
        if self.against is not None:
            others = [named(text, judges, place="--against") for text in several(self.against, "--against")]
        folder, key = None if self.out is None else Path(self.out), attacked.text
        index = page.asked(None, folder if self.part is None else None, "attack", attacked.name, key)
        with judging(self, "searching", self.out) as where:
            found = search(
                attacked if judges == "control" else None,
                behind if judges == "control" else attacked,
                objective_name=self.objective,
                bounds=self.preset,
                against=others,
                limit=self.limit,
                margin=self.margin,
                budget=Budget(
                    self.candidates, cpu_s=math.inf if self.budget is None else 60 * self.budget, findings=self.findings
                ),
                times=self.times,
                noise=self.noise,
                seed=self.seed,
                random=self.random,
                **where,
            )
        everything = line_of(self, "attack", out=f"out/{attacked.name}", as_json=False)
        said = answer(found, folder, everything, key)
        if folder is not None:
            write(found, folder, said=said)
        return print_report(said, index, everything, found.to_dict() if self.as_json else None)
