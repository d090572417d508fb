"""Runs a paper's items and compares: one runner for every paper, nothing in it is about a particular one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence

from ..base.parallel import Progress
from .build import build_scenario, check_items, traced_of, traces_of, zero_of
from .claims import Finding, Runs, claims_of
from .examine import examine_all
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
    in parallel threads. Verdicts rest on these alone, or on the latter if the folder says so: they depend neither on `seeds` nor on the
    number of threads.

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
    jobs = [_jobs(paper, item, seeds) for item in items]
    done: dict[Job, Outcome] = {}
    for place, item in enumerate(items):
        with work_here(work):
            outcomes = _run_all(jobs[place], done)
            # What a later item runs again is kept until then.
            later = {job for others in jobs[place + 1 :] for job in others.values()}
            done |= dict(zip(jobs[place].values(), outcomes.values(), strict=True))
            done = {job: outcome for job, outcome in done.items() if job in later}
            result = _result(paper, item, outcomes, work.progress, count_instructions)
        for key, job in jobs[place].items():
            # Figures show the base run; all starts of a paper with their traces would take gigabytes.
            if item.over_starts and key[1] > 1 and job not in later:
                outcomes[key].forget()
        yield result


Key = tuple[str, int]
#: Scenario, seed, number of the replication, and the second of the run from which times are counted.
Job = tuple[str, None, int, float]


def _jobs(paper: Paper, item: Item, seeds: int) -> dict[Key, Job]:
    """What is to be run; the key is (variant, run), all sources starting at once in run 0."""
    jobs: dict[Key, Job] = {}
    for variant in item.variants if item.runs else ():
        starts = _starts(paper, item, variant, seeds)
        jobs[variant.name, 0] = (json.dumps(build_scenario(item, variant)), None, 0, 0.0)
        # The runs with random start phases differ in the number of their random streams only, the base run in its traces.
        over, zero = item.over_starts, zero_of(item, variant)
        first, rest = (traces_of(item, variant), traced_of(item, variant)) if over else ((), ())
        for traces, runs in ((first, range(1, 1 + min(starts, 1))), (rest, range(2, 1 + starts))):
            text = json.dumps(build_scenario(item, variant, phases=True, traces=traces)) if runs else ""
            jobs |= {(variant.name, run): (text, None, run, zero) for run in runs}
    return jobs


def _run_all(jobs: Mapping[Key, Job], done: Mapping[Job, Outcome]) -> dict[Key, Outcome]:
    """Runs what is not done yet."""
    left = [job for job in dict.fromkeys(jobs.values()) if job not in done]
    outcomes = run_all([job[:3] for job in left], lambda k, result: Outcome(result, left[k][3]), TABLES)
    found = {**done, **dict(zip(left, outcomes, strict=True))}
    return {key: found[job] for key, job in jobs.items()}


def _starts(paper: Paper, item: Item, variant: Variant, seeds: int) -> int:
    """How many runs with random start phases a variant has."""
    if not variant.seeds or variant.starts is not None:
        return item.starts_of(variant)
    own = [n for n in item.numbers if n.row == variant.name]
    return max(seeds, item.seeds, item.starts if depends_on_start(paper, item, own) else 0)


def _result(
    paper: Paper, item: Item, outcomes: Mapping[Key, Outcome], progress: Progress | None, count_instructions: bool
) -> ItemResult:
    claims = [c for c in claims_of(paper) if c.item == item.name]
    if not item.runs:
        why = item.note or "not reproduced yet"
        numbers = tuple(missing(n, why) for n in item.numbers)
        return ItemResult(item, numbers, tuple(Finding(c.id, c.text, None, why) for c in claims), None)
    together = {v.name: outcomes[v.name, 0] for v in item.variants}
    starts: dict[str, list[Outcome]] = {v.name: [] for v in item.variants}
    for (name, run), outcome in outcomes.items():
        if run:
            starts[name].append(outcome)
    seeds = {name: found[: item.seeds] for name, found in starts.items()}
    base = {n: seeds[n][0] if item.over_starts and seeds[n] else o for n, o in together.items()}
    runs = Runs(paper, item, base, seeds, starts, together=together, count_instructions=count_instructions)
    findings = with_nulls(examine_all(claims, runs), claims, runs)
    rows = judge_rows(runs)
    study = study_of(runs, progress) if item.study else None
    numbers = tuple(numbers_of(runs, study, findings, rows))
    return ItemResult(item, numbers, findings, runs, study, rows)
