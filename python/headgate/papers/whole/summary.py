"""What of a paper stands, in one row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..reproduction import ItemResult, Reproduction
from ..skill import skill


@dataclass(frozen=True)
class Summary:
    """Counts of a paper or an item.

    Of the numbers that were `tested`, `match` are met, `miss` not, `some_run` in one run at least, and of `undecided` ours say nothing;
    `trivial` and `wrong_pair` are what the trivial model and the best wrong pair meet, `only_ours` matches that neither has. `hold`, `fail`
    and `open` count the claims, those that stand in tables included.
    """

    tested: int
    match: int
    trivial: int
    wrong_pair: int
    only_ours: int
    some_run: int
    miss: int
    undecided: int
    not_tested: int
    hold: int
    fail: int
    open: int

    def to_dict(self) -> dict[str, int]:
        """The JSON form."""
        return asdict(self)


def summary_of(items: Sequence[ItemResult]) -> Summary:
    """Counts what these items gave."""
    numbers = [n for item in items for n in item.numbers]
    verdicts = [n.verdict for n in numbers]
    found = skill(numbers)
    holds = [f.holds for item in items for f in item.findings]
    holds += [v for item in items if item.study is not None for s in item.study.sections for v in s.verdicts]
    return Summary(
        found.tested,
        found.ours,
        found.trivial,
        found.wrong_pair,
        found.only_ours,
        verdicts.count("some-run"),
        verdicts.count("miss"),
        verdicts.count("undecided"),
        verdicts.count("not-tested") + verdicts.count("not-reproduced"),
        holds.count(True),
        holds.count(False),
        holds.count(None),
    )


def row_of(reproduction: Reproduction) -> dict[str, Any]:
    """The row of a paper."""
    paper = reproduction.paper
    return {"paper": paper.name, "title": paper.title, **summary_of(reproduction.items).to_dict()}
