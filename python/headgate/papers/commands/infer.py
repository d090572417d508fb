"""headgate infer: what a paper's text leaves open, from its numbers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from ...cli import shared, signals
from ...cli.command import Command, argument, line_of, option
from ...cli.printed import FailedLineJson, ReportJson, Shape, key
from ...cli.studies import kept_runs
from .. import completing


class InferJson(ReportJson):
    """The answers. Gains are natural logarithms of likelihoods, above those of the folder's setting. Nothing of it is a failure."""

    uncertain: list[FailedLineJson] = key(
        "What the rows do not settle, and rows that contradict the most probable level."
    )
    paper: str = key("Name of the paper.")
    items: list[str] = key("Its items.")
    starts: int = key("Runs with random starts.")
    seed: int = key("Seed of the search.")
    runs: int = key("Runs that it took.")
    counts: list[MatchedJson] = key("With `--count`, how many printed numbers match.")
    blocks: list[BlockJson] = key("Rows that hang together by the unknowns that change them.")


class MatchedJson(Shape):
    """The numbers that match with a setting."""

    setting: str = key("`text` (the text alone), `default` (the folder's) or `inferred`.")
    match: int = key("Numbers that match.")
    judged: int = key("Numbers that were judged.")


class BlockJson(Shape):
    """A block."""

    rows: list[list[str]] = key("Names of the rows of each part.")
    settings: int = key("Settings that were examined.")
    gain_seen: float | None = key("Gain on the rows by which a setting was chosen.")
    gain_unseen: float | None = key("Gain on rows that had not been seen.")
    beyond_null: bool | None = key("Whether the gain on unseen rows is above 95 % of those of the null papers.")
    nulls: dict[str, list[GainJson]] = key("Gains of the null papers by kind.")
    best: dict[str, str] = key("The most probable level of each unknown, together.")
    climbed: dict[str, float | None] = key("Gains of a climb by the kind of paper, where there was one.")
    unknowns: list[AnswerJson] = key("Each unknown.")


class GainJson(Shape):
    """A gain."""

    seen: float = key("On rows that were seen.")
    unseen: float = key("On others.")


class AnswerJson(Shape):
    """An unknown."""

    unknown: str = key("Its name.")
    about: str = key("What it is.")
    allowed: str = key("What the text allows.")
    outcome: str = key("`found`, `confirmed`, `undetermined`, `held`, `one row` or `no effect`.")
    level: str | None = key("The level that was settled.")
    default: str = key("The level of the folder.")
    text: str = key("What a reader would take who has the text alone.")
    posterior: list[LevelJson] = key("Probabilities of the levels.")
    gain_unseen: float | None = key("Gain on unseen rows.")
    gain_unseen_null: float | None = key("Its 95 % quantile for the null papers.")
    by_chance: float | None = key(
        "Share of our own runs, taken for the paper's, that settle another level than theirs."
    )
    effect: float | None = key("Greatest change of a row, as a mean square in widths of its cells.")
    against: list[AgainstJson] = key("Rows that are less likely with the most probable level than without it.")


class LevelJson(Shape):
    """A level of an unknown."""

    level: str = key("The level.")
    prior: float = key("Its probability before.")
    probability: float | None = key("Its probability by the rows.")


class AgainstJson(Shape):
    """A row that speaks against a level."""

    row: str = key("The row.")
    loss: float | None = key("What it loses.")


class ConclusionsJson(ReportJson):
    """The claims that depend on an unknown. Nothing of it is a failure."""

    conclusions: list[ConclusionJson] = key("Each claim with an unknown on which it depends.")


class ConclusionJson(Shape):
    """A claim that depends on an unknown."""

    claim: str = key("The claim.")
    item: str = key("Its item.")
    text: str = key("The claim in words.")
    unknown: str = key("The unknown.")
    shares: dict[str, float] = key("Share of the starts at which it holds, by level.")


