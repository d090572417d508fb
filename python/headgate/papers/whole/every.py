"""headgate reproduce all: every paper, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from ...cli.show import print_json

if TYPE_CHECKING:
    from ..runs import Work

#: Where runs are kept unless a folder is given.
KEPT = Path("out/runs")


def reproduce_every(
    opening: Callable[[], AbstractContextManager[Work]],
    where: str,
    report: Path | None,
    ours: bool,
    seeds: int,
    count_instructions: bool,
    as_json: bool,
) -> int:
    """Reproduces all papers; gives the exit code: 1 if an item failed.

    `opening` opens what works on the runs, once the papers are read, and `where` says in words where that is.
    """
    from rich.markup import escape

    from ...cli.terminal import console
    from ..misses import mechanisms_of
    from .page import write_index, write_paper
    from .run import papers_of, reproduce_all
    from .terminal import Telling, print_whole

    papers = papers_of(ours)
    for paper in papers:
        mechanisms_of(paper)
    out = console()
    with opening() as work:
        telling = Telling(None if as_json else out, work, sum(len(p.items) for p in papers))
        with telling.showing():
            whole = reproduce_all(
                papers,
                work,
                telling,
                lambda found, failures: write_paper(found, report, failures) if report is not None else None,
                seeds=seeds,
                count_instructions=count_instructions,
            )
    page = write_index(whole, report, where) if report is not None else None
    if as_json:
        print_json(whole.to_dict())
    else:
        print_whole(whole, out)
        if page is not None:
            out.print(f"report: {escape(str(page))}", soft_wrap=True)
    return 1 if whole.failures else 0
