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
from ..errors import HeadgateError, cut, nearest
from ..stats import Mean, mean_of
from ..stats.means import finite
from ..sweep.axes import find_axis, point_of
from .metrics import Metric
from .values import Cube, cube

if TYPE_CHECKING:
    from ..sweep import Study

#: Corrections of p-values for many comparisons.
CORRECTIONS: dict[str, Callable[[npt.ArrayLike], Any]] = {
    "holm": stats.holm,
    "bh": stats.benjamini_hochberg,
    "none": np.asarray,
}

#: Their names in sentences.
SAID = {"holm": "corrected after Holm", "bh": "corrected after Benjamini and Hochberg", "none": "not corrected"}

#: Pairs below which only very large differences can be seen.
FEW = 5

#: A smaller probability cannot be distinguished from 0 beside 1.
LEAST_ALPHA = 1e-12

Where = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """The mean of one point: `where` are the points of the other axes, `value` is that of the axis compared."""

    where: Where
    value: Any
    mean: Mean


@dataclass(frozen=True)
class Difference:
    """`b` compared with `a`.

    Attributes:
        where: the points of the other axes.
        a: the reference point.
        b: the other one; the difference is b - a.
        found: difference, interval and p-value of this one comparison, over the pairs of replications.
        p: the p-value, corrected for all comparisons that were made.
        significant: whether it is below alpha.
        unpaired: replications that one of both lacks, or that measured nothing in one of both; they are left out.
    """

    where: Where
    a: Any
    b: Any
    found: stats.Comparison
    p: float
    significant: bool
    unpaired: int

    @property
    def verdict(self) -> str:
        """`above`, `below` or `no difference shown`."""
        if not self.significant:
            return "no difference shown"
        return "above" if self.found.difference > 0 else "below"


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
        many, some = len(self.differences), [d for d in self.differences if d.significant]
        said = f"{self.alpha:g}, {SAID[self.correction]}"
        if many == 1:
            head = f"The difference is {'' if some else 'not '}significant (level {said})."
        else:
            head = f"{len(some)} of {many} differences are significant (level {said})."
        return [head, *(_pair(ds) for ds in self._pairs().values())]

    def _pairs(self) -> dict[tuple[str, str], list[Difference]]:
        pairs: dict[tuple[str, str], list[Difference]] = {}
        for d in self.differences:
            pairs.setdefault((str(d.a), str(d.b)), []).append(d)
        return pairs

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
                    "interval": _ends(
                        e.mean.mean - e.mean.half_at(1 - self.alpha), e.mean.mean + e.mean.half_at(1 - self.alpha)
                    ),
                }
                for e in self.entries
            ],
            "differences": [_machine(d) for d in self.differences],
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
        alpha: probability of a false finding; intervals have the confidence 1 - alpha, each by itself.
        correction: for many comparisons: `holm`, which bounds the probability of any false finding, `bh` (Benjamini and Hochberg),
            which bounds the share of false findings, or `none`.

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
        Entry(where, names[i], mean_of(values[i]))
        for where, values, _ in _combinations(data)
        for i in range(len(names))
    ]
    found = [
        (where, a, b, stats.compare(values[a], values[b], 1 - alpha), int((ran[a] | ran[b]).sum()))
        for where, values, ran in _combinations(data)
        for a, b in pairs
        if (~np.isnan(values[a] + values[b])).any()
    ]
    lacking = len(entries) // len(names) * len(pairs) - len(found)
    _enough([c.n for *_, c, _ in found], by, study)
    corrected = CORRECTIONS[correction]([c.p for *_, c, _ in found])
    differences = [
        Difference(where, names[a], names[b], c, float(p), bool(p < alpha), runs - c.n)
        for (where, a, b, c, runs), p in zip(found, corrected, strict=True)
    ]
    notes = _notes(study, differences, lacking, data)
    what = whole.metric.of(flow or link, split)
    return Compared(
        whole.metric, what, points.name, pooled, fixed, None if base is None else names[base], alpha, correction, entries,
        differences, notes,
    )  # fmt: skip


def _combinations(data: Cube) -> Iterator[tuple[Where, npt.NDArray[np.float64], npt.NDArray[np.bool_]]]:
    """Every combination of the axes but the last, with the values of the last one's points."""
    others = data.axes[:-1]
    for index in np.ndindex(*(len(axis) for axis in others)):
        where = {axis.name: axis.columns[axis.name][i] for axis, i in zip(others, index, strict=True)}
        yield where, data.values[index], data.ran[index]


