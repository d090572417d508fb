"""The numbers with which disciplines decide, as people read them: with their units, their meaning, and in sentences."""

from __future__ import annotations

import math
import string
from collections.abc import Mapping
from typing import Any

from .. import _core
from ..base.units import scale_of

#: The unit and the meaning of each number.
KNOWN = {name: (unit, about) for name, unit, about in _core.NUMBERS}

#: The unit of a number that says whether something holds: sentences depend on it, and it is not shown.
FACT = "fact"

#: Suffixes of names that give the unit, which is shown beside the value.
_UNITS = ("_packets", "_bytes")

#: Numbers that a discipline gives in packets and in bytes: the one in the unit of the buffer decides.
_BOTH = ("held", "own_queue")


def shown(numbers: Mapping[str, float]) -> list[dict[str, Any]]:
    """A table of numbers: name, value, unit, and what it means. One without a limit has a text as its value.

    What a discipline has in packets and in bytes is shown in the unit of its buffer.

    >>> shown({"held_packets": 3.0, "fair_share": math.inf})[1]["value"]
    'unlimited'
    """
    return [
        {
            "name": label(name), "value": value if math.isfinite(value) else "unlimited",
            "unit": KNOWN[name][0] if math.isfinite(value) else "", "about": KNOWN[name][1],
        }
        for name, value in numbers.items()
        if KNOWN[name][0] != FACT and name not in _beside(numbers)
    ]  # fmt: skip


def _beside(numbers: Mapping[str, float]) -> list[str]:
    """The names of the numbers in the other unit than that of the buffer."""
    other = {"buffer_packets": "_bytes", "buffer_bytes": "_packets"}
    ends = [end for name, end in other.items() if name in numbers]
    return [name + end for name in _BOTH for end in ends]


def label(name: str) -> str:
    """The name without its unit.

    >>> label("average_queue_packets"), label("finish_number")
    ('average queue', 'finish number')
    """
    for end in _UNITS:
        name = name.removesuffix(end)
    return name.replace("_", " ")


def with_unit(value: float, unit: str) -> str:
    """A value with its unit, as a sentence has it.

    >>> with_unit(12000.0, "bit"), with_unit(4.2e6, "bit/s"), with_unit(12.34, "packets"), with_unit(0.01834, "")
    ('12,000 bits', '4.2 Mbit/s', '12.3 packets', '0.0183')
    >>> with_unit(1.0, "packets")
    '1 packet'
    """
    if not math.isfinite(value):
        return "unlimited"
    if unit in ("bit/s", "s"):
        factor, unit = scale_of(unit, [value])
        return f"{value * factor:.3g} {unit}"
    if unit == "":
        return f"{value:.3g}" if value != int(value) else f"{value:.0f}"
    text = f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"
    one = text == "1"
    return f"{text} {unit.removesuffix('s') if one else 'bits' if unit == 'bit' else unit}"


def words(numbers: Mapping[str, float]) -> dict[str, tuple[float, str]]:
    """Values and units by the names that sentences use.

    A quantity that is counted in packets and in bytes has one name, and the unit of the buffer.

    >>> words({"held_packets": 3, "held_bytes": 4500, "buffer_packets": 9})["held"]
    (3, 'packets')
    """
    found = {name: (value, KNOWN[name][0]) for name, value in numbers.items() if name in KNOWN}
    unit = "_bytes" if "buffer_bytes" in numbers else "_packets"
    for name in [*found]:
        short = name.removesuffix("_packets").removesuffix("_bytes")
        if short != name and (short not in _BOTH or name.endswith(unit)):
            found[short] = found[name]
    return found


def fields(text: str) -> list[str]:
    """The names that a sentence with places for values uses.

    >>> fields("{a} of {b}")
    ['a', 'b']
    """
    return [name for _, name, _, _ in string.Formatter().parse(text) if name]
