"""Runs a paper's items and compares: one runner for every paper, nothing in it is about a particular one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence

from ..base.parallel import Progress
from .build import build_scenario, check_items
from .claims import Finding, Runs, claims_of, examine
from .judging import numbers_of
from .load import load_paper
from .measure import TABLES, Outcome
from .model import Item, Paper, Variant
from .nulls import with_nulls
from .reproduction import ItemResult, Reproduction
from .rows import depends_on_start, judge_rows
from .runs import Work, open_work, run_all, work_here
from .study import study_of
from .verdict import missing


def reproduce(
    paper: str,
    *items: str,
    seeds: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    count_instructions: bool = False,
    resume: str | os.PathLike[str] | None = None,
    engine: str = "local",
    address: str | None = None,
) -> Reproduction:
    """Reproduces items of a paper, all of them if none is named.

    Each protocol pair is run once with all sources starting at time 0, and with random start phases as often as the paper's folder fixes,
    in parallel threads. Verdicts rest on these alone: they depend neither on `seeds` nor on the number of threads.

    Args:
        paper: its name.
        items: their names.
        seeds: least number of runs with random start phases that the printed spread is taken over; no verdict depends on it.
        threads: runs at a time; all processors unless given.
        progress: called with the share done of the present item, its runs completed, and its runs in all.
        count_instructions: also counts instructions where a paper measures them, by perf or valgrind; valgrind takes long.
        resume: folder in which finished runs are kept; what is there already is not run again.
        engine: `local` (threads of this process) or `dask`.
        address: of a Dask scheduler; without one, `dask` starts a cluster on this machine.

    Raises:
        PaperError: no such paper or item.
        HeadgateError: there is no such engine or cluster, or the folder holds something else or cannot be written.
    """
    found = load_paper(paper)
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    with open_work(threads, resume, engine, address) as work:
        work.progress = progress
        return reproduce_items(found, chosen, seeds=seeds, count_instructions=count_instructions, work=work)


def reproduce_items(
    paper: Paper, items: Sequence[Item], *, seeds: int = 0, count_instructions: bool = False, work: Work | None = None
) -> Reproduction:
    """As `reproduce`, for items that may have been changed."""
    found = each_item(paper, items, seeds=seeds, count_instructions=count_instructions, work=work)
    return Reproduction(paper, tuple(found))


def each_item(
    paper: Paper, items: Sequence[Item], *, seeds: int = 0, count_instructions: bool = False, work: Work | None = None
) -> Iterator[ItemResult]:
    """The items one after the other, each as soon as it is there; `work` is where they run."""
    check_items(paper, items)
    work = work or Work()
    for item in items:
        with work_here(work):
            outcomes = _run_all(paper, [item], seeds)
            result = _result(paper, item, outcomes, work.progress, count_instructions)
        yield result


Key = tuple[str, str, int]


def _run_all(paper: Paper, items: Sequence[Item], seeds: int) -> dict[Key, Outcome]:
    """Runs everything; the key is (item, variant, run), run 0 being the base run."""
    jobs: dict[Key, tuple[str, None, int]] = {}
    for item in items:
        for variant in item.variants if item.runs else ():
            starts = _starts(paper, item, variant, seeds)
            # The runs with random start phases differ in the number of their random streams only.
            for phases, runs in ((False, range(1)), (True, range(1, 1 + starts))):
                text = json.dumps(build_scenario(item, variant, phases=phases)) if runs else ""
                jobs |= {(item.name, variant.name, run): (text, None, run) for run in runs}
    found = run_all(list(jobs.values()), lambda _, result: Outcome(result), TABLES)
    return dict(zip(jobs, found, strict=True))


def _starts(paper: Paper, item: Item, variant: Variant, seeds: int) -> int:
    """How many runs with random start phases a variant has."""
    if not variant.seeds:
        return 0
    own = [n for n in item.numbers if n.row == variant.name]
    return max(seeds, item.seeds, item.starts if depends_on_start(paper, item, own) else 0)


def _result(
    paper: Paper, item: Item, outcomes: dict[Key, Outcome], progress: Progress | None, count_instructions: bool
) -> ItemResult:
    claims = [c for c in claims_of(paper) if c.item == item.name]
    if not item.runs:
        why = item.note or "not reproduced yet"
        numbers = tuple(missing(n, why) for n in item.numbers)
        return ItemResult(item, numbers, tuple(Finding(c.id, c.text, None, why) for c in claims), None)
    base = {v.name: outcomes[item.name, v.name, 0] for v in item.variants}
    starts = {
        v.name: [o for (i, n, run), o in sorted(outcomes.items()) if i == item.name and n == v.name and run > 0]
        for v in item.variants
    }
    seeds = {name: found[: item.seeds] for name, found in starts.items()}
    runs = Runs(paper, item, base, seeds, starts, count_instructions=count_instructions)
    findings = with_nulls([examine(c, runs) for c in claims], claims, runs)
    rows = judge_rows(runs)
    study = study_of(runs, progress) if item.study else None
    numbers = tuple(numbers_of(runs, study, findings, rows))
    return ItemResult(item, numbers, findings, runs, study, rows)
