"""The result of an inference, and its JSON form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ...stats.means import finite
from ..levels import Unknown
from .posterior import Gains, names_near
from .rows import Floats

#: What became of an unknown. FOUND: the rows settle it at another level than the folder's. CONFIRMED: at the folder's. UNDETERMINED: they
#: do not settle it. HELD: too many unknowns matter to examine this one beside them. ONE ROW: nothing is left to judge by. NO EFFECT: no
#: row changes.
Outcome = Literal["found", "confirmed", "undetermined", "held", "one row", "no effect"]

#: Why an unknown is undetermined. TURNS: not all parts of the rows settle one level. ODDS: rows that were not seen are not likely enough
#: with it. NULL: nor more than those of null papers. BEYOND: nor is the whole setting. CHANCE: our own runs settle other levels, too.
Why = Literal["", "turns", "odds", "null", "beyond", "chance"]


@dataclass(frozen=True)
class Answer:
    """What was found about one unknown.

    `posterior` are the probabilities of its levels by all rows, empty without effect. `level` is the settled one. `unseen` is the gain on
    rows that had not been seen, `null` its 95 % quantile for the null papers; `by_chance` the share of our own runs, taken for the
    paper's, that settle another level than the one they were made with. `against` are rows that are less likely with the most
    probable level than without it, and what they lose. `why` says why it is undetermined.
    """

    unknown: Unknown
    outcome: Outcome
    posterior: Floats
    level: int | None
    unseen: float
    null: float
    by_chance: float
    effect: float
    against: tuple[tuple[str, float], ...] = ()
    why: Why = ""

    @property
    def words(self) -> str:
        """The level that was settled, in words."""
        return "" if self.level is None else names_near(self.unknown, self.level)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        u = self.unknown
        return {
            "unknown": u.name,
            "about": u.about,
            "allowed": u.allowed,
            "outcome": self.outcome,
            "level": self.words or None,
            "default": u.levels[u.default].name,
            "text": u.levels[u.text].name,
            "posterior": [
                {"level": x.name, "prior": x.prior, "probability": finite(float(p))}
                for x, p in zip(u.levels, self.posterior, strict=True)
            ]
            if len(self.posterior)
            else [],
            "gain_unseen": finite(self.unseen),
            "gain_unseen_null": finite(self.null),
            "by_chance": finite(self.by_chance),
            "effect": finite(self.effect),
            "against": [{"row": row, "loss": finite(loss)} for row, loss in self.against],
        }


@dataclass(frozen=True)
class Block:
    """Rows that hang together by the unknowns that change them, searched together.

    `rows` are their names, those of each part together. `gains` are those of the paper's numbers, `nulls` those of the null papers by kind,
    `best` the most probable setting by all rows, and `beyond` whether the gain on unseen rows is above 95 % of the nulls'.
    """

    rows: tuple[tuple[str, ...], ...]
    settings: int
    answers: tuple[Answer, ...]
    gains: Gains | None
    nulls: Mapping[str, tuple[Gains, ...]]
    best: Mapping[str, int]
    beyond: bool
    climbed: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "rows": [list(part) for part in self.rows],
            "settings": self.settings,
            "gain_seen": None if self.gains is None else finite(self.gains.seen),
            "gain_unseen": None if self.gains is None else finite(self.gains.unseen),
            "beyond_null": self.beyond,
            "nulls": {kind: [asdict(g) for g in found] for kind, found in self.nulls.items()},
            "best": {
                a.unknown.name: a.unknown.levels[self.best[a.unknown.name]].name
                for a in self.answers
                if a.unknown.name in self.best
            },
            "climbed": {kind: finite(value) for kind, value in self.climbed.items()},
            "unknowns": [a.to_dict() for a in self.answers],
        }


@dataclass(frozen=True)
class Counts:
    """Printed numbers that match, of those that were judged.

    `setting` is `text` (the text alone), `default` (the folder's) or `inferred`.
    """

    setting: str
    match: int
    judged: int


@dataclass(frozen=True)
class Inference:
    """What the rows of a paper say of its unknowns."""

    paper: str
    items: tuple[str, ...]
    blocks: tuple[Block, ...]
    starts: int
    seed: int
    runs: int
    counts: tuple[Counts, ...] = ()

    @property
    def answers(self) -> tuple[Answer, ...]:
        """Of all blocks."""
        return tuple(a for b in self.blocks for a in b.answers)

    @property
    def found(self) -> dict[str, int]:
        """The levels that were found to differ from the folder's."""
        return {a.unknown.name: a.level for a in self.answers if a.outcome == "found" and a.level is not None}

    def answer(self, name: str) -> Answer:
        """What was found about an unknown.

        Raises:
            KeyError: there is none of this name.
        """
        return next((a for a in self.answers if a.unknown.name == name), None) or _missing(name)

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON form, as docs/reference/json.md describes it."""
        return {
            "paper": self.paper,
            "items": list(self.items),
            "starts": self.starts,
            "seed": self.seed,
            "runs": self.runs,
            "counts": [asdict(c) for c in self.counts],
            "blocks": [b.to_dict() for b in self.blocks],
        }


def _missing(name: str) -> Answer:
    raise KeyError(name)
