"""What of a paper does not come out, one by one, and which entry of `mechanisms.toml` covers it.

`docs/verdicts.py` keeps the list of a paper's last run as a file, so that a test can ask for the entry of each without running anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from headgate.papers.misses import Mechanism
from headgate.papers.reproduction import ItemResult, Reproduction
from headgate.papers.verdict import Number
from headgate.stats.means import finite

#: The verdicts of numbers that need an entry. What is undecided needs none: our own runs differ by more than the number.
NEED = ("miss", "some-run")


@dataclass(frozen=True)
class Unmet:
    """A number, a claim or a statement in a table that does not come out.

    `name` is the claim's name, or what the statement says; `place` a number's item, table, row, source and measure; `claims` the failed
    claims about the same row and measure. `paper` and `ours` are the numbers, `verdict` is `fails` for claims and statements.
    """

    item: str
    verdict: str
    name: str = ""
    statement: bool = False
    place: tuple[str, ...] = ()
    printed: bool = True
    paper: float | None = None
    ours: float | None = None
    claims: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """What it is, in words."""
        return (
            f"{self.item} {self.name}"
            if self.name
            else f"{' '.join(filter(None, self.place))}: {self.paper}, ours {self.ours}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, without what it leaves as it is unless given."""
        plain = asdict(Unmet("", ""))
        return {k: v for k, v in asdict(self).items() if k in ("item", "verdict") or v != plain[k]}

    @classmethod
    def of_dict(cls, found: Mapping[str, Any]) -> Unmet:
        """From its JSON form."""
        given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in found.items()}
        return cls(**given)


def unmet(reproduction: Reproduction) -> Iterator[Unmet]:
    """Everything that does not come out."""
    for item in reproduction.items:
        yield from (_number(item, n) for n in item.numbers if n.verdict in NEED)
        yield from (Unmet(item.item.name, "fails", f.id) for f in item.findings if f.holds is False)
        for section in item.study.sections if item.study is not None else ():
            rows = zip(section.rows, section.verdicts, strict=False)
            yield from (Unmet(item.item.name, "fails", r[0], True) for r, holds in rows if holds is False)


def _number(item: ItemResult, number: Number) -> Unmet:
    p, ours = number.published, finite(number.judgement.expected)
    return Unmet(
        item.item.name,
        number.verdict,
        place=(item.item.name, p.table, p.row, p.source, p.metric),
        printed=p.printed,
        paper=p.value,
        ours=None if ours is None else float(f"{ours:.4g}"),
        claims=tuple(name for name, holds in number.claims if holds is False),
    )


def entry_of(one: Unmet, known: Sequence[Mechanism]) -> Mechanism | None:
    """The entry that covers it: the first that fits, and for a number otherwise that of a failed claim about it."""
    if not one.place:
        return next((m for m in known if (m.speaks_of(one.name) if one.statement else one.name in m.claims)), None)
    fits = (m for m in known if m.fits_place(*one.place))
    return next(fits, None) or next((m for name in one.claims for m in known if name in m.claims), None)


def uncovered(found: Iterable[Unmet], known: Sequence[Mechanism]) -> list[str]:
    """What no entry covers."""
    return [one.label for one in found if entry_of(one, known) is None]


def idle(found: Iterable[Unmet], known: Sequence[Mechanism]) -> list[str]:
    """The entries that cover nothing."""
    used = {id(entry_of(one, known)) for one in found}
    return [m.text for m in known if id(m) not in used]


def faults(known: Iterable[Mechanism]) -> list[str]:
    """Entries that are not explained and whose experiments have no numbers."""
    return [t for m in known if m.kind == "unexplained" for t in m.tried if not re.search(r"\d", t)]


#: What is said of one and of several of a kind.
_WORDS = {
    "mechanism": ("has a mechanism that predicts it", "have a mechanism that predicts them"),
    "unknown": ("hangs on what the text does not say", "hang on what the text does not say"),
    "erratum": ("is an erratum of the paper", "are errata of the paper"),
    "unexplained": ("is not explained, with what was tried", "are not explained, with what was tried"),
    "none": ("has no entry", "have no entry"),
}


def line(found: Sequence[Unmet], known: Sequence[Mechanism]) -> str:
    """How many of what does not come out have which kind of entry, in two sentences."""
    numbers, others = [o for o in found if o.place and o.printed], [o for o in found if not o.place]
    one, many = "printed number that is missed", "printed numbers that are missed"
    said = [_said(numbers, known, *(f"{words} or met at some starts only" for words in (one, many)))]
    said.append(_said(others, known, "claim or statement that fails", "claims and statements that fail"))
    return " ".join(filter(None, said)) or "Everything comes out."


def _said(found: Sequence[Unmet], known: Sequence[Mechanism], one: str, many: str) -> str:
    if not found:
        return ""
    kinds = Counter(m.kind if (m := entry_of(o, known)) else "none" for o in found)
    parts = [f"{kinds[kind]} {words[kinds[kind] > 1]}" for kind, words in _WORDS.items() if kinds[kind]]
    listed = ", ".join(parts[:-1]) + (", and " if len(parts) > 1 else "") + parts[-1]
    return f"Of {len(found)} {one if len(found) == 1 else many}, {listed}."
