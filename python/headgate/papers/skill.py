"""How much the matches of a table, an item or a paper prove: ours beside those of a trivial model and of the best wrong pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from .verdict import Number


@dataclass(frozen=True)
class Skill:
    """Counts over the tested numbers.

    `ours` matches; `trivial` would match by the trivial model, `wrong_pair` by the runs of another row of the same table: for each row of
    the one that matches most. `only_ours` are matches of ours that neither has. Of the matches of ours `zeros` are of a 0, and `wide` of a
    number that ours may differ from by more than a quarter of it.
    """

    tested: int
    ours: int
    trivial: int
    wrong_pair: int
    only_ours: int
    zeros: int
    wide: int

    @property
    def says_nothing(self) -> bool:
        """Whether the trivial model, or the best wrong pair, meets as many numbers as ours."""
        return 0 < self.ours <= max(self.trivial, self.wrong_pair)

    def to_dict(self) -> dict[str, int]:
        """The JSON form."""
        return asdict(self)


def skill(numbers: Iterable[Number]) -> Skill:
    """Counts the matches of some numbers."""
    tested = [n for n in numbers if n.judgement.tested]
    wrong = {id(n): best for row in _rows(tested) for n, best in zip(row, _best_wrong(row), strict=True)}
    ours = [n for n in tested if n.verdict == "match"]
    return Skill(
        len(tested),
        len(ours),
        sum(n.trivial_meets for n in tested),
        sum(wrong.values()),
        sum(not n.trivial_meets and not wrong[id(n)] for n in ours),
        sum(n.published.value == 0 for n in ours),
        sum(n.is_wide for n in ours),
    )


def printed(numbers: Iterable[Number]) -> list[Number]:
    """Those that stand in the paper."""
    return [n for n in numbers if n.published.printed]


def others(numbers: Iterable[Number]) -> list[Number]:
    """Those that do not: from another copy of it, worked out of what it prints, measured or recalled."""
    return [n for n in numbers if not n.published.printed]


def _rows(numbers: list[Number]) -> Iterable[list[Number]]:
    rows: dict[tuple[str, str], list[Number]] = {}
    for n in numbers:
        rows.setdefault((n.published.table, n.published.row), []).append(n)
    return rows.values()


def _best_wrong(row: list[Number]) -> list[bool]:
    """Whether each number of a row is met by that other row whose runs meet most of them."""
    names = dict.fromkeys(name for n in row for name, _ in n.wrong)
    met = {name: [dict(n.wrong).get(name, False) for n in row] for name in names}
    return max(met.values(), key=sum, default=[False] * len(row))
