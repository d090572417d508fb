"""Runs a paper's items and compares: one runner for every paper, nothing in it is about a particular one."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..parallel import Progress, run_all
from ..stats.means import finite
from .build import build_scenario, check_items
from .claims import Finding, Runs, claims_of, examine
from .load import load_paper
from .measure import Floats, Outcome
from .model import Item, Paper, Published, Rule, Variant
from .study import Study, study_of
from .verdict import Number, judge, missing

#: Runs with random start phases beside the base run, unless told otherwise.
SEEDS = 5


@dataclass(frozen=True)
class ItemResult:
    """What an item gave. `runs` is None where it could not be run, `study` where it has no tables and figures of its own."""

    item: Item
    numbers: tuple[Number, ...]
    findings: tuple[Finding, ...]
    runs: Runs | None
    study: Study | None = None


@dataclass(frozen=True)
class Reproduction:
    """A paper's items, reproduced."""

    paper: Paper
    items: tuple[ItemResult, ...]
    seeds: int

    def to_dict(self) -> dict[str, Any]:
        """The stable form for machines: `{paper, items: [{item, numbers: [...], claims: [...], sections: [...]}]}`.

        `ours` is the base run, `ci95` the ends of the 95 % Student interval over the seeds (over the intervals where there
        are no seeds). A value that does not exist is null; a number that is not the paper's own has `paper` null.
        """
        return {"paper": self.paper.name, "items": [_item_dict(i) for i in self.items]}

    def to_json(self) -> str:
        """The form for machines as text."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def counts(self) -> dict[str, int]:
        """How many numbers match, miss and are not reproduced."""
        verdicts = [n.verdict for i in self.items for n in i.numbers]
        return {v: verdicts.count(v) for v in ("match", "miss", "not-reproduced")}

    def held(self) -> dict[str, list[bool | None]]:
        """What became of the claims, and of the statements in tables where there are any; None is not decided."""
        claims = [f.holds for i in self.items for f in i.findings]
        statements = [v for i in self.items if i.study is not None for s in i.study.sections for v in s.verdicts]
        return {"claims": claims, "statements in tables": statements} if statements else {"claims": claims}

    def save_report(self, folder: str | os.PathLike[str]) -> str:
        """Writes the HTML report and its figures (SVG and PNG) into `folder`; gives the path of the page.

        Raises:
            MissingExtraError: matplotlib or jinja2 is not installed.
        """
        from .report import write_report

        return str(write_report(self, folder))


def _item_dict(result: ItemResult) -> dict[str, Any]:
    return {
        "item": result.item.name,
        "numbers": [_number_dict(n) for n in result.numbers],
        "claims": [{"id": f.id, "text": f.text, "holds": f.holds, "measured": f.measured} for f in result.findings],
        "sections": [s.to_dict() for s in result.study.sections] if result.study is not None else [],
    }


def _number_dict(number: Number) -> dict[str, Any]:
    p = number.published
    ci = number.ci95
    return {
        "table": p.label,
        "row": p.row,
        "source": p.source,
        "metric": p.metric,
        "unit": p.unit,
        "paper": p.value if p.mark not in ("RECALLED", "PROPOSED") else None,
        "ours": finite(number.ours.mean),
        "ci95": None if ci is None else [finite(ci[0]), finite(ci[1])],
        "verdict": number.verdict,
    }


def reproduce(
    paper: str,
    *items: str,
    seeds: int = SEEDS,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Reproduces items of a paper, all of them if none is named.

    Each protocol pair is run once with all sources starting at time 0, and `seeds` times with random start phases, in
    parallel threads. Results do not depend on the number of threads.

    Raises:
        PaperError: no such paper or item.
    """
    found = load_paper(paper)
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    return reproduce_items(found, chosen, seeds=seeds, threads=threads, progress=progress)


def reproduce_items(
    paper: Paper,
    items: Sequence[Item],
    *,
    seeds: int = SEEDS,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """As `reproduce`, for items that may have been changed."""
    check_items(paper, items)
    outcomes = _run_all(items, seeds, threads, progress)
    return Reproduction(paper, tuple(_result(paper, i, outcomes, progress) for i in items), seeds)


Key = tuple[str, str, int]


def _run_all(items: Sequence[Item], seeds: int, threads: int | None, progress: Progress | None) -> dict[Key, Outcome]:
    """Runs everything; the key is (item, variant, run), run 0 being the base run."""
    jobs: dict[Key, tuple[Item, Variant]] = {}
    for item in items:
        for variant in item.variants if item.runs else ():
            for run in range(1 + (seeds if variant.seeds else 0)):
                jobs[item.name, variant.name, run] = (item, variant)
    scenarios = [(json.dumps(build_scenario(*job, phases=key[2] > 0)), None, key[2]) for key, job in jobs.items()]
    found = run_all(scenarios, lambda _, result: Outcome(result), threads, progress)
    return dict(zip(jobs, found, strict=True))


def _result(paper: Paper, item: Item, outcomes: dict[Key, Outcome], progress: Progress | None) -> ItemResult:
    claims = [c for c in claims_of(paper) if c.item == item.name]
    if not item.runs:
        why = item.note or "not reproduced yet"
        numbers = tuple(missing(n, why) for n in item.numbers)
        return ItemResult(item, numbers, tuple(Finding(c.id, c.text, None, why) for c in claims), None)
    base = {v.name: outcomes[item.name, v.name, 0] for v in item.variants}
    seeds = {
        v.name: [o for (i, n, run), o in sorted(outcomes.items()) if i == item.name and n == v.name and run > 0]
        for v in item.variants
    }
    runs = Runs(paper, item, base, seeds)
    numbers = tuple(_compare(runs, n) for n in item.numbers)
    study = study_of(runs, progress) if item.study else None
    return ItemResult(item, numbers, tuple(examine(c, runs) for c in claims), runs, study)


def _compare(runs: Runs, number: Published) -> Number:
    if number.row not in runs.base:
        return missing(number, f"{number.row} is not part of this package yet")
    rule = runs.paper.rule(runs.item.name, number)
    metric = runs.paper.metrics[number.metric]
    base, seeds = runs.base[number.row], runs.seeds[number.row]
    own: Floats = np.array([s.value(metric, number.source, number.span).mean for s in seeds], dtype=np.float64)
    pool = own
    if rule.compare == "range" and rule.pool:
        pool = np.array(
            [s.value(metric, source, number.span).mean for s in (base, *seeds) for source in _alike(runs, rule, number)]
        )
    if rule.compare == "unordered":
        pool = np.array([_of_same_rank(runs, rule, number)])
    return judge(number, rule, base.value(metric, number.source, number.span), own, pool)


def _of_same_rank(runs: Runs, rule: Rule, number: Published) -> float:
    """The base run's value with the rank among its sources that this number has among the paper's."""
    alike = set(_alike(runs, rule, number))
    theirs = [
        n
        for n in runs.item.numbers
        if (n.table, n.row, n.metric, n.span) == (number.table, number.row, number.metric, number.span)
        and n.source in alike
    ]
    ours = np.sort(runs.of(number.row, number.metric, *(n.source for n in theirs), span=number.span))
    return float(ours[sorted(theirs, key=lambda n: n.value or 0.0).index(number)])


def _alike(runs: Runs, rule: Rule, number: Published) -> list[str]:
    """The sources of the same row that the same rule speaks about."""
    return [
        n.source
        for n in runs.item.numbers
        if (n.row, n.metric, n.span) == (number.row, number.metric, number.span) and rule.fits(runs.item.name, n)
    ]
