"""The cards of the start page. Their pictures and the counts of the papers are data that `python docs/cards.py` writes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ...scenario.examples import RECORDED, examples
from ..lesson import Lesson

#: Written by docs/cards.py: `lines` of lessons and of examples, each line with values from 0 to 100 at equal distances, and `papers`.
FILE = Path(__file__).parent / "cards.json"


@cache
def data() -> dict[str, Any]:
    """What was computed for the cards."""
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return found


def of_lessons(known: Mapping[str, Lesson]) -> list[dict[str, Any]]:
    """A card of each lesson: its title and its question."""
    lines = data()["lessons"]
    return [_card(x.name, x.title, x.question, lines.get(x.name)) for x in known.values()]


def of_examples() -> list[dict[str, Any]]:
    """A card of each example: its name and what it shows; those that a click opens as a scenario first."""
    lines = data()["examples"]
    found = sorted(examples(), key=lambda x: x.name in RECORDED)
    return [_card(x.name, x.name.replace("-", " "), first(x.about), lines.get(x.name)) for x in found]


def of_papers() -> list[dict[str, Any]]:
    """A card of each paper, with the counts of its verdicts."""
    found: list[dict[str, Any]] = data()["papers"]
    return found


def first(text: str, most: int = 2) -> str:
    """The first sentences of a text.

    >>> first("One is. Two are, e.g. so. Three."), first("A line; `x.y` and .992 of it.")
    ('One is. Two are, e.g. so.', 'A line; `x.y` and .992 of it.')
    """
    return " ".join(re.split(r"(?<=[.?!]) (?=[A-Z])", text)[:most])


def _card(name: str, title: str, about: str, lines: Any) -> dict[str, Any]:
    return {"name": name, "title": title, "about": about, "lines": lines or []}
