"""A break that was found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .genome import Candidate
from .judge import CandidateScore


@dataclass(frozen=True)
class FoundBreak:
    """A break that counts.

    Attributes:
        candidate: the small scenario's genome.
        active: the names of what differs from a plain path in it.
        judgements: with seeds that the search has not seen.
        first: the genome that the search found, before it was made small.
        asked: candidates until it was found.
        runs: of the engine until it was found, made small and judged.
        cpu_s: processor seconds of these runs.
    """

    candidate: Candidate
    active: tuple[str, ...]
    judgements: tuple[CandidateScore, ...]
    first: Candidate
    asked: int
    runs: int = 0
    cpu_s: float = 0.0

    @property
    def failed(self) -> int:
        """How many of the unseen runs failed."""
        return sum(j.broken for j in self.judgements)

    @property
    def value(self) -> float | None:
        """The median of the property over the unseen runs."""
        return _median([j.value for j in self.judgements])

    @property
    def references(self) -> dict[str, float | None]:
        """The median of each reference."""
        names = dict.fromkeys(name for j in self.judgements for name in j.references)
        return {name: _median([j.references.get(name) for j in self.judgements]) for name in names}


def _median(values: Sequence[float | None]) -> float | None:
    known = sorted(v for v in values if v is not None and not math.isnan(v))
    return known[len(known) // 2] if known else None
