"""Why something of a paper does not come out: `mechanisms.toml` in its folder says what is known, and what was tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from .checks import checked, wrong
from .claims import Finding, claims_of
from .folder import folder_of
from .model import Form, Item, Name, Paper
from .reproduction import ItemResult, Reproduction
from .terminal import ORDER, order_text
from .verdict import Number

#: What is said where nothing is known.
UNKNOWN = "No mechanism is known."

#: What an entry is. `mechanism`: what it says predicts what was measured. `unknown`: it hangs on what the paper does not say, such as a
#: rule or a start. `erratum`: the paper contradicts itself. `unexplained`: experiments were made, and none explains it.
Kind = Literal["mechanism", "unknown", "erratum", "unexplained"]


@dataclass(frozen=True)
class Mechanism(Form):
    """Why claims (by their names) or statements in tables (by a pattern) fail, or numbers are missed (by patterns).

    `tried` are experiments, each with what it gave. What is not explained has some.
    """

    text: Name
    kind: Kind = "mechanism"
    tried: tuple[Name, ...] = ()
    claims: tuple[str, ...] = ()
    statement: str = ""
    item: str = "*"
    table: str = "*"
    row: str = "*"
    source: str = "*"
    metric: str = "*"

    @property
    def says(self) -> str:
        """What a report says: the text, and the experiments."""
        tried = f"tried: {'; '.join(self.tried)}." if self.tried else ""
        if self.kind == "unexplained":
            return f"{self.text} Not explained, {tried}"
        return f"{self.text} {tried[:1].upper()}{tried[1:]}".rstrip()

    @property
    def of_numbers(self) -> bool:
        """Whether it speaks about numbers."""
        return (self.table, self.row, self.source, self.metric) != ("*",) * 4 or not (self.claims or self.statement)

    def fits(self, item: str, number: Number) -> bool:
        """Whether it speaks about a number."""
        p = number.published
        return self.fits_place(item, p.table, p.row, p.source, p.metric)

    def fits_place(self, *place: str) -> bool:
        """Whether it speaks about the number of an item, table, row, source and measure."""
        patterns = (self.item, self.table, self.row, self.source, self.metric)
        return self.of_numbers and all(_any(p, name) for p, name in zip(patterns, place, strict=True))

    def speaks_of(self, statement: str) -> bool:
        """Whether it speaks about a statement in a table."""
        return bool(self.statement) and _any(self.statement, statement)


@dataclass(frozen=True)
class _Mechanisms(Form):
    """The file."""

    mechanisms: tuple[Mechanism, ...] = ()


def mechanisms_of(paper: Paper) -> tuple[Mechanism, ...]:
    """What is known about a paper's misses; the first that fits speaks.

    Raises:
        PaperError: something in the file is wrong, or it speaks about a claim or an item that is not there.
    """
    folder = folder_of(paper)
    if not folder.has("mechanisms.toml"):
        return ()
    file = folder.origin("mechanisms.toml")
    found = checked(_Mechanisms, folder.toml("mechanisms.toml"), file).mechanisms
    claims = [c.id for c in claims_of(paper)]
    for i, mechanism in enumerate(found):
        if mechanism.kind == "unexplained" and not mechanism.tried:
            raise wrong(file, f"mechanisms[{i}]", "expected the key `tried`: what is not explained has experiments")
        for name in mechanism.claims:
            if name not in claims:
                raise wrong(file, f"mechanisms[{i}].claims", "expected the name of a claim", name, claims)
        for key, names in _places(paper).items():
            pattern = getattr(mechanism, key)
            if not any(_any(pattern, name) for name in names) and mechanism.of_numbers:
                raise wrong(file, f"mechanisms[{i}].{key}", f"expected a pattern that fits some {key}", pattern, names)
    return found


def _places(paper: Paper) -> dict[str, list[str]]:
    numbers = [n for item in paper.items for n in item.numbers]
    places = {
        key: list(dict.fromkeys(getattr(n, key) for n in numbers)) for key in ("table", "row", "source", "metric")
    }
    return {"item": [i.name for i in paper.items], **places}


def _any(patterns: str, name: str) -> bool:
    return any(fnmatchcase(name, p) for p in patterns.split("|"))


@dataclass(frozen=True)
class Missed:
    """A claim or a statement that fails, or numbers of a row and measure that are missed for the same reason."""

    item: Item
    #: Its name, where it has one.
    name: str
    what: str
    measured: str
    why: str
    known: bool


def missed(reproduction: Reproduction) -> Iterator[tuple[ItemResult, list[Missed], list[Missed]]]:
    """Of each item with any: the claims that fail, and the numbers that are missed."""
    known = mechanisms_of(reproduction.paper)
    for item in reproduction.items:
        claims = [_claim(item.item, f, known) for f in item.findings if f.holds is False]
        claims += _statements(item, known)
        numbers = _numbers(item, known)
        if claims or numbers:
            yield item, claims, numbers


def why_fails(finding: Finding, known: Sequence[Mechanism]) -> str:
    """Why a claim fails; empty where nothing is known."""
    return next((m.says for m in known if finding.id in m.claims), "")


def why_missed(item: str, number: Number, known: Sequence[Mechanism]) -> str:
    """Why a number of an item is missed; empty where nothing is known."""
    return next((m.says for m in known if m.fits(item, number)), "") or _beside(number, known)


def statement_fails(statement: str, known: Sequence[Mechanism]) -> str:
    """Why a statement in a table fails; empty where nothing is known."""
    return next((m.says for m in known if m.speaks_of(statement)), "")


def _claim(item: Item, finding: Finding, known: Sequence[Mechanism]) -> Missed:
    why = why_fails(finding, known)
    return Missed(item, finding.id, finding.text, finding.measured, why or UNKNOWN, bool(why))


def _statements(result: ItemResult, known: Sequence[Mechanism]) -> Iterator[Missed]:
    for section in result.study.sections if result.study is not None else ():
        for row, holds in zip(section.rows, section.verdicts, strict=False):
            if holds is False:
                why = statement_fails(row[0], known)
                yield Missed(result.item, "", f"{section.title}: {row[0]}", row[2], why or UNKNOWN, bool(why))


def _numbers(result: ItemResult, known: Sequence[Mechanism]) -> list[Missed]:
    """The numbers that are missed, those of a table, row and measure with the same reason together."""
    found: dict[tuple[str, str, str, str], list[Number]] = {}
    for n in result.numbers:
        if n.verdict == "miss":
            p = n.published
            found.setdefault((p.table, p.row, p.metric, why_missed(result.item.name, n, known)), []).append(n)
    return [
        Missed(
            result.item,
            "",
            f"{table}, {row}: {metric.replace('_', ' ')}{f' ({numbers[0].published.unit})' if numbers[0].published.unit else ''}",
            "; ".join(_beside_each_other(n) for n in numbers),
            why or UNKNOWN,
            bool(why),
        )
        for (table, row, metric, why), numbers in found.items()
    ]


def _beside(number: Number, known: Sequence[Mechanism]) -> str:
    """The reason of the first failed claim about the same row and measure, if it is known."""
    failed = [name for name, holds in number.claims if holds is False]
    return next((f"As {name}: {m.says}" for name in failed for m in known if name in m.claims), "")


def _beside_each_other(number: Number) -> str:
    """The paper's number and ours."""
    p = number.published
    source = f"{p.source}: " if p.source else ""
    ours = number.judgement.expected
    if p.unit == ORDER and p.value is not None:
        return f"{source}{order_text(p.value)}, ours {order_text(ours)}"
    return f"{source}{'nothing' if p.value is None else f'{p.value:g}'}, ours {ours:.4g}"
