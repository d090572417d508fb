"""headgate reproduce: a paper's numbers beside ours."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click

from . import completing, signals
from .engines import engine_options
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate reproduce demers1989 scenario-2
  headgate reproduce demers1989 scenario-2 --brief
  headgate reproduce keshav1991 --report out/keshav1991
  headgate reproduce kim1994 --resume out/runs
  headgate reproduce demers1989 scenario-2 --unknown jk_first=6s
  headgate reproduce keshav1991 --text-alone
  headgate reproduce all --report out/papers
  headgate list papers"""
)
@click.argument("paper", required=False, metavar="PAPER", shell_complete=completing.papers)
@click.argument("items", nargs=-1, shell_complete=completing.items)
@click.option(
    "--seeds",
    type=click.IntRange(0, 10_000),
    default=0,
    help="Minimum number of runs with random start phases for the printed range. No verdict depends on it.",
)
@click.option("--threads", type=click.IntRange(1), help="Number of runs at a time; one per processor unless given.")
@engine_options
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep finished runs in this folder and use those in it: after an interruption the same command continues. "
    "With `all` the folder is out/runs unless given.",
)
@click.option(
    "--ours", is_flag=True, help="With `all`, also run our own experiments, beyond and linux-tcp, which are no papers."
)
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write an HTML report with figures into this folder; `headgate explore DIR` opens it too.",
)
@click.option(
    "--details", is_flag=True, help="Print a line for each number: its spread over the runs and how it was tested."
)
@click.option("--brief", is_flag=True, help="Print the verdict in three lines and no table.")
@click.option(
    "--count-instructions",
    is_flag=True,
    help="Also count processor instructions where a paper measures them, by perf or valgrind. Valgrind takes a minute or more.",
)
@click.option(
    "--unknown",
    "unknowns",
    multiple=True,
    metavar="NAME=LEVEL",
    help="Set an unknown of the paper to another level than its folder has; may be given several times.",
)
@click.option(
    "--text-alone",
    is_flag=True,
    help="Set all unknowns to what a reader would take who has the paper's text alone; --unknown comes after it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def reproduce(
    paper: str | None,
    items: tuple[str, ...],
    seeds: int,
    threads: int | None,
    engine: str,
    address: str | None,
    resume: Path | None,
    ours: bool,
    report: Path | None,
    details: bool,
    brief: bool,
    count_instructions: bool,
    unknowns: tuple[str, ...],
    text_alone: bool,
    as_json: bool,
) -> int:
    """Reproduce a PAPER, or some ITEMS of it, and print the paper's numbers beside ours.

    PAPER is a name that `headgate list papers` shows, or a folder, such as ./mypaper. With `all` every paper is reproduced,
    and a table shows the counts of each; an item that fails does not stop the others.

    The exit code is 1 if an item of `all` failed. A number that is missed is no failure.
    """
    with signals.loading():
        from rich.markup import escape

        from ..base.atomic import require_folder
        from ..papers import Reproduction, load_paper, write_report
        from ..papers.build import check_items
        from ..papers.folder import list_papers
        from ..papers.report import require_extras
        from ..papers.runner import each_item
        from ..papers.runs import open_work
        from ..papers.settings import item_with_setting, setting_of
        from ..papers.terminal import print_brief, print_heading, print_item, print_summary
        from .terminal import console, progress

    if paper is None:
        raise click.UsageError(
            f"Missing argument 'PAPER': expected all, a folder, or one of {', '.join(list_papers())}."
        )
    if report is not None:
        require_extras()
        require_folder(report, "--report")
    if paper == "all":
        from .every import KEPT, reproduce_every

        beside = {
            "items": items,
            "--details": details,
            "--brief": brief,
            "--unknown": unknowns,
            "--text-alone": text_alone,
        }
        if given := [name for name, value in beside.items() if value]:
            raise click.UsageError(f"all: expected no {given[0]} beside it")
        folder = resume or KEPT
        where = "on a Dask cluster" if engine == "dask" else "on threads of one process"
        opening = partial(open_work, threads, folder, engine, address)
        with stopped_in(folder):
            return reproduce_every(opening, where, report, ours, seeds, count_instructions, as_json)
    if ours:
        raise click.UsageError("--ours: expected `all` beside it")
    if brief and (details or as_json):
        raise click.UsageError(f"--brief: expected no {'--details' if details else '--json'} beside it")
    found = load_paper(paper)
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    setting = setting_of(found, unknowns, text_alone=text_alone)
    chosen = [item_with_setting(item, found.unknowns, setting) for item in chosen]
    check_items(found, chosen)
    out, results = console(), []
    with stopped_in(resume), open_work(threads, resume, engine, address) as work:
        for k, item in enumerate(chosen):
            with progress(f"{paper} {item.name} ({k + 1} of {len(chosen)})") as work.progress:
                (result,) = each_item(found, [item], seeds=seeds, count_instructions=count_instructions, work=work)
            results.append(result)
            # Each table is printed as soon as it is complete.
            if not as_json and not brief:
                if k == 0:
                    print_heading(found, out)
                    for u in found.unknowns:
                        if setting.get(u.name, u.default) != u.default:
                            out.print(f"{escape(u.name)} = {escape(u.levels[setting[u.name]].name)}", soft_wrap=True)
                print_item(result, out, details)
    whole = Reproduction(found, tuple(results))
    page = write_report(whole, report) if report is not None else None
    if as_json:
        print_json(whole.to_dict())
        return 0
    (print_brief if brief else print_summary)(whole, out)
    if page is not None:
        out.print(f"report: {escape(str(page))}", soft_wrap=True)
    return 0


@contextmanager
def stopped_in(folder: Path | None) -> Iterator[None]:
    """After Ctrl-C, reports where finished runs are and how to continue, if they were kept."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None:
            raise
        from rich.markup import escape

        from .terminal import print_error

        again = shlex.join(["headgate", *sys.argv[1:]])
        signals.mark_reported()
        print_error(f"stopped; finished runs are in {escape(str(folder))}. Go on with:\n  {escape(again)}")
        raise click.exceptions.Exit(signals.code()) from None
