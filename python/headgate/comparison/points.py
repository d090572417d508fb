"""Comparison of the points of one axis: means, paired differences, and which of them are significant.

Replication k of every variant uses the same random numbers, so differences are taken replication by replication (Law 2015, section
11.2). The other axes are either kept apart, each combination of their points being compared by itself, or pooled: then the mean over
all of them is taken within each replication first, because runs of one replication have their random numbers in common and would not
count as independent pairs. All p-values of one comparison are corrected together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import stats
from ..base.counts import counted, verb
from ..base.errors import HeadgateError, cut, nearest
from ..stats import mean_of
from ..sweep.axes import find_axis, point_of
from .differences import Difference, Entry, Where, ends
from .metrics import Metric
from .sentences import sentences
from .values import Cube, cube

if TYPE_CHECKING:
    from ..sweep import Study

#: Corrections for many comparisons: of p-values, and the levels of intervals that agree with them.
CORRECTIONS: dict[str, tuple[Callable[[npt.ArrayLike], Any], Callable[[npt.ArrayLike, float], Any]]] = {
    "holm": (stats.holm, stats.holm_levels),
    "bh": (stats.benjamini_hochberg, stats.benjamini_hochberg_levels),
    "none": (np.asarray, lambda p, alpha: np.where(np.isnan(p), np.nan, alpha)),
}

#: Pairs below which only very large differences can be seen.
FEW = 5

#: A smaller probability cannot be distinguished from 0 beside 1.
LEAST_ALPHA = 1e-12


@dataclass(frozen=True)
class Compared:
    """The result of `compare`.

    Attributes:
        metric: the metric that was compared.
        what: the same in words.
        by: the axis.
        pooled: other axes over which means were taken.
        fixed: other axes that have one point only.
        against: the point with which all others were compared; None if all pairs were compared.
        alpha: probability of a false finding.
        correction: for many comparisons.
        entries: the means, in the order of the axes.
        differences: in the same order.
        notes: sentences on limits of the comparison.
    """

    metric: Metric
    what: str
    by: str
    pooled: list[str]
    fixed: Where
    against: Any
    alpha: float
    correction: str
    entries: list[Entry]
    differences: list[Difference]
    notes: list[str]

    def sentences(self) -> list[str]:
        """The result in words: one sentence on all and one for each pair of points."""
        return sentences(self.by, self.differences, self.alpha, self.correction)

    def to_dict(self) -> dict[str, Any]:
        """The results as JSON data, described in docs/reference/json.md."""
        return {
            "metric": {
                "name": self.metric.name,
                "table": self.metric.table,
                "column": self.metric.column,
                "over": self.metric.over,
                "unit": self.metric.unit,
            },
            "by": self.by,
            "against": self.against,
            "pooled": self.pooled,
            "fixed": self.fixed,
            "alpha": self.alpha,
            "correction": self.correction,
            "means": [
                {
                    "where": e.where,
                    "value": e.value,
                    **e.mean.to_dict(),
                    "runs_equal": e.mean.exact,
                    "interval": ends(
                        e.mean.mean - e.mean.half_at(1 - self.alpha), e.mean.mean + e.mean.half_at(1 - self.alpha)
                    ),
                }
                for e in self.entries
            ],
            "differences": [d.to_dict() for d in self.differences],
            "notes": self.notes,
            "sentences": self.sentences(),
        }


def compare(
    study: Study,
    by: str,
    metric: str,
    *,
    flow: str | None = None,
    link: str | None = None,
    over: str | None = None,
    against: Any = None,
    pool: bool = False,
    alpha: float = 0.05,
    correction: str = "holm",
) -> Compared:
    """Compares the points of an axis.

    Args:
        study: also one that is not complete: pairs are made of the runs that are there.
        by: the axis, or `flow` or `link` to compare the flows or ports of the same runs.
        metric: a column of a table or a short name such as `p99_delay`.
        flow: which flows: a name or a pattern; all unless given.
        link: which ports, for metrics of ports.
        over: how several flows or ports of a run are combined: `total`, `mean`, `least`, `most` or `jain`.
        against: the point with which all others are compared; all pairs unless given.
        pool: take means over the other axes, within each replication, instead of comparing each of their combinations.
        alpha: probability of a false finding; the intervals of means have the confidence 1 - alpha.
        correction: of p-values and of intervals of differences, for many comparisons: `holm`, which bounds the probability of any false
            finding, `bh` (Benjamini and Hochberg), which bounds the share of false findings, or `none`.

    Raises:
        HeadgateError: there is no such axis, point, metric, flow or port; there are fewer than two replications to compare.
    """
    if correction not in CORRECTIONS:
        hint = nearest(correction, CORRECTIONS)
        raise HeadgateError(
            f"correction {cut(correction)}: expected one of {', '.join(CORRECTIONS)}{hint and '.' + hint}"
        )
    if not LEAST_ALPHA <= alpha < 1:
        raise HeadgateError(f"alpha {alpha:g}: expected a number from {LEAST_ALPHA:g} to 1, such as 0.05")
    split = by in ("flow", "link")
    if split and over is not None:
        raise HeadgateError(f"over {cut(over)}: every {by} is compared by itself")
    if not split:
        find_axis(study.axes, by)
    whole = cube(study, metric, flow, "*" if by == "link" and link is None else link, over, split)
    axis = find_axis(whole.axes, by)
    others = [i for i in range(len(whole.axes)) if i != axis and len(whole.axes[i]) > 1]
    fixed = {a.name: a.columns[a.name][0] for i, a in enumerate(whole.axes) if i != axis and len(a) == 1}
    pooled = [whole.axes[i].name for i in others] if pool else []
    data = whole.pool([axis] if pool else [*others, axis])
    points = data.axes[-1]
    names = points.columns[points.name]
    if len(names) < 2:
        raise HeadgateError(f"axis {cut(by)}: expected at least two points to compare, found {names[0]} only")
    base = None if against is None else point_of(points, against)
    pairs = (
        list(combinations(range(len(names)), 2))
        if base is None
        else [(base, i) for i in range(len(names)) if i != base]
    )
    entries = [
        Entry(where, names[i], mean_of(values[i], bool(exact[i])))
        for where, values, _, exact in _combinations(data)
        for i in range(len(names))
    ]
    found = [
        _Pair(
            where, names[a], names[b], values[a], values[b], int((ran[a] | ran[b]).sum()), bool(exact[a] and exact[b])
        )
        for where, values, ran, exact in _combinations(data)
        for a, b in pairs
        if (~np.isnan(values[a] + values[b])).any()
    ]
    lacking = len(entries) // len(names) * len(pairs) - len(found)
    _enough([int((~np.isnan(pair.x + pair.y)).sum()) for pair in found], by, study)
    differences = _differences(found, alpha, correction)
    notes = _notes(study, differences, lacking) + _about(whole, pooled)
    what = whole.metric.of(flow or link, split)
    return Compared(
        whole.metric, what, points.name, pooled, fixed, None if base is None else names[base], alpha, correction, entries,
        differences, notes,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two points that are compared: their values by replication, how many runs one of them has, and whether the runs of each are equal."""

    where: Where
    a: Any
    b: Any
    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    runs: int
    exact: bool


