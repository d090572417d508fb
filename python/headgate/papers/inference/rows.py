"""Rows of a paper's tables, and its claims, as vectors: the cells that are judged, what the paper has in them, and what a run gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..claims import claims_of
from ..measure import Outcome
from ..model import JUDGED, Item, Measure, Paper, PaperError, Published, Variant
from ..rows import closeness

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    """The numbers of one variant of an item.

    One run gives all of them, so they are never split between what a search sees and what it does not.
    `paper` has the paper's numbers, NaN where nothing was measured in it, and `close` what a number may differ by: a unit of its last
    digit or 2 %, whichever is more. `groups` are sources that are alike: the cells of each measure over them, which are compared in order
    of size.

    `kind` says where values come from: the tables of a run of the variant, or the item's study or a claim, which need runs of all its
    variants. A claim is a row of one cell, which is 1 where it holds, and
    `text` is what it states.
    """

    item: Item
    label: str
    variant: Variant
    numbers: tuple[Published, ...]
    paper: Floats
    close: Floats
    groups: tuple[tuple[int, ...], ...]
    kind: Literal["tables", "study", "claim"] = "tables"
    text: str = ""

    @property
    def name(self) -> str:
        """Its name in reports."""
        return f"{self.item.name} {self.label}"

    @property
    def shape(self) -> tuple[tuple[str, str, str], ...]:
        """What its cells are: rows of one shape can be exchanged."""
        cells = tuple((n.metric, n.source, str(n.span)) for n in self.numbers)
        return cells or (("claim", self.label, ""),)

    def measured(self, outcome: Outcome, metrics: dict[str, Measure]) -> Floats:
        """What a run gives in the cells."""
        values = [_value(outcome, metrics[n.metric], n) for n in self.numbers]
        return self.ranked(np.array(values, dtype=np.float64))

    def ranked(self, values: Floats) -> Floats:
        """The cells with those of sources that are alike in order of size."""
        out = values.copy()
        for group in self.groups:
            out[list(group)] = np.sort(values[list(group)])
        return out


def _value(outcome: Outcome, metric: Measure, number: Published) -> float:
    try:
        return outcome.value(metric, number.source, number.span).mean
    except PaperError:
        return float("nan")


#: What a claim that does not hold is away from one that holds is three widths.
_CLAIM = 1 / 3


def rows_of(paper: Paper, items: Sequence[Item], *, claims: bool = False) -> tuple[Row, ...]:
    """The rows that can be judged: their numbers are printed or measured.

    With `claims` the statements of an item are its rows where it makes more of them than it has rows of numbers: the numbers are then few,
    and statements say the same.
    """
    out: list[Row] = []
    for item in items:
        found = [*_rows(paper, item, study=False), *_rows(paper, item, study=True)] if item.runs else []
        if claims and item.runs and len(stated := list(_claims(paper, item))) > len(found):
            found = stated
        out += found
    return tuple(out)


def claims_of_items(paper: Paper, items: Sequence[Item]) -> tuple[Row, ...]:
    """All claims of items that are run, as rows."""
    return tuple(row for item in items if item.runs for row in _claims(paper, item))


def _claims(paper: Paper, item: Item) -> Iterator[Row]:
    one, width = np.ones(1), np.full(1, _CLAIM)
    for claim in claims_of(paper):
        if claim.item == item.name:
            yield Row(item, claim.id, item.variants[0], (), one, width, (), "claim", claim.text)


def _rows(paper: Paper, item: Item, *, study: bool) -> Iterator[Row]:
    variants = {v.name: v for v in item.variants}
    judged = [
        n
        for n in item.numbers
        if n.mark in JUDGED
        and n.mark != "DOUBTFUL"
        # What was evaluated from formulas says nothing of the simulation.
        and not (study and n.mark == "EVALUATED")
        and n.value is not None
        and paper.metrics[n.metric].study is study
        and not paper.metrics[n.metric].derived
    ]
    for label in dict.fromkeys(n.row for n in judged):
        if label not in variants and not study:
            continue
        own = [n for n in judged if n.row == label]
        variant = variants.get(label, item.variants[0])
        rules = [paper.rule(item.name, n) for n in own]
        kept = [(n, r) for n, r in zip(own, rules, strict=True) if r.compare not in ("none", "bound", "above")]
        if not kept:
            continue
        numbers = tuple(n for n, _ in kept)
        alike: dict[tuple[str, ...], list[int]] = {}
        for i, (n, rule) in enumerate(kept):
            if rule.exchangeable:
                alike.setdefault((rule.name, rule.source, n.metric, str(n.span), n.table), []).append(i)
        groups = tuple(tuple(g) for g in alike.values() if len(g) > 1)
        paper_has = [np.nan if r.compare == "absent" else float(n.value or 0.0) for n, r in kept]
        kind: Literal["tables", "study"] = "study" if study else "tables"
        close = np.array([closeness(n) for n in numbers])
        row = Row(item, label, variant, numbers, np.zeros(0), close, groups, kind)
        yield replace(row, paper=row.ranked(np.array(paper_has)))
