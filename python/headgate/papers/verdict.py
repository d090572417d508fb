"""Whether a number of ours meets the paper's, by the rule that the paper's folder gives for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..stats import Mean, mean_of
from .measure import Floats
from .model import PAPERS_OWN, Published, Rule

Verdict = Literal["match", "miss", "not-reproduced"]


@dataclass(frozen=True)
class Number:
    """A published number, ours, and the verdict.

    `ours` is the base run: all sources start at once, as in the paper. `seeds` is the spread over runs with random start
    phases, `low` and `high` its ends.
    """

    published: Published
    ours: Mean
    seeds: Mean
    low: float
    high: float
    verdict: Verdict
    why: str

    @property
    def ci95(self) -> tuple[float, float] | None:
        """The 95 % Student interval of the mean over the seeds, else over the intervals of the base run."""
        return self.seeds.ci95 or self.ours.ci95


def missing(published: Published, why: str) -> Number:
    """A number that was not reproduced."""
    nothing = Mean(math.nan, math.nan, 0)
    return Number(published, nothing, nothing, math.nan, math.nan, "not-reproduced", why)


def judge(published: Published, rule: Rule, ours: Mean, seeds: Floats, pool: Floats) -> Number:
    """Compares a number.

    Args:
        published: the paper's number.
        rule: how closely it is to be met.
        ours: the base run.
        seeds: this source's value in each run with random phases.
        pool: the values that the rule's range is taken over: of this source or, where sources are exchangeable, of all. For an
            unordered rule the base run's value that has the same rank among its sources as this number among the paper's.
    """
    low, high = _ends(np.append(pool, ours.mean))
    verdict, why = _verdict(published, rule, ours.mean, np.append(seeds, ours.mean), low, high, pool)
    own_low, own_high = _ends(np.append(seeds, ours.mean))
    return Number(published, ours, mean_of(seeds), own_low, own_high, verdict, why)


def _ends(values: Floats) -> tuple[float, float]:
    good = values[~np.isnan(values)]
    return (float(good.min()), float(good.max())) if good.size else (math.nan, math.nan)


def _verdict(
    published: Published, rule: Rule, ours: float, runs: Floats, low: float, high: float, pool: Floats
) -> tuple[Verdict, str]:
    paper = published.value
    if published.mark == "DOUBTFUL":
        return "not-reproduced", "not tested: the printed number is doubtful"
    if published.mark not in PAPERS_OWN:
        return "not-reproduced", f"not tested: {published.mark}, not a number of the paper"
    if paper is None:
        return "not-reproduced", "not tested: the table prints nothing here"
    if rule.compare == "none":
        return "not-reproduced", f"not tested: {rule.reason}"
    if rule.compare == "absent":
        return ("match" if math.isnan(ours) else "miss"), f"{rule.name}: nothing is to be measured"
    allowed = rule.absolute + rule.relative * abs(paper) + published.rounding + 1e-12
    allowed += rule.deviations * (published.stddev or 0.0)
    if rule.compare == "some":
        near = int((abs(runs - paper) <= allowed).sum())
        return ("match" if near else "miss"), f"{rule.name}: {near} of {len(runs)} runs within {allowed:.3g}"
    if rule.compare == "unordered":
        same = float(pool[0])
        why = f"{rule.name}: {same:.4g}, ours of the same rank whichever source has it, within {allowed:.3g}"
        return ("match" if abs(same - paper) <= allowed else "miss"), why
    if math.isnan(ours) and (rule.compare != "range" or math.isnan(low)):
        return "miss", f"{rule.name}: nothing was measured"
    if rule.compare == "range":
        slack = published.rounding + 1e-12
        inside = low - slack <= paper <= high + slack
        over = "all such sources and seeds" if rule.pool else "the seeds"
        why = f"{rule.name}: range over {over} {low:.4g} to {high:.4g}"
        if inside and high - low > max(abs(paper), 2 * published.rounding):
            return "not-reproduced", f"{why}: the paper's number lies inside, but a range so wide says nothing"
        return ("match" if inside else "miss"), why
    if rule.compare == "band":
        a, b = rule.band
        return ("match" if a <= ours <= b and a <= paper <= b else "miss"), f"{rule.name}: both in {a:g} to {b:g}"
    return ("match" if abs(ours - paper) <= allowed else "miss"), f"{rule.name}: within {allowed:.3g}"
