"""headgate infer: what a paper's text leaves open, from its numbers."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from . import completing, signals
from .engines import engine_options
from .numbers import Number
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate infer demers1989
  headgate infer keshav1991 scenario-7 scenario-8 --starts 3
  headgate infer ./mypaper --unknown buffer --figure out/posteriors.pdf
  headgate infer demers1989 --conclusions
  headgate infer keshav1991 --budget 10 --resume out/runs"""
)
@click.argument("paper", metavar="PAPER", shell_complete=completing.papers)
@click.argument("items", nargs=-1, shell_complete=completing.items)
@click.option(
    "--unknown", "unknowns", multiple=True, metavar="NAME", help="Infer only this unknown; may be given several times."
)
@click.option(
    "--settings",
    type=click.IntRange(2, 100_000),
    default=256,
    show_default=True,
    help="Maximum number of settings of rows that hang together which are examined.",
)
@click.option(
    "--starts",
    type=click.IntRange(1, 1000),
    default=9,
    show_default=True,
    help="Number of runs with random starts that the best settings have.",
)
@click.option(
    "--budget",
    type=Number(0, min_open=True),
    metavar="MINUTES",
    help="Processor minutes to use: fewer settings are examined where --settings would take longer.",
)
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), default=1, show_default=True, help="Seed of the search.")
@click.option(
    "--claims", is_flag=True, help="Judge an item by its claims where it has more of them than rows of numbers."
)
@click.option(
    "--conclusions",
    is_flag=True,
    help="Instead, list the claims that hold with some levels of an unknown and fail with others.",
)
@click.option("--count", is_flag=True, help="Also count how many printed numbers match with what was found.")
@click.option("--threads", type=click.IntRange(1), help="Number of runs at a time; one per processor unless given.")
@engine_options
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep finished runs in this folder and use those in it: after an interruption the same command continues.",
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Also draw the probabilities of all levels; the name ends in .png, .svg or .pdf.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.")
def infer(
    paper: str,
    items: tuple[str, ...],
    unknowns: tuple[str, ...],
    settings: int,
    starts: int,
    budget: float | None,
    seed: int,
    claims: bool,
    conclusions: bool,
    count: bool,
    threads: int | None,
    engine: str,
    address: str | None,
    resume: Path | None,
    figure: Path | None,
    as_json: bool,
) -> int:
    """Infer what the text of a PAPER leaves open from the numbers of its tables, or of some ITEMS.

    The unknowns stand in `[unknowns]` of the paper's folder. Each row of a table is judged by settings that were chosen without it, and
    the same search is made for null papers: numbers in a wrong order, rows of a wrong pair, and our own runs.
    """
    with signals.loading():
        from ..inference import conclusions as conclusions_
        from ..inference import infer as infer_
        from ..papers.runs import open_work
        from ..plots.canvas import require
        from .reproduce import stopped_in
        from .tables.inference import print_conclusions, print_inference
        from .terminal import console, progress

    if figure is not None:
        require(figure)
    if conclusions:
        with (
            stopped_in(resume),
            open_work(threads, resume, engine, address) as work,
            progress(f"infer {Path(paper).name}") as work.progress,
        ):
            depend = conclusions_(paper, *items, unknowns=unknowns, work=work)
        if as_json:
            print_json([c.to_dict() for c in depend])
        else:
            print_conclusions(depend, console())
        return 0
    with ExitStack() as stack:
        stack.enter_context(stopped_in(resume))
        work = stack.enter_context(open_work(threads, resume, engine, address))
        with progress(f"infer {Path(paper).name}") as shown:
            found = infer_(
                paper,
                *items,
                unknowns=unknowns,
                settings=settings,
                starts=starts,
                budget_s=None if budget is None else 60 * budget,
                seed=seed,
                claims=claims,
                count=count,
                work=work,
                progress=shown,
            )
    if figure is not None:
        from ..inference.figure import draw
        from ..plots.canvas import save

        save(draw(found), figure)
    if as_json:
        print_json(found.to_dict())
    else:
        print_inference(found, console(), figure)
    return 0
