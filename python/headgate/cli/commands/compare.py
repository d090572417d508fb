"""headgate compare: which of several variants of a study is better, and is the difference significant?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...base.errors import HeadgateError, cut
from .. import shared, signals
from ..command import Command, argument, option
from ..printed import MeanJson, Shape, key
from ..show import print_json

if TYPE_CHECKING:
    from ...sweep.axes import Axis


class CompareJson(Shape):
    """Means, their differences, and which of these are significant."""

    metric: ComparedMetricJson = key("What is compared.")
    by: str = key("The axis.")
    against: str | None = key("The point held against; null for all pairs.")
    pooled: list[str] = key("Names of the axes over which means were taken.")
    fixed: dict[str, Any] = key("Axes with one point, and their points.")
    alpha: float = key("Probability of a false finding.")
    correction: str = key("`holm`, `bh` or `none`.")
    means: list[PointJson] = key("Each point.")
    differences: list[PairJson] = key("Each pair.")
    notes: list[str] = key("Texts for people.")
    sentences: list[str] = key("Texts for people: the findings.")


class ComparedMetricJson(Shape):
    """A metric."""

    name: str = key("Its name.")
    table: str = key("The table that it is in.")
    column: str = key("The column.")
    over: str = key("What became of several flows of a run.")
    unit: str = key("Unit of all numbers below.")


class PointJson(MeanJson):
    """The mean of a point."""

    where: dict[str, Any] = key("The other axes.")
    value: Any = key("The point.")
    runs_equal: bool = key("Whether all its runs are equal.")
    interval: list[float] | None = key("The interval with the confidence 1 - alpha.")


class PairJson(Shape):
    """A difference."""

    where: dict[str, Any] = key("The other axes.")
    a: Any = key("One point.")
    b: Any = key("The other.")
    mean_a: float | None = key("Mean of `a` over the pairs.")
    mean_b: float | None = key("Mean of `b` over the pairs.")
    difference: float | None = key("`b` less `a`.")
    interval: list[float] | None = key("Interval of this comparison by itself.")
    interval_corrected: list[float] | None = key("Interval of all comparisons together.")
    relative: float | None = key("The difference over `a`.")
    exact: bool = key(
        "Whether the runs of both points are equal: then there are no intervals and no p-values, and `significant` says "
        "whether the difference is another one than 0."
    )
    pairs: int = key("Pairs of runs.")
    unpaired: int = key("Runs without a partner.")
    p: float | None = key("p-value of this comparison by itself.")
    p_corrected: float | None = key("p-value of all comparisons together.")
    p_wilcoxon: float | None = key("p-value of Wilcoxon's test, which asks for no distribution.")
    significant: bool = key("Whether `interval_corrected` leaves out 0.")


class CompareCommand(Command):
    """Compare the points of an axis of the study in DIR by a metric, replication by replication.

    Prints means with intervals, paired differences with intervals, and which differences are significant.
    """

    group = "Compare"
    at_once = True
    page = "how-to/compare"
    question = "is a variant really better?"
    examples = """\
headgate compare out/queues-and-rates --by queue --metric p99_delay \\
  --flow telnet
headgate compare out/queues-and-rates --by queue --metric jain_of_max_min \\
  --against fcfs --pool
"""
    prints = {"": CompareJson}

    folder: Path = argument(metavar="DIR")
    by: str = option("Axis to compare the points of; also flow or link.", metavar="AXIS", required=True)
    metric: str = option(
        "Column of the tables, or a short name: goodput, p99_delay, rtt, jain_of_max_min, ...", required=True
    )
    flow: str | None = shared.flow()
    link: str | None = shared.link()
    over: str | None = shared.over()
    against: str | None = option("Point with which the others are compared; all pairs unless given.", metavar="VALUE")
    wheres: tuple[str, ...] = shared.wheres()
    pool: bool = option("Average over the other axes instead of comparing each of their combinations.")
    alpha: float = option("Probability of a false finding.", 0.05)
    correction: str = option("Correction of p-values for many comparisons.", "holm", choices=["holm", "bh", "none"])
    wide: bool = shared.wide()
    as_json: bool = shared.as_json("the comparison")

    def run(self) -> None:
        with signals.loading():
            from ...checks.phase import axis_warning
            from ...comparison import compare as compare_study
            from ...scenario.scenario import Scenario
            from ...sweep import open_study
            from ..tables.compare import print_compared
            from ..terminal import warn

        study = open_study(self.folder)
        found = compare_study(
            study.select(where_of(self.wheres)), self.by, self.metric, flow=self.flow, link=self.link, over=self.over,
            against=self.against, pool=self.pool, alpha=self.alpha, correction=self.correction,
        )  # fmt: skip
        warn(axis_warning(Scenario(study.manifest["scenario"]), [path for axis in study.axes for path in axis.paths]))
        warn(_of_controls(study.axes, self.by))
        if self.as_json:
            print_json(found.to_dict())
        else:
            print_compared(found, self.wide)


def _of_controls(axes: Sequence[Axis], by: str) -> str:
    """A sentence if the points that are compared are flow controls with different transports; empty otherwise."""
    with signals.loading():
        from ...quick.lists import transports_said

    axis = next((axis for axis in axes if axis.name == by or by in axis.paths), None)
    if axis is None or any(re.search(r"\b(transport|receiver)\b", path) for path in axis.paths):
        return ""
    paths = [path for path in axis.paths if re.search(r"\bcontrol(\.kind)?$", path)]
    if not paths:
        return ""
    try:
        return transports_said(list(dict.fromkeys(str(value) for value in axis.columns[axis.name])))
    except HeadgateError:
        # A label, and not the name of a flow control.
        return ""


def where_of(texts: Sequence[str]) -> dict[str, list[str]]:
    """The options `--where AXIS=VALUE` as lists of values by axis.

    >>> where_of(["queue=fq", "rate=40kbit/s", "queue=red"])
    {'queue': ['fq', 'red'], 'rate': ['40kbit/s']}

    Raises:
        HeadgateError: one is of another form.
    """
    where: dict[str, list[str]] = {}
    for text in texts:
        axis, sign, value = text.partition("=")
        if not sign:
            raise HeadgateError(f"--where {cut(text)}: expected AXIS=VALUE, such as queue=fq")
        where.setdefault(axis.strip(), []).append(value.strip())
    return where
