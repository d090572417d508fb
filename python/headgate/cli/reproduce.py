"""headgate reproduce: a paper's numbers beside ours."""

from __future__ import annotations

from pathlib import Path

import click

from . import completing, signals
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate reproduce demers1989 scenario-2
  headgate reproduce keshav1991 --report out/keshav1991
  headgate list papers"""
)
@click.argument("paper", shell_complete=completing.papers)
@click.argument("items", nargs=-1, shell_complete=completing.items)
@click.option(
    "--seeds",
    type=click.IntRange(0, 10_000),
    default=0,
    help="Minimum number of runs with random start phases for the printed range. No verdict depends on it.",
)
@click.option("--threads", type=click.IntRange(1), help="Number of runs at a time; one per processor unless given.")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Also write an HTML report with figures into this folder.",
)
@click.option(
    "--details", is_flag=True, help="Print a line for each number: its spread over the runs and how it was tested."
)
@click.option(
    "--count-instructions",
    is_flag=True,
    help="Also count processor instructions where a paper measures them, by perf or valgrind. Valgrind takes a minute or more.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def reproduce(
    paper: str,
    items: tuple[str, ...],
    seeds: int,
    threads: int | None,
    report: Path | None,
    details: bool,
    count_instructions: bool,
    as_json: bool,
) -> None:
    """Reproduce a PAPER, or some ITEMS of it, and print the paper's numbers beside ours.

    PAPER is a name that `headgate list papers` shows, or a folder, such as ./mypaper.
    """
    with signals.loading():
        from rich.markup import escape

        from ..atomic import require_folder
        from ..papers import Reproduction, load_paper, write_report
        from ..papers.build import check_items
        from ..papers.report import require_extras
        from ..papers.runner import each_item
        from ..papers.terminal import print_heading, print_item, print_summary
        from .terminal import console, progress

    if report is not None:
        require_extras()
        require_folder(report, "--report")
    found = load_paper(paper)
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    check_items(found, chosen)
    out, results = console(), []
    for k, item in enumerate(chosen):
        with progress(f"{paper} {item.name} ({k + 1} of {len(chosen)})") as callback:
            (result,) = each_item(
                found, [item], seeds=seeds, threads=threads, progress=callback, count_instructions=count_instructions
            )
        results.append(result)
        # Each table is printed as soon as it is complete.
        if not as_json:
            if k == 0:
                print_heading(found, out)
            print_item(result, out, details)
    whole = Reproduction(found, tuple(results))
    page = write_report(whole, report) if report is not None else None
    if as_json:
        print_json(whole.to_dict())
        return
    print_summary(whole, out)
    if page is not None:
        out.print(f"report: {escape(str(page))}", soft_wrap=True)
