"""A paper as data: its scenarios, published numbers, tolerances, claims and figures, read from its folder."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ..base.errors import HeadgateError, cut, nearest
from ..base.forms import ClosedForm
from ..base.forms import Name as Name
from ..base.forms import Table as Table
from .levels import Unknown

#: What is read from a file of a paper.
Form = ClosedForm

#: Marks of a published number. STATED: printed in the paper. REPAIRED: printed there in a wrong place or
#: damaged, and put right.
#: EXTERNAL: found in another copy of it. RECALLED: from memory. PROPOSED: predicted by a model of ours, where the paper's number
#: is lost. DOUBTFUL: printed, but contradicts itself. EVALUATED: a formula or other numbers are printed, and we worked this value out of
#: them. MEASURED: on the system that the folder is about, which has no paper.
MARKS = ("STATED", "REPAIRED", "EXTERNAL", "RECALLED", "PROPOSED", "DOUBTFUL", "EVALUATED", "MEASURED")

#: The marks under which a number stands in the paper.
PRINTED = ("STATED", "REPAIRED", "DOUBTFUL")

#: The marks under which a number is judged. Those that no paper prints are counted apart.
JUDGED = (*PRINTED, "EXTERNAL", "EVALUATED", "MEASURED")


class PaperError(HeadgateError):
    """Something in a paper's folder is wrong or does not exist; the text names the file, the place and what was expected."""


class LocatedError(PaperError):
    """One whose text names the file and the place already, whoever runs into it."""


def unknown(kind: str, name: str, known: Iterable[str]) -> PaperError:
    """The error for a name that is not in a list, with the list and the nearest name."""
    names = list(known)
    return PaperError(f'there is no {kind} "{name}"; expected one of {", ".join(names)}.{nearest(name, names)}')


@dataclass(frozen=True)
class Measure(Form):
    """How a measure of the paper follows from the tables of a run.

    One of `counts`: columns of the intervals table, summed with their signs, as a total or per second; `mean`: a column of it
    whose interval means are averaged; `column`: any column of the table of flows, of links or of intervals, of the one row that a number
    belongs to. If its source is a pattern that fits several rows, `over` says how their values are combined; `packets` is
    the mean over the packets of all. `per` is a column that each value is divided by. A measure with its own units is `scale` times the
    value, plus `offset`.

    With `to`, `counts` and it are sums over the flows and the time, and the measure is their ratio; `seconds` in it is the length of
    the time. `metric` is one of the list of metrics, `loss`, which says all of this. `trace` is a trace of a flow or a port. `at_least`
    or `at_most` ask when the trace, or the measure of the intervals, first is that much: a time in seconds, nan if never. `fit` asks for
    the `slope` of the straight line of least squares through it over time, or for the `exponent`: the same of logarithms.

    Or `study`: the item's study measures it. Then `trivial` is what the trivial model gives, where that means anything. `derived`: the
    paper computes it from other numbers that it prints, so that it is no evidence of its own.
    """

    name: str = ""
    counts: tuple[Name, ...] = ()
    to: tuple[Name, ...] = ()
    metric: str = ""
    trace: str = ""
    at_least: float | None = None
    at_most: float | None = None
    fit: Literal["", "slope", "exponent"] = ""
    mean: str = ""
    per_second: bool = False
    column: str = ""
    per: str = ""
    table: Literal["flows", "links", "classes", "intervals"] = "flows"
    over: Literal["mean", "packets", "total", "least", "most", "deviation"] = "total"
    scale: float = 1.0
    offset: float = 0.0
    study: bool = False
    trivial: float | None = None
    derived: bool = False

    @property
    def over_time(self) -> bool:
        """Whether it asks when something is first reached, or for a line through values over time."""
        return self.at_least is not None or self.at_most is not None or bool(self.fit)


#: Keys of a number's place with a special meaning: the variant that is run, a flow, a link, and a span of its intervals. All
#: others are columns of the axes of an item's sweeps.
PLACES = ("variant", "source", "link", "from_s", "to_s")


