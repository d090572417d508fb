"""Whether a number of ours meets the paper's, by the rule that the paper's folder gives for it.

A rule is a statement about one number. None is a range of what happened to be run: a verdict does not change because more seeds are run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..stats import Mean, mean_of
from .measure import Floats
from .model import JUDGED, Published, Rule

#: `match` and `miss`: decided. `some-run`: not met as a rule, but in one run at least. `undecided`: tested, but our runs differ so
#: much that they say nothing. `not-reproduced`: not run. `not-tested`: the paper has no number here that could be tested.
Verdict = Literal["match", "miss", "some-run", "undecided", "not-reproduced", "not-tested"]

#: In the order in which they are counted and printed.
VERDICTS: tuple[Verdict, ...] = ("match", "miss", "some-run", "undecided", "not-reproduced", "not-tested")

#: The verdicts of numbers that were tested.
TESTED = ("match", "miss", "some-run", "undecided")

#: Sources that are alike, from which on their spread in the paper bounds a prediction.
ENOUGH_ALIKE = 3

#: What a prediction may always differ by, relative to the paper's number, however little the paper's sources differ.
FLOOR = 0.02

#: A tolerance above this share of the number is wide: it says little.
WIDE = 0.25


@dataclass(frozen=True)
class Sample:
    """What is compared with one number: the base run's value, and those of the runs with random phases.

    Where sources are exchangeable they are those of the same rank among ours as the number has among the paper's; `spread` is then the
    greatest less the least of the paper's numbers for these sources, else nan. With `over_starts` the base run is the first of the
    others, and what the base run alone would decide is decided by more than half of them.
    """

    base: float
    runs: Floats
    spread: float = math.nan
    over_starts: bool = False


@dataclass(frozen=True)
class Judgement:
    """A verdict, why, what was compared with the paper's number, and by how much the two may differ (nan where nothing was tested)."""

    verdict: Verdict
    why: str
    expected: float = math.nan
    tolerance: float = math.nan

    @property
    def tested(self) -> bool:
        """Whether there was something to test."""
        return self.verdict in TESTED


def judge(published: Published, rule: Rule, sample: Sample) -> Judgement:
    """Compares a number of the paper with ours."""
    if why := _untestable(published, rule):
        return Judgement("not-tested", f"not tested: {why}")
    paper = _paper(published)
    if sample.over_starts and rule.compare in ("value", "band", "bound", "absent"):
        return _by_majority(published, rule, sample)
    if rule.compare == "absent":
        silent = int(np.isnan(sample.runs).sum())
        found: Verdict = "match" if math.isnan(sample.base) else "some-run" if silent else "miss"
        return Judgement(found, "nothing is to be measured", math.nan, 0.0)
    rounding = published.rounding + 1e-12
    allowed = rule.absolute + rule.relative * abs(paper) + rule.deviations * (published.stddev or 0.0) + rounding
    if rule.compare == "predict":
        return _predict(published, rule, sample)
    if rule.compare == "some":
        runs = sample.runs if sample.over_starts else np.append(sample.runs, sample.base)
        near = int((abs(runs - paper) <= allowed).sum())
        verdict: Verdict = "match" if 2 * near > len(runs) else "some-run" if near else "miss"
        return Judgement(verdict, f"{near} of {len(runs)} runs within {allowed:.3g}", sample.base, allowed)
    if rule.compare == "above":
        mean = mean_of(sample.runs).mean if len(sample.runs) else sample.base
        return Judgement("match" if mean > paper else "miss", f"{mean:.4g}, to be above {paper:g}", mean, 0.0)
    if math.isnan(sample.base):
        return Judgement("miss", "nothing was measured", math.nan, allowed)
    if rule.compare == "bound":
        below = sample.base <= paper + allowed
        return Judgement("match" if below else "miss", f"at most {paper + allowed:.4g}", sample.base, allowed)
    if rule.compare == "band":
        a, b = rule.band
        inside = a <= sample.base <= b and a <= paper <= b
        return Judgement("match" if inside else "miss", f"both in {a:g} to {b:g}", sample.base, (b - a) / 2)
    ranked = f"{sample.base:.4g}, ours of the same rank, " if rule.exchangeable else ""
    near_enough = abs(sample.base - paper) <= allowed
    how = f"within {allowed:.3g}" if allowed > 1e-9 else "exactly"
    return Judgement("match" if near_enough else "miss", f"{ranked}{how}", sample.base, allowed)


def _by_majority(published: Published, rule: Rule, sample: Sample) -> Judgement:
    """What would rest on the base run alone: a match if more than half of the starts meet it; compared is the middle one."""
    each = [judge(published, rule, Sample(float(v), np.zeros(0))) for v in sample.runs]
    held = sum(j.verdict == "match" for j in each)
    middle = float(np.nanmedian(sample.runs)) if not np.isnan(sample.runs).all() else math.nan
    # A source that is silent at some starts, and not at others, has two steady states.
    seldom: Verdict = "some-run" if rule.compare == "absent" and held else "miss"
    found: Verdict = "match" if 2 * held > len(each) else seldom
    how = judge(published, rule, Sample(middle, np.zeros(0)))
    why = f"in {held} of {len(each)} starts; the middle one: {how.why}"
    return Judgement(found, why, math.nan if rule.compare == "absent" else middle, how.tolerance)


