"""Which of a paper's conclusions depend on which unstated choice: its claims under each level of each unknown, one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..papers.levels import Unknown
from ..papers.load import load_paper
from ..papers.model import Item, Paper
from ..papers.runner import each_item
from ..papers.runs import Work
from ..papers.settings import item_with_setting

#: Runs with random starts that claims see.
SEEDS = 3


@dataclass(frozen=True)
class Conclusion:
    """A claim that holds with some levels of an unknown and fails with others.

    `holds` has the names of levels and whether it holds with them, the folder's first.
    """

    claim: str
    item: str
    text: str
    unknown: Unknown
    holds: Mapping[str, bool]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "claim": self.claim,
            "item": self.item,
            "text": self.text,
            "unknown": self.unknown.name,
            "holds": dict(self.holds),
        }


def conclusions(
    paper: str | Paper, *items: str, unknowns: Sequence[str] = (), work: Work | None = None
) -> tuple[Conclusion, ...]:
    """The claims of a paper that depend on an unknown.

    Each level is set alone beside the folder's setting, and claims are judged by the base runs and `SEEDS` runs with random starts.

    Args:
        paper: its name, the path of a folder, or a paper that was read.
        items: names of items whose claims are judged, all unless given.
        unknowns: names of the unknowns, all unless given.
        work: where runs are made and kept.

    Raises:
        PaperError: no such paper or item, or a level makes no valid scenario.
    """
    found = load_paper(paper) if isinstance(paper, str) else paper
    chosen = [_bare(found.item(i)) for i in dict.fromkeys(items)] or [_bare(i) for i in found.items]
    wanted = [u for u in found.unknowns if not unknowns or u.name in unknowns]
    work = work or Work()
    plain = {item.name: _judged(found, item, work) for item in chosen if item.runs}
    return tuple(c for u in wanted for c in _of(found, chosen, u, plain, work))


def _bare(item: Item) -> Item:
    """The item with as many runs as claims need here, and without its numbers, tables and figures."""
    variants = tuple(replace(v, starts=None) for v in item.variants)
    return replace(item, seeds=min(item.seeds, SEEDS), starts=0, study="", numbers=(), variants=variants)


def _judged(paper: Paper, item: Item, work: Work) -> dict[str, tuple[str, bool]]:
    """The claims of an item that can be decided: their texts, and whether they hold."""
    (result,) = each_item(paper, [item], work=work)
    return {f.id: (f.text, f.holds) for f in result.findings if f.holds is not None}


def _of(
    paper: Paper,
    items: Sequence[Item],
    unknown: Unknown,
    plain: Mapping[str, Mapping[str, tuple[str, bool]]],
    work: Work,
) -> Iterator[Conclusion]:
    default = unknown.levels[unknown.default].name
    for item in items:
        holds = {claim: {default: value} for claim, (_, value) in plain.get(item.name, {}).items()}
        for level in range(len(unknown.levels)):
            changed = item_with_setting(item, [unknown], {unknown.name: level})
            if not holds or changed == item:
                continue
            for claim, (_, value) in _judged(paper, changed, work).items():
                holds.setdefault(claim, {})[unknown.levels[level].name] = value
        for claim, by_level in holds.items():
            if len(set(by_level.values())) > 1:
                yield Conclusion(claim, item.name, plain[item.name][claim][0], unknown, by_level)
