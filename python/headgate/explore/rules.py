"""By which rule each discipline decides about a packet, in sentences: those of `rules.toml`, with the numbers of the packet."""

from __future__ import annotations

import math
import operator
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from .numbers import fields, with_unit, words

_OPERATORS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq}


@cache
def rules() -> dict[str, dict[str, Any]]:
    """The tables of the file, by the names of disciplines and of what several of them share."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def order_of(kind: str) -> str | None:
    """The number by which packets leave a discipline, the smallest first; None if it is not by one number."""
    found: str | None = rules().get(kind, {}).get("order")
    return found


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

    >>> sentences("csfq", {"label": 4.2e6, "fair_share": 2e6, "probability": 0.52}, "random")
    ['Its label of 4.2 Mbit/s exceeded the fair share of 2 Mbit/s: it was to be dropped with probability 0.52.']
    """
    found, rule = words(numbers), rules().get(kind, {})
    own = [each for each in (rules().get(aqm or "", {}), rule) if each]
    tables = [*(rules()[name] for each in own for name in each.get("also", [])), *own]
    if not leaves:
        tables.append(rules()["room"])
    return [
        each["text"].format(**{name: with_unit(*found[name]) for name in fields(each["text"])})
        for table in tables
        for each in table.get("leaves" if leaves else "says", [])
        if outcome in each.get("outcomes", [outcome])
        and all(name in found for name in fields(each["text"]))
        and all(_holds(condition, found) for condition in each.get("when", []))
    ]


def _holds(condition: str, numbers: Mapping[str, tuple[float, str]]) -> bool:
    """Whether a condition such as "average > threshold" holds; never of a number that is not there."""
    left, sign, right = condition.split()
    values = [_value(left, numbers), _value(right, numbers)]
    return bool(_OPERATORS[sign](*values))


def _value(name: str, numbers: Mapping[str, tuple[float, str]]) -> float:
    if name in numbers:
        return numbers[name][0]
    try:
        return math.inf if name == "unlimited" else float(name)
    except ValueError:
        return math.nan
