"""Which of a paper's conclusions depend on which unstated choice: its claims under each level of each unknown, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.parallel import Progress
from ..levels import Unknown
from ..load import load_paper
from ..model import Paper, unknown
from ..runs import Work, work_here
from .bench import Bench
from .rows import Row, claims_of_items

#: Runs with random starts that claims are judged by, each by itself.
STARTS = 9

#: By how much the shares of starts at which a claim holds have to differ.
APART = 1 / 3


@dataclass(frozen=True)
class Conclusion:
    """A claim that holds with some levels of an unknown and fails with others.

    `shares` has for each level, the folder's first, the share of starts at which it holds. It holds if it does at more than half.
    """

    claim: str
    item: str
    text: str
    unknown: Unknown
    shares: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "claim": self.claim,
            "item": self.item,
            "text": self.text,
            "unknown": self.unknown.name,
            "shares": dict(self.shares),
        }


def conclusions(
    paper: str | Paper,
    *items: str,
    unknowns: Sequence[str] = (),
    starts: int = STARTS,
    work: Work | None = None,
    progress: Progress | None = None,
) -> tuple[Conclusion, ...]:
    """The claims of a paper that depend on an unknown.

    Each level is set alone beside the folder's setting. A claim depends on the unknown if it holds at more than half of the starts with one
    level and not with another, and the shares differ by a third at least.

    Args:
        paper: its name, the path of a folder, or a paper that was read.
        items: names of items whose claims are judged, all unless given.
        unknowns: names of the unknowns, all unless given.
        starts: runs with random starts that claims are judged by.
        work: where runs are made and kept.
        progress: called with the share done of the present runs, how many are complete, and how many there are.

    Raises:
        PaperError: no such paper, item or unknown, or a level makes no valid scenario.
    """
    found = load_paper(paper) if isinstance(paper, str) else paper
    chosen = [found.item(i) for i in dict.fromkeys(items)] or list(found.items)
    for name in unknowns:
        if name not in {u.name for u in found.unknowns}:
            raise unknown("unknown", name, [u.name for u in found.unknowns])
    work = work or Work()
    work.progress = progress or work.progress
    with work_here(work):
        bench = Bench(found, found.unknowns)
        rows = claims_of_items(found, chosen)
        wanted = [u for u in found.unknowns if not unknowns or u.name in unknowns]
        return tuple(c for u in wanted for c in _of(bench, u, rows, range(1, 1 + starts)))


def _of(bench: Bench, unknown: Unknown, rows: Sequence[Row], starts: range) -> Iterator[Conclusion]:
    touched = [row for row in rows if bench.touches(unknown, row)]
    order = [unknown.default, *(k for k in range(len(unknown.levels)) if k != unknown.default)]
    settings = [{unknown.name: level} for level in order]
    bench.fill(((row, s) for row in touched for s in settings), starts)
    for row in touched:
        shares: dict[str, float] = {}
        for level, setting in zip(order, settings, strict=True):
            values = bench.values(row, setting, starts)
            if not np.isnan(values).all():
                shares[unknown.levels[level].name] = float(np.nanmean(values))
        default = next(iter(shares.values()), 0.0)
        if any((x > 0.5) != (default > 0.5) and abs(x - default) >= APART for x in shares.values()):
            yield Conclusion(row.label, row.item.name, row.text, unknown, shares)