@dataclass(frozen=True)
class Published:
    """One number of a table of the paper. `value` is None where the table prints nothing.

    `where` says which number of the table it is: `PLACES`, and what the published table has beside them. Where a study measured it,
    `variant` only names the row.
    """

    table: str
    where: Mapping[str, str]
    metric: str
    unit: str
    value: float | None
    stddev: float | None
    mark: str
    rounding: float

    @cached_property
    def row(self) -> str:
        """The variant that it belongs to: a protocol pair, in most tables."""
        return self.where["variant"]

    @cached_property
    def source(self) -> str:
        """The flow or the link that it is about."""
        return self.where.get("source") or self.where.get("link", "")

    @cached_property
    def span(self) -> tuple[float, float] | None:
        """The part of the run that it is about, in seconds; None is all of it after the warm-up."""
        ends = self.where.get("from_s"), self.where.get("to_s")
        return None if ends == (None, None) else (float(ends[0] or 0), float(ends[1] or "inf"))

    @property
    def printed(self) -> bool:
        """Whether the paper prints it."""
        return self.mark in PRINTED

    @property
    def label(self) -> str:
        """The table's name, with the mark where the number is not plainly printed in the paper."""
        return self.table if self.mark == "STATED" else f"{self.table} [{self.mark}]"


#: Rules of what depends on the start phases.
CHAOTIC = ("predict", "some")


@dataclass(frozen=True)
class Rule(Form):
    """How closely a group of numbers is to be met, and why. The first rule that fits a number decides.

    What is allowed adds up: `absolute`, `relative` times the number, `deviations` times the deviation printed with it.
    """

    name: Name
    compare: Literal["value", "some", "predict", "band", "bound", "above", "absent", "none"]
    reason: Name
    item: str = "*"
    row: str = "*"
    source: str = "*"
    metric: str = "*"
    absolute: Annotated[float, Field(ge=0)] = 0.0
    relative: Annotated[float, Field(ge=0)] = 0.0
    deviations: Annotated[float, Field(ge=0)] = 0.0
    band: tuple[float, float] = (0.0, 0.0)
    exchangeable: bool = False

    def fits(self, item: str, number: Published) -> bool:
        """Whether this rule speaks about a number."""
        return (
            _any(self.item, item)
            and _any(self.row, number.row)
            and _any(self.source, number.source)
            and _any(self.metric, number.metric)
        )


@cache
def _any(patterns: str, name: str) -> bool:
    """Whether a name fits one of the patterns, which `|` separates."""
    return any(fnmatchcase(name, p) for p in patterns.split("|"))


@dataclass(frozen=True)
class Variant:
    """One run of an item: a protocol pair of the paper, or a pair with its own settings, on the item's scenario or its own.

    `rename` gives flows of the scenario other names, because the paper's table calls them so with this pair. `at` has its place on the
    axes of the sweep that it is a point of: `pair` and their columns.
    """

    name: str
    controls: Mapping[str, Table]
    queue: Table | None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seeds: bool = True
    scenario: Table | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    at: Mapping[str, Any] = field(default_factory=dict)
    #: In place of the item's: the time within which sources start at random, how many such starts there are, the traces, and `around`.
    phase: str = ""
    starts: int | None = None
    traces: tuple[str, ...] | None = None
    traced: tuple[str, ...] | None = None
    around: str | None = None
    #: The item that it was taken from, if another one.
    of: str = ""


#: What the base run of an item is. `together`: all sources start at once. `start`: the first of the runs with random start phases; numbers
#: and claims are then judged over all of these.
Base = Literal["together", "start"]

#: Runs with random start phases, unless the paper's folder says otherwise.
SEEDS = 20

#: A point of a line through several axes: its values.
Point = tuple[int, ...]