def _differences(pairs: list[_Pair], alpha: float, correction: str) -> list[Difference]:
    """The differences, tested and corrected together."""
    correct, levels_of = CORRECTIONS[correction]
    found = [stats.compare(pair.x, pair.y, 1 - alpha) for pair in pairs]
    # Where nothing is left to chance there is nothing to test.
    single = [math.nan if pair.exact else c.p for pair, c in zip(pairs, found, strict=True)]
    out = []
    for pair, c, p, level in zip(pairs, found, correct(single), levels_of(single, alpha), strict=True):
        wide = None if math.isnan(level) else stats.compare(pair.x, pair.y, 1 - float(level))
        low, high = (math.nan, math.nan) if wide is None else (wide.low, wide.high)
        shown = c.difference != 0 if pair.exact else bool(p < alpha)
        out.append(Difference(pair.where, pair.a, pair.b, c, float(p), low, high, shown, pair.exact, pair.runs - c.n))
    return out


def _combinations(
    data: Cube,
) -> Iterator[tuple[Where, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_]]]:
    """Every combination of the axes but the last, with the values of the last one's points."""
    others = data.axes[:-1]
    for index in np.ndindex(*(len(axis) for axis in others)):
        where = {axis.name: axis.columns[axis.name][i] for axis, i in zip(others, index, strict=True)}
        yield where, data.values[index], data.ran[index], data.exact[index]


def _enough(pairs: list[int], by: str, study: Study) -> None:
    """Raises if no comparison has two pairs."""
    if max(pairs, default=0) >= 2:
        return
    have = f"1 replication of each {by}" if pairs else f"no replication that two points of {by} have in common"
    state = "" if study.complete else "; the study is not complete"
    raise HeadgateError(
        f"{study.folder}: found {have}; expected at least 2 to distinguish a difference from chance, and better 10{state}"
    )


def _about(whole: Cube, pooled: list[str]) -> list[str]:
    """Notes on the metric itself."""
    notes = []
    if whole.metric.quantile and pooled:
        notes.append(f"Quantiles were averaged over {', '.join(pooled)}: their mean is no quantile of all packets.")
    if whole.metric.table == "times":
        notes.append("Times of the machine are no results: they differ from one execution to the next.")
    known = whole.values[~np.isnan(whole.values)]
    if whole.metric.over == "jain" and (known == 1).all():
        notes.append("Jain's index is 1 in every run: of one flow it always is.")
    return notes


def _notes(study: Study, differences: list[Difference], lacking: int) -> list[str]:
    """Notes on the numbers that a reader should know."""
    notes = []
    if study.missing is None or study.missing > 0:
        many = "Some of the" if study.missing is None else f"{study.missing} of the"
        notes.append(f"{many} runs {verb(study.missing or 2, 'is', 'are')} missing: the study is not complete.")
    if len(study.failures):
        notes.append(
            f"{counted(len(study.failures), 'run')} failed and {verb(len(study.failures), 'is', 'are')} left out, with what is paired with "
            f"{verb(len(study.failures), 'it', 'them')}; if that was because of what is compared, the comparison is biased. The table "
            "failures has the errors."
        )
    if lacking:
        notes.append(
            f"{counted(lacking, 'comparison')} {verb(lacking, 'has', 'have')} no pair of runs that measured something."
        )
    unpaired = sum(d.unpaired for d in differences)
    if unpaired:
        notes.append(
            f"{counted(unpaired, 'replication')} without a partner, or in which nothing was measured, {verb(unpaired, 'is', 'are')} left "
            "out."
        )
    tested = [d for d in differences if not d.exact]
    least = min((d.found.n for d in tested), default=FEW)
    if least < FEW:
        factor = f"{stats.student_quantile(least - 1):.1f}" if least > 1 else "any number of"
        notes.append(
            f"There are comparisons of {counted(least, 'pair')} only: a difference must be above {factor} times its standard error to be "
            f"significant; with 10 pairs, {stats.student_quantile(9):.1f} times."
        )
    alike = sum(d.found.n > 1 and math.isnan(d.found.low) for d in tested)
    if alike:
        notes.append(
            f"{alike} of the differences {'is' if alike == 1 else 'are'} the same in every pair although the runs differ: there is "
            "no spread to make an interval of, and p is that of Wilcoxon's signed ranks."
        )
    return notes
