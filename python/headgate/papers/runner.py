"""Runs a paper's items and compares: one runner for every paper, nothing in it is about a particular one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .. import _core
from ..parallel import Progress, run_all
from ..stats import mean_of
from .build import build_scenario, check_items
from .claims import Finding, Runs, claims_of, examine
from .load import load_paper
from .measure import Floats, Outcome
from .model import Item, Paper, PaperError, Published, Rule, Variant
from .reproduction import ItemResult, Reproduction
from .rows import Row, closeness, depends_on_start, judge_rows
from .study import study_of
from .trivial import Trivial
from .verdict import ENOUGH_ALIKE, Judgement, Number, Sample, Verdict, judge, meets, missing


def reproduce(
    paper: str,
    *items: str,
    seeds: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    count_instructions: bool = False,
) -> Reproduction:
    """Reproduces items of a paper, all of them if none is named.

    Each protocol pair is run once with all sources starting at time 0, and with random start phases as often as the paper's folder fixes,
    in parallel threads. Verdicts rest on these alone: they depend neither on `seeds` nor on the number of threads.

    Args:
        paper: its name.
        items: their names.
        seeds: least number of runs with random start phases that the printed spread is taken over; no verdict depends on it.
        threads: runs at a time; all processors unless given.
        progress: called with the share done.
        count_instructions: also counts instructions where a paper measures them, by perf or valgrind; valgrind takes long.

    Raises:
        PaperError: no such paper or item.
    """
    found = load_paper(paper)
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    return reproduce_items(
        found, chosen, seeds=seeds, threads=threads, progress=progress, count_instructions=count_instructions
    )


def reproduce_items(
    paper: Paper,
    items: Sequence[Item],
    *,
    seeds: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
    count_instructions: bool = False,
) -> Reproduction:
    """As `reproduce`, for items that may have been changed."""
    check_items(paper, items)
    outcomes = _run_all(paper, items, seeds, threads, progress)
    return Reproduction(paper, tuple(_result(paper, i, outcomes, progress, count_instructions) for i in items))


Key = tuple[str, str, int]


def _run_all(
    paper: Paper, items: Sequence[Item], seeds: int, threads: int | None, progress: Progress | None
) -> dict[Key, Outcome]:
    """Runs everything; the key is (item, variant, run), run 0 being the base run."""
    jobs: dict[Key, tuple[str, None, int]] = {}
    for item in items:
        for variant in item.variants if item.runs else ():
            starts = _starts(paper, item, variant, seeds)
            # The runs with random start phases differ in the number of their random streams only.
            for phases, runs in ((False, range(1)), (True, range(1, 1 + starts))):
                text = json.dumps(build_scenario(item, variant, phases=phases)) if runs else ""
                jobs |= {(item.name, variant.name, run): (text, None, run) for run in runs}
    found = run_all(list(jobs.values()), lambda _, result: Outcome(result), threads, progress)
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
    findings = tuple(examine(c, runs) for c in claims)
    rows = judge_rows(runs)
    numbers = _numbers(runs, findings, rows)
    study = study_of(runs, progress) if item.study else None
    return ItemResult(item, numbers, findings, runs, study, rows)


def _numbers(runs: Runs, findings: Sequence[Finding], rows: Sequence[Row]) -> tuple[Number, ...]:
    whole = {(r.table, r.row, source): r for r in rows if r.hits for source in r.sources}
    trivial = _Trivials(runs)
    numbers = []
    for number in runs.item.numbers:
        found = _compare(runs, number, trivial, whole.get((number.table, number.row, number.source)))
        key = (number.row, number.metric, number.source)
        numbers.append(replace(found, claims=tuple((f.id, f.holds) for f in findings if key in f.about)))
    return tuple(numbers)


class _Trivials:
    """The trivial models of the variants, made when they are asked for."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._made: dict[str, Trivial] = {}

    def sample(self, rule: Rule, number: Published) -> Sample:
        """What the model gives for a number."""
        if number.row not in self._made:
            scenario = build_scenario(self._runs.item, self._runs.item.variant(number.row))
            resolved = json.loads(_core.check(json.dumps(scenario)))
            self._made[number.row] = Trivial(resolved, self._runs.base[number.row])
        model, metric = self._made[number.row], self._runs.paper.metrics[number.metric]
        alike = _alike(self._runs, rule, number)
        values = np.array([model.value(metric, n.source, number.span) for n in alike])
        return Sample(_of_rank(values, alike, number), np.zeros(0))