def _enough(pairs: list[int], by: str, study: Study) -> None:
    """Raises if no comparison has two pairs."""
    if max(pairs, default=0) >= 2:
        return
    have = f"1 replication of each {by}" if pairs else f"no replication that two points of {by} have in common"
    state = "" if study.complete else "; the study is not complete"
    raise HeadgateError(
        f"{study.folder}: found {have}; expected at least 2 to distinguish a difference from chance, and better 10{state}"
    )


def _notes(study: Study, differences: list[Difference], lacking: int, data: Cube) -> list[str]:
    """Notes on the numbers that a reader should know."""
    notes = []
    if study.missing is None or study.missing > 0:
        many = "Some" if study.missing is None else f"{study.missing} of the"
        notes.append(f"{many} runs are missing: the study is not complete.")
    if len(study.failures):
        notes.append(
            f"{len(study.failures)} runs failed and are left out with their pairs; if they failed because of what is compared, "
            "the comparison is biased. The table failures has their errors."
        )
    if lacking:
        notes.append(f"{lacking} comparisons have no pair of runs that measured something.")
    unpaired = sum(d.unpaired for d in differences)
    if unpaired:
        notes.append(f"{unpaired} replications without a partner, or in which nothing was measured, are left out.")
    least = min(d.found.n for d in differences)
    if least < FEW:
        factor = f"{stats.student_quantile(least - 1):.1f}" if least > 1 else "any number of"
        notes.append(
            f"There are comparisons of {least} pairs only: a difference must be above {factor} times its standard error to be "
            f"significant; with 10 pairs, {stats.student_quantile(9):.1f} times."
        )
    spread = np.nan_to_num(data.values - data.values[..., :1])
    if data.replications > 1 and not spread.any():
        notes.append("All replications are equal: nothing in these scenarios is random, and the differences are exact.")
    return notes


def _pair(differences: list[Difference]) -> str:
    """Result for two points: where one is above, where below, where neither is shown."""
    a, b = differences[0].a, differences[0].b
    parts = []
    for side in ("below", "above"):
        some = [d for d in differences if d.verdict == side]
        if some:
            shares = sorted(100 * abs(d.found.relative) for d in some)
            parts.append(f"{side} {a}{_at(some, differences)}{_by(shares)}")
    none = [d for d in differences if not d.significant]
    if len(none) == len(differences):
        return f"{b}: no difference from {a} is shown{_at(none, differences)}."
    if none:
        parts.append(f"no difference is shown{_at(none, differences)}")
    return f"{b} is {'; '.join(parts)}."


def _at(some: list[Difference], differences: list[Difference]) -> str:
    if len(differences) == 1:
        return ""
    axes = list(differences[0].where)
    if len(some) == len(differences):
        return (
            f" at every {axes[0]}"
            if len(axes) == 1
            else f" in all {len(differences)} combinations of {', '.join(axes)}"
        )
    if len(some) > 5:
        return f" in {len(some)} of {len(differences)} combinations of {', '.join(axes)}"
    texts = [", ".join(str(v) for v in d.where.values()) for d in some]
    if len(axes) == 1:
        return f" at {axes[0]} {' and '.join([', '.join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)}"
    return f" at {', '.join(axes)} = {'; '.join(texts)}"


def _by(shares: list[float]) -> str:
    if not all(math.isfinite(s) for s in shares):
        return ""
    low, high = f"{shares[0]:.2g}", f"{shares[-1]:.2g}"
    return f" by {low} %" if low == high else f" by {low} to {high} %"


def _ends(low: float, high: float) -> list[float] | None:
    return None if math.isnan(low) or math.isnan(high) else [float(low), float(high)]


def _machine(d: Difference) -> dict[str, Any]:
    c = d.found
    return {
        "where": d.where,
        "a": d.a,
        "b": d.b,
        "mean_a": finite(c.a),
        "mean_b": finite(c.b),
        "difference": finite(c.difference),
        "interval": _ends(c.low, c.high),
        "relative": finite(c.relative),
        "pairs": c.n,
        "unpaired": d.unpaired,
        "p": finite(c.p),
        "p_corrected": finite(d.p),
        "p_wilcoxon": finite(c.robust_p),
        "significant": d.significant,
    }
