"""headgate infer: what a paper's text leaves open, from its numbers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from .. import completing, shared, signals
from ..command import Command, argument, option
from ..show import print_json


class InferCommand(Command):
    """Infer what the text of a PAPER leaves open from the numbers of its tables, or of some ITEMS.

    The unknowns stand in `[unknowns]` of the paper's folder. Each row of a table is judged by settings that were chosen without it, and
    the same search is made for null papers: numbers in a wrong order, rows of a wrong pair, and our own runs.
    """

    group = "Reproduce papers"
    page = "how-to/infer"
    examples = """\
headgate infer demers1989
headgate infer keshav1991 scenario-7 scenario-8 --starts 3
headgate infer ./mypaper --unknown buffer --figure out/posteriors.pdf
headgate infer demers1989 --conclusions
headgate infer keshav1991 --budget 10 --resume out/runs
"""

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
    figure: Path | None = option(
        "Also draw the probabilities of all levels; the name ends in .png, .svg or .pdf.", metavar="FILE"
    )
    as_json: bool = shared.as_json("the answers")
    max_memory: None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...inference import conclusions as conclusions_
            from ...inference import infer as infer_
            from ...papers.runs import open_work
            from ...plots.canvas import require
            from ..tables.inference import print_conclusions, print_inference
            from ..terminal import console, progress
            from .reproduce import stopped_in

        if self.figure is not None:
            require(self.figure)
        if self.conclusions:
            with (
                stopped_in(self.resume),
                open_work(self.threads, self.resume, self.engine, self.address) as work,
                progress(f"infer {Path(self.paper).name}") as work.progress,
            ):
                depend = conclusions_(self.paper, *self.items, unknowns=self.unknowns, work=work)
            if self.as_json:
                print_json([c.to_dict() for c in depend])
            else:
                print_conclusions(depend, console())
            return 0
        with ExitStack() as stack:
            stack.enter_context(stopped_in(self.resume))
            work = stack.enter_context(open_work(self.threads, self.resume, self.engine, self.address))
            with progress(f"infer {Path(self.paper).name}") as shown:
                found = infer_(
                    self.paper,
                    *self.items,
                    unknowns=self.unknowns,
                    settings=self.settings,
                    starts=self.starts,
                    budget_s=None if self.budget is None else 60 * self.budget,
                    seed=self.seed,
                    claims=self.claims,
                    count=self.count,
                    work=work,
                    progress=shown,
                )
        if self.figure is not None:
            from ...inference.figure import draw
            from ...plots.canvas import save

            save(draw(found), self.figure)
        if self.as_json:
            print_json(found.to_dict())
        else:
            print_inference(found, console(), self.figure)
        return 0