@dataclass(frozen=True)
class Item:
    """One experiment of the paper.

    `scenario` is None where it cannot be run yet or every variant has its own. `seeds` is the number of runs with random start phases
    that verdicts rest on, `starts` that of those in which rows that depend on the start are looked for. `base` says what the base run is.
    `traces` are those of the base run, `traced` those of every start, for claims that look at them. With `around`, the name of a flow,
    times are counted from this flow's start in all runs: where starts are random, all others start up to `phase` before or after it.
    `axes` are the sweeps that are lines of points through a plane of variants, by name. `study` names a module in the paper's folder that
    makes tables and its own figures from the runs; where it is `repeated` it makes the runs of its numbers itself, several times.
    """

    name: str
    title: str
    note: str
    scenario: Table | None
    variants: tuple[Variant, ...]
    missing: tuple[str, ...]
    numbers: tuple[Published, ...]
    phase: str
    traces: tuple[str, ...]
    axes: Mapping[str, tuple[Point, ...]] = field(default_factory=dict)
    study: str = ""
    seeds: int = SEEDS
    starts: int = 0
    base: Base = "together"
    traced: tuple[str, ...] = ()
    around: str = ""
    repeated: bool = False

    @property
    def over_starts(self) -> bool:
        """Whether numbers and claims are judged over the runs with random start phases, of which the base run is the first."""
        return self.base == "start" and any(v.seeds for v in self.variants)

    def starts_of(self, variant: Variant) -> int:
        """How many runs with random start phases a variant has for its verdicts, rows that are judged whole aside."""
        return 0 if not variant.seeds else self.seeds if variant.starts is None else variant.starts

    @property
    def runs(self) -> bool:
        """Whether there is anything to run."""
        return any((v.scenario or self.scenario) is not None for v in self.variants)

    def variant(self, name: str) -> Variant:
        """The variant with this name."""
        for v in self.variants:
            if v.name == name:
                return v
        raise unknown("variant", name, [v.name for v in self.variants])


@dataclass(frozen=True)
class FigureEntry(Form):
    """A figure of the report. `kind` names a drawing function; `series` are variants of the item; `options` are those of its kind."""

    name: Name
    title: Name
    kind: Literal["utility", "trace", "load", "topology", "traces", "study"]
    item: str
    series: tuple[str, ...] = ()
    note: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


def _has_number(figure: str, number: str) -> bool:
    """Whether a figure is called so in the paper; one that is several has the first number and the last.

    >>> [_has_number(f, "26") for f in ("figure-26", "figure-25-27", "figure-2", "figure-21-22")]
    [True, True, False, False]
    >>> _has_number("6.7", "6.7"), _has_number("5-step", "5")
    (True, False)
    """
    if not (m := re.fullmatch(r"(?:figure-)?([0-9]+(?:\.[0-9]+)?)(?:-([0-9]+))?", figure)):
        return False
    return m[1] == number or (m[2] is not None and float(m[1]) <= float(number) <= float(m[2]))


@dataclass(frozen=True)
class Paper:
    """A paper and everything that its folder says.

    `place` is the folder, where it is one of the user's own. `ours` says that it is no paper, but experiments of this package. `unknowns`
    are what its text leaves open.
    """

    name: str
    title: str
    authors: str
    reference: str
    notes: str
    items: tuple[Item, ...]
    metrics: Mapping[str, Measure]
    rules: tuple[Rule, ...]
    figures: tuple[FigureEntry, ...]
    place: Path | None = None
    ours: bool = False
    unknowns: tuple[Unknown, ...] = ()

    def item(self, name: str) -> Item:
        """The item with this name.

        Raises:
            PaperError: there is none; the message lists the items, and says which has the figure or table of that name.
        """
        for i in self.items:
            if i.name == name:
                return i
        items = [i.name for i in self.items]
        having = [i for i in items if i in self._having(name)]
        if having:
            there = f'there is no item of {self.name} "{cut(name)}"; expected one of {", ".join(items)}'
            raise PaperError(f"{there}. It is made by the item{'s' if len(having) > 1 else ''} {' and '.join(having)}.")
        raise unknown(f"item of {self.name}", name, items)

    def _having(self, name: str) -> set[str]:
        """The items that a figure or table belongs to which is called so: by its name, or as "figure 6" or "table-1"."""
        found = {f.item for f in self.figures if f.name == name}
        asked = re.fullmatch(r"(figure|fig\.?|table)[ -]?([0-9]+(?:\.[0-9]+)?)", name.lower())
        if found or not asked:
            return found
        if asked[1] == "table":
            table = re.compile(rf"table {re.escape(asked[2])}(?![.\d])")
            return {i.name for i in self.items for n in i.numbers if table.match(n.table)}
        return {f.item for f in self.figures if _has_number(f.name, asked[2])}

    def rule(self, item: str, number: Published) -> Rule:
        """The tolerance of a number: the first rule that fits."""
        for rule in self.rules:
            if rule.fits(item, number):
                return rule
        raise PaperError(f"{self.name}: no tolerance for {item} {number.row} {number.source} {number.metric}")