class InferCommand(Command):
    """Infer what the text of a PAPER leaves open from the numbers of its tables, or of some ITEMS.

    The unknowns stand in `[unknowns]` of the paper's folder. Each row of a table is judged by settings that were chosen without it, and
    the same search is made for null papers: numbers in a wrong order, rows of a wrong pair, and our own runs.
    """

    group = "Reproduce papers"
    page = "how-to/infer"
    question = "which values did a paper use, but not state?"
    examples = """\
headgate infer demers1989
headgate infer keshav1991 scenario-7 scenario-8 --starts 3
headgate infer ./mypaper --unknown buffer --figure out/posteriors.pdf
headgate infer demers1989 --conclusions
headgate infer demers1989 --html infer.html
headgate infer keshav1991 --budget 10 --resume out/runs
"""
    prints = {"": InferJson, "With `--conclusions`": ConclusionsJson}

    paper: str = argument(metavar="PAPER", complete=completing.papers)
    items: tuple[str, ...] = argument(complete=completing.items)
    unknowns: tuple[str, ...] = option(
        "Infer only this unknown; may be given several times.", None, "--unknown", metavar="NAME"
    )
    settings: int = option(
        "Maximum number of settings to examine for rows that depend on each other.", 256, least=2, most=100_000
    )
    starts: int = option("Number of runs with random starts that the best settings have.", 9, least=1, most=1000)
    budget: float | None = option(
        "Processor minutes to use: fewer settings are examined where --settings would take longer.",
        above=0,
        metavar="MINUTES",
    )
    seed: int = shared.seed("Seed of the search.", most=2**32 - 1)
    claims: bool = option("Judge an item by its claims where it has more of them than rows of numbers.")
    conclusions: bool = option(
        "Instead, list the claims that hold with some levels of an unknown and fail with others."
    )
    count: bool = option("Also count how many printed numbers match with what was found.")
    threads: int | None = shared.threads()
    engine: str = shared.engine()
    address: str | None = shared.address()
    resume: Path | None = shared.resume_in()
    no_part: None = shared.no_part(
        "expected --engine dask to use several machines, or some ITEMS at a time: what the search runs follows from the runs before, so "
        "that parts could share out the first few alone"
    )
    figure: Path | None = option(
        "Also draw the probabilities of all levels; the name ends in .png, .svg or .pdf.", metavar="FILE"
    )
    html: str | None = shared.html()
    as_json: bool = shared.as_json("the answers")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...cli.terminal import progress
            from ...lab.frame import page
            from ...lab.frame.report import in_json
            from ...lab.frame.terminal import print_report
            from ...plots.canvas import require
            from ..inference import conclusions as conclusions_
            from ..inference import infer as infer_
            from ..inference.report import answer, dependent, uncertain
            from ..load import load_paper
            from ..runs import open_work

        if self.figure is not None:
            require(self.figure)
        paper = load_paper(self.paper)
        asked = [*self.items, *self.unknowns, *(["--claims"] if self.claims else [])]
        whose = " ".join([self.paper, *asked, *(["--conclusions"] if self.conclusions else [])])
        index = page.asked(self.html, None, "infer", paper.name, whose)
        with ExitStack() as stack:
            stack.enter_context(kept_runs(self.resume))
            work = stack.enter_context(open_work(self.threads, self.resume, self.engine, self.address))
            work.progress = stack.enter_context(progress(f"infer {Path(self.paper).name}"))
            if self.conclusions:
                depend = conclusions_(paper, *self.items, unknowns=self.unknowns, work=work)
            else:
                found = infer_(
                    paper,
                    *self.items,
                    unknowns=self.unknowns,
                    settings=self.settings,
                    starts=self.starts,
                    budget_s=None if self.budget is None else 60 * self.budget,
                    seed=self.seed,
                    claims=self.claims,
                    count=self.count,
                    work=work,
                )
        if self.conclusions:
            said = dependent(depend, paper.name, self.paper, whose)
            data: dict[str, Any] = {"conclusions": [c.to_dict() for c in depend]}
        else:
            if self.figure is not None:
                from ...plots.canvas import save
                from ..inference.figure import draw

                save(draw(found), self.figure)
            said = answer(found, self.paper, self.figure, whose, index is not None)
            data = {"uncertain": in_json(uncertain(found, self.paper)), **found.to_dict()}
        if index is not None:
            page.write(said, index)
        everything = line_of(self, "infer", html="infer.html", as_json=False)
        return print_report(said, index, everything, data if self.as_json else None)