def _compare(runs: Runs, number: Published, trivials: _Trivials, whole: Row | None) -> Number:
    if number.row not in runs.base:
        return missing(number, f"{number.row} is not part of this package yet")
    rule = runs.paper.rule(runs.item.name, number)
    metric = runs.paper.metrics[number.metric]
    judgement = judge(number, rule, _sample(runs, number.row, rule, number))
    often = whole is not None and 2 * whole.hits > whole.starts
    if whole is not None and (often or judgement.verdict in ("miss", "undecided")):
        judgement = _within(whole, number, judgement)
    own = np.array(
        [s.value(metric, number.source, number.span).mean for s in runs.starts[number.row]], dtype=np.float64
    )
    ours = runs.base[number.row].value(metric, number.source, number.span)
    every = np.append(own, ours.mean)
    low, high = (np.nan, np.nan) if np.isnan(every).all() else (float(np.nanmin(every)), float(np.nanmax(every)))
    found = Number(number, rule.name, judgement, ours, mean_of(own), low, high, len(runs.seeds[number.row]))
    if not judgement.tested:
        return found
    trivial = trivials.sample(rule, number).base
    return replace(
        found,
        trivial=trivial,
        trivial_meets=meets(number, rule, judgement, trivial),
        wrong=tuple(_wrong(runs, rule, number, judgement)),
    )


def _within(row: Row, number: Published, judgement: Judgement) -> Judgement:
    """A number of a row that comes out whole, as close as a cell of a row is to be: a match if at more than half of the starts."""
    why = f"{judgement.why}; with all {row.cells} cells of its row in {row.hits} of {row.starts} starts"
    verdict: Verdict = "match" if 2 * row.hits > row.starts else "some-run"
    return replace(judgement, verdict=verdict, why=why, tolerance=closeness(number))


def _wrong(runs: Runs, rule: Rule, number: Published, judgement: Judgement) -> Iterator[tuple[str, bool]]:
    """Whether the runs of each other row of the table would have matched, within what ours were allowed to differ by."""
    for row in dict.fromkeys(n.row for n in runs.item.numbers if n.table == number.table and n.row != number.row):
        if row in runs.base:
            try:
                sample = _sample(runs, row, rule, number)
            except PaperError:  # It has no such source.
                continue
            found = judge(number, rule, sample)
            as_a_rule = rule.compare != "some" or found.verdict == "match"
            yield row, as_a_rule and meets(number, rule, judgement, found.expected)


def _sample(runs: Runs, row: str, rule: Rule, number: Published) -> Sample:
    """What is compared with a number, from the runs of a row."""
    alike = _alike(runs, rule, number)
    metric = runs.paper.metrics[number.metric]

    def of(outcome: Outcome) -> float:
        values = np.array([outcome.value(metric, n.source, number.span).mean for n in alike])
        return _of_rank(values, alike, number)

    paper = np.array([n.value for n in alike], dtype=np.float64)
    spread = float(paper.max() - paper.min()) if len(alike) >= ENOUGH_ALIKE else np.nan
    return Sample(of(runs.base[row]), np.array([of(o) for o in runs.seeds[row]], dtype=np.float64), spread)


def _of_rank(values: Floats, alike: Sequence[Published], number: Published) -> float:
    """The value that has the rank among `values` that a number has among the paper's numbers for sources that are alike."""
    rank = sorted(alike, key=lambda n: n.value or 0.0).index(number)
    return float(np.sort(values)[rank])


def _alike(runs: Runs, rule: Rule, number: Published) -> list[Published]:
    """The numbers of a row and measure whose sources may stand in for one another: this one alone, unless its rule says otherwise."""
    if not rule.exchangeable or number.value is None:
        return [number]
    return [
        n
        for n in runs.item.numbers
        if (n.table, n.row, n.metric, n.span) == (number.table, number.row, number.metric, number.span)
        and n.value is not None
        and rule.fits(runs.item.name, n)
    ]
