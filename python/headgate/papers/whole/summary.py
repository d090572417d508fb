"""What of a paper stands, in one row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from typing import Any

from ..claims import held
from ..reproduction import ItemResult, Reproduction
from ..skill import others, printed, skill
from ..verdict import Number


@dataclass(frozen=True)
class Counts:
    """Counts of numbers.

    Of those that were `tested`, `match` are met, `miss` not, `some_run` in one run at least, and of `undecided` ours say nothing;
    `trivial` and `wrong_pair` are what the trivial model and the best wrong pair meet, `only_ours` matches that neither has. Of the
    matches `zeros` are of a 0, and in `wide` ours may differ by more than a quarter of the number.
    """

    tested: int = 0
    match: int = 0
    zeros: int = 0
    wide: int = 0
    trivial: int = 0
    wrong_pair: int = 0
    only_ours: int = 0
    some_run: int = 0
    miss: int = 0
    undecided: int = 0
    not_tested: int = 0

    def __add__(self, more: Counts) -> Counts:
        """Both together."""
        return Counts(*map(sum, zip(astuple(self), astuple(more), strict=True)))


@dataclass(frozen=True)
class Claimed:
    """Counts of claims, those that stand in tables included.

    `hold`, `fail` and `open` (not decided) for ours. The trivial model has a say on `trivial_of` of them, of which `trivial` hold for it;
    the best wrong pair likewise. `only_ours` hold for ours and for neither of the two, of which one at least has a say.
    """

    hold: int = 0
    fail: int = 0
    open: int = 0
    trivial: int = 0
    trivial_of: int = 0
    wrong_pair: int = 0
    wrong_pair_of: int = 0
    only_ours: int = 0

    def __add__(self, more: Claimed) -> Claimed:
        """Both together."""
        return Claimed(*map(sum, zip(astuple(self), astuple(more), strict=True)))


@dataclass(frozen=True)
class Summary:
    """Counts of a paper or an item: of the numbers that the paper prints, of the others, and of the claims. The first two never add up."""

    printed: Counts = Counts()
    others: Counts = Counts()
    claims: Claimed = Claimed()

    def __add__(self, more: Summary) -> Summary:
        """Both together."""
        return Summary(self.printed + more.printed, self.others + more.others, self.claims + more.claims)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return asdict(self)


def summary_of(items: Sequence[ItemResult]) -> Summary:
    """Counts what these items gave."""
    numbers = [n for item in items for n in item.numbers]
    findings = [f for item in items for f in item.findings]
    stated = [v for item in items if item.study is not None for s in item.study.sections for v in s.verdicts]
    holds, found = [*(f.holds for f in findings), *stated], held(findings)
    return Summary(
        _counts(printed(numbers)),
        _counts(others(numbers)),
        Claimed(
            holds.count(True),
            holds.count(False),
            holds.count(None),
            found.trivial,
            found.trivial_of,
            found.wrong_pair,
            found.wrong_pair_of,
            found.only_ours,
        ),
    )


def _counts(numbers: Sequence[Number]) -> Counts:
    verdicts = [n.verdict for n in numbers]
    found = skill(numbers)
    return Counts(
        found.tested,
        found.ours,
        found.zeros,
        found.wide,
        found.trivial,
        found.wrong_pair,
        found.only_ours,
        verdicts.count("some-run"),
        verdicts.count("miss"),
        verdicts.count("undecided"),
        verdicts.count("not-tested") + verdicts.count("not-reproduced"),
    )


def row_of(reproduction: Reproduction) -> dict[str, Any]:
    """The row of a paper."""
    paper = reproduction.paper
    return {"paper": paper.name, "title": paper.title, **summary_of(reproduction.items).to_dict()}
