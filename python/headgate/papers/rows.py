"""Rows of a table judged as a whole: is there a start at which every cell of a row is met?

Where the start phases choose among several limit cycles, a cell of a row alone is easily met by chance, and a whole row is not. Each of a
fixed number of seeded starts is compared with the row in all its cells: a cell is met within a unit of its last printed digit or 2 %,
whichever is more, or within what its own rule allows where that has nothing to do with the start (Poisson arrivals, say). Sources
that are alike may stand in for one another, each with all its measures.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .claims import Runs
from .measure import Outcome
from .model import CHAOTIC, JUDGED, Item, Measure, Paper, PaperError, Published, Rule
from .verdict import ENOUGH_ALIKE, Sample, judge

#: What a cell may differ by, relative to the paper's number, if that is more than a unit of its last digit.
CLOSE = 0.02


@dataclass(frozen=True)
class Row:
    """The result of a row: `starts` were tried, at `hits` of them all `cells` were met; at start `best` most of them were, `met`.

    `best` is the number of the run, 0 being the one in which all sources start at once, and `base` that of the base run. `sources` are
    those of the row, or the ones that are alike among them. `values` are those of the best start, by metric and source.
    """

    table: str
    row: str
    sources: tuple[str, ...]
    starts: int
    hits: int
    cells: int
    met: int
    best: int
    values: Mapping[tuple[str, str], float]
    base: int = 0

    @property
    def frequency(self) -> float:
        """Share of the starts at which the whole row was met."""
        return self.hits / self.starts if self.starts else 0.0


def judge_rows(runs: Runs) -> tuple[Row, ...]:
    """All rows of an item's tables that depend on the start, over as many starts as the item fixes.

    A row that no run matches as a whole is followed by those of its sources that are alike, three or more, as separate rows.
    """
    names = dict.fromkeys((n.table, n.row) for n in runs.item.numbers)
    return tuple(row for table, name in names for row in _judge(runs, table, name))


def depends_on_start(paper: Paper, item: Item, numbers: Sequence[Published]) -> bool:
    """Whether the rules of most of these numbers leave something to the start phases."""
    rules = [paper.rule(item.name, n) for n in numbers if n.mark in JUDGED]
    return 2 * sum(rule.compare in CHAOTIC for rule in rules) > len(rules)


def closeness(number: Published) -> float:
    """By how much a cell of a row may differ: a unit of its last printed digit or 2 %."""
    return max(2 * number.rounding, CLOSE * abs(number.value or 0.0)) + 1e-12


@dataclass(frozen=True)
class _Cell:
    """A number of a row with its rule."""

    number: Published
    rule: Rule

    def is_met(self, outcome: Outcome, metric: Measure, source: str) -> bool:
        """Whether a run gives it, for a source of ours."""
        try:
            ours = outcome.value(metric, source, self.number.span).mean
        except PaperError:
            return False
        paper = 0.0 if self.number.value is None else self.number.value
        if self.rule.compare == "absent":
            return math.isnan(ours)
        if abs(ours - paper) <= closeness(self.number):
            return True
        return (
            self.rule.compare not in CHAOTIC
            and judge(self.number, self.rule, Sample(ours, np.zeros(0))).verdict == "match"
        )


def _judge(runs: Runs, table: str, row: str) -> Iterator[Row]:
    own = [n for n in runs.item.numbers if (n.table, n.row) == (table, row)]
    numbers = [n for n in own if n.mark in JUDGED and n.mark != "DOUBTFUL" and n.value is not None]
    if row not in runs.base or not numbers or not depends_on_start(runs.paper, runs.item, numbers):
        return
    groups = _groups([_Cell(n, runs.paper.rule(runs.item.name, n)) for n in numbers])
    most = max(runs.item.starts, runs.item.seeds)
    base = 1 if runs.item.over_starts else 0
    outcomes = {base: runs.base[row], **{o.run: o for o in runs.starts.get(row, [])[:most]}}
    met = {run: [_met(group, runs.paper.metrics, outcome) for group in groups] for run, outcome in outcomes.items()}

    def over(chosen: Sequence[int]) -> Row:
        total = {run: sum(each[i] for i in chosen) for run, each in met.items()}
        cells = sum(len(of) for i in chosen for of in groups[i].values())
        best = max(total, key=lambda run: (total[run], -run))
        sources = tuple(source for i in chosen for source in groups[i])
        hits = sum(m == cells for m in total.values())
        values = {
            (n.metric, n.source): outcomes[best].value(runs.paper.metrics[n.metric], n.source, n.span).mean
            for n in own
            if n.source in sources
        }
        return Row(table, row, sources, len(total), hits, cells, total[best], best, values, base)

    whole = over(range(len(groups)))
    yield whole
    if not whole.hits and len(groups) > 1:
        yield from (over([i]) for i, group in enumerate(groups) if len(group) >= ENOUGH_ALIKE)


#: The cells of sources that are alike, by source.
_Group = Mapping[str, Sequence[_Cell]]


def _groups(cells: Sequence[_Cell]) -> list[_Group]:
    """The cells of each source; those together that one exchangeable rule speaks about in the row's first measure."""
    groups: dict[str, dict[str, list[_Cell]]] = {}
    for cell in cells:
        source = cell.number.source
        own = next((g for g in groups.values() if source in g), None)
        if own is None:
            name = f"{cell.rule.source} of {cell.rule.item}" if cell.rule.exchangeable else source
            own = groups.setdefault(name, {})
        own.setdefault(source, []).append(cell)
    return list(groups.values())


def _met(group: _Group, metrics: Mapping[str, Measure], outcome: Outcome) -> int:
    """How many cells of sources that are alike one run meets, with its sources put in the best order."""
    fits = [
        [sum(c.is_met(outcome, metrics[c.number.metric], s) for c in cells) for s in group] for cells in group.values()
    ]
    return _best_order(fits)


def _best_order(fits: Sequence[Sequence[int]]) -> int:
    """The largest sum of one entry from each row and column.

    >>> _best_order([[4, 1], [4, 2]])
    6
    """
    n = len(fits)
    # For each set of columns the best that the first rows, as many as it has columns, can do with them.
    best = {0: 0}
    for row in fits:
        found: dict[int, int] = {}
        for taken, total in best.items():
            for column in range(n):
                if not taken >> column & 1:
                    one = taken | 1 << column
                    found[one] = max(found.get(one, 0), total + row[column])
        best = found
    return max(best.values())
