"""The cells of a matrix: which flows meet in which queue, and the scenario of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ...base.errors import HeadgateError, cut
from ...quick.amounts import quantity, text_of
from ...quick.flows import split
from ...quick.lists import flows_text
from ..frame.study import Length, MeetingLine


@dataclass(frozen=True)
class Condition(MeetingLine):
    """Where flows meet, and how many times as far away B is as A."""

    ratio: float

    def __str__(self) -> str:
        far = f", B {self.ratio:g} times as far" if self.ratio != 1 else ""
        return f"{self.queue}, {self.rate}, {self.rtt}, {self.buffer}{far}"


@dataclass(frozen=True)
class Cell:
    """A and B in a condition, or A alone; `variant` is the number of its scenario in the study.

    `far` says that A alone is as far away as B: such a cell is what B beside another is compared with.
    """

    condition: Condition
    a: str
    b: str | None
    far: bool = False
    variant: int = field(default=0, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data."""
        return {**self.condition.to_dict(), "a": self.a, "b": self.b, "far": self.far}

    def __str__(self) -> str:
        who = f"{self.a} alone{', as far as B' if self.far else ''}" if self.b is None else f"{self.a} and {self.b}"
        return f"{who}: {self.condition}"


@dataclass(frozen=True)
class Beside(Length):
    """What every cell has: its length, how many flows of each control, and what else is on the link."""

    flows: int = 1
    sparse: str | None = "call"
    web: bool = False


def read_ratios(text: str) -> list[float]:
    """How many times as far away B is as A, without 1, which is always there.

    >>> read_ratios("4,1,0.5"), read_ratios("")
    ([4.0, 0.5], [])
    """
    found: list[float] = []
    for item in split(text, "--ratio") if text.strip() else []:
        if not re.fullmatch(r"\d{1,3}(\.\d{1,6})?", item) or not 0.01 <= float(item) <= 100:
            raise HeadgateError(f"--ratio: found {cut(repr(item))}; expected numbers from 0.01 to 100, such as 4")
        if float(item) != 1 and float(item) not in found:
            found.append(float(item))
    return found


def count(controls: int, ratios: int) -> int:
    """The number of cells of a queue, a rate, a round trip and a buffer.

    >>> count(3, 0), count(3, 1)
    (9, 24)
    """
    return controls * (controls + 1) // 2 + controls + ratios * (controls * controls + 2 * controls)


def cells_of(condition: Condition, controls: Sequence[str]) -> list[Cell]:
    """The cells of a condition: pairs in both orders where B is further away, and once where both are alike; and each alone."""
    equal = condition.ratio == 1
    out = [Cell(condition, a, b) for i, a in enumerate(controls) for j, b in enumerate(controls) if not equal or i <= j]
    out += [Cell(condition, a, None) for a in controls]
    return out if equal else out + [Cell(condition, a, None, far=True) for a in controls]


def flows_of(cell: Cell, beside: Beside) -> list[str]:
    """The flows of a cell, as `headgate quick` takes them."""
    c = cell.condition
    far = text_of("s", round(quantity("--rtt", c.rtt, "s") * c.ratio))
    # Equal scenarios are the same run: a round trip is written only where it is another one.
    near_trip, far_trip = "", f",rtt={far}" if c.ratio != 1 else ""
    groups = [flows_text(cell.a, "a", beside.flows, far_trip if cell.far else near_trip)]
    if cell.b is not None:
        groups.append(flows_text(cell.b, "b", beside.flows, far_trip))
    if beside.sparse is not None:
        groups.append(f"{beside.sparse}:name=sparse")
    if beside.web:
        groups.append("web:name=web,control=cubic")
    return groups
