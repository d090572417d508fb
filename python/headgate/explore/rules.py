"""By which rule each discipline decides about a packet, in sentences: those of its card and of its AQM's, with the packet's numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..base.catalogue import Choosable, Sentence, catalogue
from .numbers import fields, with_unit, words


def order_of(kind: str) -> str | None:
    """The number by which packets leave a discipline, the smallest first; None if it is not by one number."""
    known = catalogue("disciplines")
    return known[kind].order if kind in known else None


def sentences(
    kind: str, numbers: Mapping[str, float], outcome: str, aqm: str | None = None, leaves: bool = False
) -> list[str]:
    """Sentences about a packet that a discipline of this kind decided about with these numbers.

    Args:
        kind: the name of the discipline.
        numbers: by their names.
        outcome: the reason of its drop, "sent" or "waits"; of a decision as it left also "marked".
        aqm: the AQM of its queues, if it has one.
        leaves: the packet left, and the numbers are those of that moment; otherwise it arrived.

    >>> sentences("csfq", {"label": 4.2e6, "fair_share": 2e6, "congested": 1, "probability": 0.52}, "random")
    ['Its label of 4.2 Mbit/s exceeded the fair share of 2 Mbit/s: it was to be dropped with probability 0.52.']
    """
    found = words(numbers)
    said = [each for scheme in _schemes(kind, aqm) for each in scheme.says if each.leaves == leaves]
    return [
        each.text.format(**{name: with_unit(*found[name]) for name in fields(each.text)})
        for each in sorted(said, key=lambda each: each.place)
        if _holds(each, found, outcome)
    ]


def _schemes(kind: str, aqm: str | None) -> list[Choosable]:
    named = [("aqms", aqm or ""), ("disciplines", kind)]
    return [catalogue(list_)[name] for list_, name in named if name in catalogue(list_)]


def _holds(said: Sentence, numbers: Mapping[str, tuple[float, str]], outcome: str) -> bool:
    """Whether a sentence is said: all of its numbers are there, and its conditions hold."""
    return (
        (not said.outcomes or outcome in said.outcomes)
        and all(name in numbers for name in fields(said.text))
        and all(name in numbers and (numbers[name][0] > 0) == holds for name, holds in said.when)
    )
