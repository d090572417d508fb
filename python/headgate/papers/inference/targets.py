"""Null papers: numbers for which the same search is made, though no setting can have made them, or though the folder's has.

- `shuffled`: each column of a table has its numbers in another order of the rows.
- `wrong pair`: each row has the numbers of another row of its table.
- `default`: the numbers are those of one more run of our own as the folder has it. What is found there is found by chance.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..model import Paper
from .rows import Floats, Row, rows_of

#: Null papers of shuffled numbers and of our own runs.
SHUFFLES, OWN = 40, 20

#: The latter where a run is one of all variants of an item.
OWN_OF_ITEMS = 3


@dataclass(frozen=True)
class Target:
    """What a search takes for the paper's numbers, by row; `kind` is `paper` or that of a null."""

    kind: str
    rows: Mapping[str, Floats]


def real(rows: Sequence[Row]) -> Target:
    """The paper's own numbers."""
    return Target("paper", {r.name: r.paper for r in rows})


def nulls(paper: Paper, rows: Sequence[Row], seed: int) -> list[Target]:
    """Null papers made of the paper's own numbers: all rotations of its rows, and shuffled columns."""
    donors = _donors(paper, rows)
    rng = np.random.default_rng(seed)
    wrong = [Target("wrong pair", {r.name: _turned(r, donors[r.name], k) for r in rows}) for k in _turns(donors)]
    mixed = [Target("shuffled", {r.name: _mixed(r, donors[r.name], rng) for r in rows}) for _ in range(SHUFFLES)]
    return [*wrong, *mixed]


def _donors(paper: Paper, rows: Sequence[Row]) -> dict[str, list[Row]]:
    """For each row those of its item that have the same cells, itself first."""
    out = {}
    for row in rows:
        alike = [r for r in rows_of(paper, [row.item]) if r.shape == row.shape and r.name != row.name]
        out[row.name] = [row, *alike]
    return out


def _turns(donors: Mapping[str, Sequence[Row]]) -> range:
    return range(1, min(max((len(d) for d in donors.values()), default=1), 6))


def _turned(row: Row, donors: Sequence[Row], by: int) -> Floats:
    if row.kind == "claim":
        return 1.0 - row.paper
    return row.ranked(donors[by % len(donors)].paper) if len(donors) > 1 else _reversed(row)


def _mixed(row: Row, donors: Sequence[Row], rng: np.random.Generator) -> Floats:
    """Each cell from any of the rows; where there is one row only, from any cell of the same measure."""
    if row.kind == "claim":
        # The statement, or its contrary.
        return rng.integers(2, size=1).astype(np.float64)
    if len(donors) > 1:
        table = np.array([d.paper for d in donors])
        return row.ranked(table[rng.integers(len(donors), size=len(row.numbers)), np.arange(len(row.numbers))])
    out = row.paper.copy()
    for metric in dict.fromkeys(n.metric for n in row.numbers):
        own = [i for i, n in enumerate(row.numbers) if n.metric == metric]
        out[own] = rng.permutation(out[own])
    return row.ranked(out)


def _reversed(row: Row) -> Floats:
    return row.ranked(row.paper[::-1])