def meets(published: Published, rule: Rule, judgement: Judgement, value: float) -> bool:
    """Whether one value, such as that of a trivial model, would have been a match: within what our number was allowed to differ by."""
    if judgement.verdict not in ("match", "miss", "some-run"):
        return False
    if rule.compare == "absent":
        return math.isnan(value)
    if rule.compare == "band":
        return rule.band[0] <= value <= rule.band[1] and rule.band[0] <= _paper(published) <= rule.band[1]
    if rule.compare == "above":
        return value > _paper(published)
    if rule.compare == "bound":
        return value <= _paper(published) + judgement.tolerance
    return abs(value - _paper(published)) <= judgement.tolerance


def _paper(published: Published) -> float:
    return math.nan if published.value is None else published.value


def _untestable(published: Published, rule: Rule) -> str:
    if published.mark == "DOUBTFUL":
        return "the printed number is doubtful"
    if published.mark not in JUDGED:
        return f"{published.mark}, which nobody printed"
    if published.value is None:
        return "the table prints nothing here"
    return rule.reason if rule.compare == "none" else ""


def _predict(published: Published, rule: Rule, sample: Sample) -> Judgement:
    """The paper's number is one more run: it lies in the 95 % prediction interval of ours.

    Student's, from the mean and the deviation of n runs: half its width is t(n - 1) s sqrt(1 + 1/n), which more runs do not widen.
    Of sources that are alike the paper shows itself how far they lie apart; the interval is not wider than that on either side, nor
    narrower than 2 %.
    """
    paper, rounding = _paper(published), published.rounding + 1e-12
    runs = mean_of(sample.runs)
    if 2 * runs.n < len(sample.runs) or (runs.n == 0 and math.isnan(sample.base)):
        return Judgement("miss", "nothing was measured", math.nan, rounding)
    mean, half = (runs.mean, runs.half * math.sqrt(runs.n + 1)) if runs.n > 1 else (sample.base, 0.0)
    bound = max(sample.spread, FLOOR * abs(paper)) if not math.isnan(sample.spread) else math.inf
    allowed = min(half, bound) + rounding
    who = "ours of the same rank" if rule.exchangeable else "ours"
    why = f"{mean:.4g} ± {half:.3g} predicted from {who} in {runs.n} runs"
    if half > bound:
        why += f", at most ± {bound:.3g}, the spread of the paper's sources"
    inside = abs(mean - paper) <= allowed
    if inside and allowed > max(abs(paper), 2 * published.rounding):
        return Judgement("undecided", f"{why}: so wide says nothing", mean, allowed)
    return Judgement("match" if inside else "miss", why, mean, allowed)


@dataclass(frozen=True)
class Number:
    """A published number, ours, the verdict, and the trivial model's value.

    `ours` is the base run: all sources start at once, or the first of the starts. `spread` is the mean over all runs with random start
    phases, `low` and `high` are the least and greatest of them and the base run; the verdict rests on the first `seeds` of them. `wrong`
    says of each other row of the table whether its runs would have matched here. `claims` are those about this row and measure, with what
    became of them. Where sources are exchangeable, `same_rank` is what the base run has in the rank of this number, and `spread`, `low`
    and `high` are of that rank too.
    """

    published: Published
    rule: str
    judgement: Judgement
    ours: Mean
    spread: Mean
    low: float
    high: float
    seeds: int = 0
    trivial: float = math.nan
    trivial_meets: bool = False
    wrong: tuple[tuple[str, bool], ...] = ()
    claims: tuple[tuple[str, bool | None], ...] = ()
    same_rank: float | None = None

    @property
    def is_wide(self) -> bool:
        """Whether ours may differ from a number that is not 0 by more than a quarter of it."""
        return bool(self.published.value) and self.judgement.tolerance > WIDE * abs(self.published.value or 0.0)

    @property
    def verdict(self) -> Verdict:
        """The verdict in words."""
        return self.judgement.verdict

    @property
    def why(self) -> str:
        """The rule, what was compared, and which claims about the same row and measure do not hold."""
        failed = [name for name, holds in self.claims if holds is False]
        beside = f"; beside it {', '.join(failed)} fail{'s' * (len(failed) == 1)}" if failed else ""
        return f"{self.rule}: {self.judgement.why}{beside}" if self.rule else self.judgement.why

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % Student interval of the mean over the seeds, else over the intervals of the base run."""
        return self.spread.ci95 or self.ours.ci95


def missing(published: Published, why: str) -> Number:
    """A number of the paper that was not reproduced, or no number of the paper."""
    own = published.mark in JUDGED and published.value is not None
    judgement = Judgement("not-reproduced", why) if own else Judgement("not-tested", f"{published.mark}: {why}")
    nothing = Mean(math.nan, math.nan, 0)
    return Number(published, "", judgement, nothing, nothing, math.nan, math.nan)
