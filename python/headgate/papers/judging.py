"""The published numbers of an item beside ours: what was measured, its verdict, what a trivial model and other rows would have given."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from .. import _core
from ..stats import Mean, mean_of
from .build import build_scenario
from .claims import Finding, Runs
from .measure import Floats, Outcome
from .model import CHAOTIC, Measure, PaperError, Published, Rule
from .rows import Row, closeness
from .study import Shown
from .trivial import Trivial, of_study
from .verdict import ENOUGH_ALIKE, Judgement, Number, Sample, Verdict, judge, meets, missing


def numbers_of(runs: Runs, study: Shown | None, findings: Sequence[Finding], rows: Sequence[Row]) -> Iterator[Number]:
    """All published numbers of an item, each with the claims about the same row, measure and source."""
    whole = {(r.table, r.row, source): r for r in rows if r.hits for source in r.sources}
    shown = study if study is not None else Shown(())
    trivial = _Trivials(runs)
    for number in runs.item.numbers:
        if runs.paper.metrics[number.metric].study:
            found = _studied(runs, number, shown)
        else:
            found = _compare(runs, number, trivial, whole.get((number.table, number.row, number.source)))
        key = (number.row, number.metric, number.source)
        yield replace(found, claims=tuple((f.id, f.holds) for f in findings if key in f.about))


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


def _studied(runs: Runs, number: Published, shown: Shown) -> Number:
    """A number beside what the item's study measured, which has no intervals, and repetitions instead of seeds."""
    key = (number.metric, number.row, number.source)
    repeated = np.asarray(shown.repeated.get(key, np.zeros(0)))

    def of(row: str) -> float | None:
        return shown.values.get((number.metric, row, number.source))

    ours, rule = of(number.row), runs.paper.rule(runs.item.name, number)
    nothing = mean_of(np.zeros(0))
    if ours is None:
        # Whether a number is tested does not depend on the machine, nor on what it was asked to measure.
        judgement = judge(number, rule, Sample(np.nan, np.zeros(0)))
        if judgement.tested:
            return missing(number, "the study could not measure this here")
        return Number(number, rule.name, judgement, nothing, nothing, np.nan, np.nan)
    judgement = judge(number, rule, Sample(ours, repeated))
    every = np.append(repeated, ours)
    low, high = float(np.min(every)), float(np.max(every))
    found = Number(number, rule.name, judgement, Mean(ours, np.nan, 1), mean_of(repeated), low, high, len(repeated))
    if not judgement.tested:
        return found
    trivial = shown.trivial.get(key, of_study(runs.paper.metrics[number.metric]))
    others = ((row, of(row)) for row in _other_rows(runs, number))
    return replace(
        found,
        trivial=trivial,
        trivial_meets=meets(number, rule, judgement, trivial),
        wrong=tuple((row, meets(number, rule, judgement, value)) for row, value in others if value is not None),
    )


def _other_rows(runs: Runs, number: Published) -> list[str]:
    """The other rows of the table that a number stands in."""
    return list(dict.fromkeys(n.row for n in runs.item.numbers if n.table == number.table and n.row != number.row))


def _compare(runs: Runs, number: Published, trivials: _Trivials, whole: Row | None) -> Number:
    if number.row not in runs.base:
        return missing(number, f"{number.row} is not part of this package yet")
    rule = runs.paper.rule(runs.item.name, number)
    metric = runs.paper.metrics[number.metric]
    judgement = judge(number, rule, _sample(runs, number.row, rule, number))
    often = whole is not None and 2 * whole.hits > whole.starts
    if whole is not None and (often or judgement.verdict in ("miss", "undecided")):
        judgement = _within(whole, number, judgement)
    alike, starts = _alike(runs, rule, number), runs.starts[number.row]
    own = np.array([_value_of(o, metric, alike, number) for o in starts], dtype=np.float64)
    ours, base = runs.base[number.row].value(metric, number.source, number.span), runs.base[number.row]
    same_rank = _value_of(base, metric, alike, number) if len(alike) > 1 else None
    at_once = runs.together[number.row]
    every = np.append(own, _value_of(at_once, metric, alike, number))
    low, high = (np.nan, np.nan) if np.isnan(every).all() else (float(np.nanmin(every)), float(np.nanmax(every)))
    found = Number(
        number, rule.name, judgement, ours, mean_of(own), low, high, len(runs.seeds[number.row]), same_rank=same_rank
    )
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
    """A number of a row that is tested as a whole, with a cell's tolerance: a match if more than half of the starts meet it."""
    why = f"{judgement.why}; with all {row.cells} cells of its row in {row.hits} of {row.starts} starts"
    verdict: Verdict = "match" if 2 * row.hits > row.starts else "some-run"
    return replace(judgement, verdict=verdict, why=why, tolerance=closeness(number))


def _wrong(runs: Runs, rule: Rule, number: Published, judgement: Judgement) -> Iterator[tuple[str, bool]]:
    """Whether the runs of each other row of the table would have matched, within what ours were allowed to differ by."""
    for row in _other_rows(runs, number):
        if row in runs.base:
            try:
                sample = _sample(runs, row, rule, number)
            except PaperError:  # It has no such source.
                continue
            found = judge(number, rule, sample)
            if sample.over_starts and rule.compare not in CHAOTIC:
                # In more than half of the starts, as ours.
                yield row, found.verdict == "match"
                continue
            as_a_rule = rule.compare != "some" or found.verdict == "match"
            yield row, as_a_rule and meets(number, rule, judgement, found.expected)


def _sample(runs: Runs, row: str, rule: Rule, number: Published) -> Sample:
    """What is compared with a number, from the runs of a row."""
    alike = _alike(runs, rule, number)
    metric = runs.paper.metrics[number.metric]

    def of(outcome: Outcome) -> float:
        return _value_of(outcome, metric, alike, number)

    paper = np.array([n.value for n in alike], dtype=np.float64)
    spread = float(paper.max() - paper.min()) if len(alike) >= ENOUGH_ALIKE else np.nan
    over = runs.item.over_starts and bool(runs.seeds[row])
    return Sample(of(runs.base[row]), np.array([of(o) for o in runs.seeds[row]], dtype=np.float64), spread, over)


def _value_of(outcome: Outcome, metric: Measure, alike: Sequence[Published], number: Published) -> float:
    """What a run gives for a number: of sources that are alike, what has its rank among them."""
    values = np.array([outcome.value(metric, n.source, number.span).mean for n in alike])
    return _of_rank(values, alike, number)


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
