"""headgate reproduce all: every paper, one after the other."""

from __future__ import annotations

from pathlib import Path

from .show import print_json

#: Where runs are kept unless a folder is given.
KEPT = Path("out/runs")


def reproduce_every(
    ours: bool,
    seeds: int,
    threads: int | None,
    engine: str,
    address: str | None,
    resume: Path,
    report: Path | None,
    count_instructions: bool,
    as_json: bool,
) -> int:
    """Reproduces all papers; gives the exit code: 1 if an item failed."""
    from rich.markup import escape

    from ..papers.runs import open_work
    from ..papers.whole.mechanisms import mechanisms_of
    from ..papers.whole.page import write_index, write_paper
    from ..papers.whole.run import papers_of, reproduce_all
    from .tables.papers import Telling, print_whole
    from .terminal import console

    papers = papers_of(ours)
    for paper in papers:
        mechanisms_of(paper)
    out = console()
    with open_work(threads, resume, engine, address) as work:
        telling = Telling(None if as_json else out, work, sum(len(p.items) for p in papers))
        with telling.showing():
            whole = reproduce_all(
                papers,
                work,
                telling,
                lambda found: write_paper(found, report) if report is not None else None,
                seeds=seeds,
                count_instructions=count_instructions,
            )
    where = "on a Dask cluster" if engine == "dask" else "on threads of one process"
    page = write_index(whole, report, where) if report is not None else None
    if as_json:
        print_json(whole.to_dict())
    else:
        print_whole(whole, out)
        if page is not None:
            out.print(f"report: {escape(str(page))}", soft_wrap=True)
    return 1 if whole.failures else 0
