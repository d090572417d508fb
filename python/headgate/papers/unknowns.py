"""Reads `[unknowns]` of a `paper.toml`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from .checks import wrong
from .levels import Level, Unknown
from .model import Form, Name, Table

#: Levels of a range: the middles of this many parts of equal prior probability.
PARTS = 7

#: A quantity as scenarios write it: a number and a unit, or a number alone.
_QUANTITY = re.compile(r"([-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*([A-Za-z/]*)")


@dataclass(frozen=True)
class UnknownForm(Form):
    """An entry of `[unknowns]`.

    `sets` are the paths that a value of `values` or `range` is written to, as in `--set`. `control.KIND.PARAMETER` and
    `queue.KIND.PARAMETER` stand for that parameter of every flow control or discipline of the kind; `phase` is the item's own. A level of
    `cases` sets its own paths. `default` is the level that the folder has, which sets nothing; `text` the level that a reader would take
    who has the text alone, the default unless given. `prior` are weights of the levels. `items` and `rows` are patterns of what it can
    change.
    """

    about: Name
    allowed: Name
    default: Any
    text: Any = None
    sets: tuple[Name, ...] = ()
    values: tuple[Any, ...] = ()
    cases: Mapping[str, Table] = field(default_factory=dict)
    range: tuple[str | float, str | float] | None = None
    scale: Literal["linear", "log"] = "linear"
    whole: bool = False
    parts: Annotated[int, Field(ge=2, le=25)] = PARTS
    prior: tuple[Annotated[float, Field(gt=0)], ...] = ()
    items: str = "*"
    rows: str = "*"


def read_unknowns(file: str, forms: Mapping[str, UnknownForm]) -> tuple[Unknown, ...]:
    """The unknowns of a `paper.toml`.

    Raises:
        PaperError: one has no levels or two kinds of them, or a default that is none of them; the text names the place.
    """
    return tuple(_read(file, name, form) for name, form in forms.items())


def _read(file: str, name: str, form: UnknownForm) -> Unknown:
    place = f"unknowns.{name}"
    given = [k for k, v in (("values", form.values), ("cases", form.cases), ("range", form.range)) if v]
    if len(given) != 1:
        raise wrong(file, place, "expected one of `values`, `cases` and `range`", " and ".join(given) or None)
    if bool(form.sets) == bool(form.cases):
        raise wrong(file, place, "expected `sets` beside `values` or `range`, and none beside `cases`")
    if form.range is not None:
        names, sets = _of_range(file, f"{place}.range", form)
    elif form.cases:
        names, sets = list(form.cases), list(form.cases.values())
    else:
        names, sets = [_shown(v) for v in form.values], [dict.fromkeys(form.sets, v) for v in form.values]
    default = _place(file, f"{place}.default", form.default, names, sets, form)
    text = default if form.text is None else _place(file, f"{place}.text", form.text, names, sets, form)
    if len(set(names)) < max(len(names), 2):
        raise wrong(file, place, "expected at least two levels, each with its own name")
    prior = list(form.prior) or [1.0] * len(names)
    if len(prior) != len(names):
        raise wrong(file, f"{place}.prior", f"expected {len(names)} weights, one for each level", len(prior))
    levels = tuple(Level(n, p / math.fsum(prior), s) for n, p, s in zip(names, prior, sets, strict=True))
    return Unknown(name, form.about, form.allowed, levels, default, text, form.range is not None, form.items, form.rows)


def _of_range(file: str, place: str, form: UnknownForm) -> tuple[list[str], list[Table]]:
    """The middles of the parts of a range."""
    assert form.range is not None
    ends = [_QUANTITY.fullmatch(str(end).strip()) for end in form.range]
    if not (ends[0] and ends[1]) or ends[0][2] != ends[1][2]:
        raise wrong(file, place, "expected two quantities of one unit", list(form.range))
    low, high = float(ends[0][1]), float(ends[1][1])
    if low >= high or (form.scale == "log" and low <= 0):
        raise wrong(file, place, "expected the lower end first, above 0 on a logarithmic scale", list(form.range))
    shares = [(k + 0.5) / form.parts for k in range(form.parts)]
    log = form.scale == "log"
    found = [low * (high / low) ** q if log else low + q * (high - low) for q in shares]
    numbers = [str(round(x)) if form.whole else f"{x:.3g}" for x in found]
    plain = [f"{float(n):g}" if abs(float(n)) < 1e6 else n for n in dict.fromkeys(numbers)]
    values: list[Any] = [f"{n}{ends[0][2]}" for n in plain] if ends[0][2] else [_number(n) for n in plain]
    return [str(v) for v in values], [dict.fromkeys(form.sets, v) for v in values]


def _number(text: str) -> float | int:
    return int(text) if re.fullmatch("[-+]?[0-9]+", text) else float(text)


def _place(file: str, place: str, value: object, names: list[str], sets: list[Table], form: UnknownForm) -> int:
    """The number of the level that a value is; a value of a range that is none of its levels becomes one."""
    name = _shown(value)
    if name not in names:
        if form.range is None or form.prior:
            raise wrong(file, place, f"expected one of the levels: {', '.join(names)}", name)
        names.append(name)
        sets.append(dict.fromkeys(form.sets, value))
    return names.index(name)


def _shown(value: object) -> str:
    """A level's name.

    >>> _shown(True), _shown(1 / 3), _shown("5pkt"), _shown(2)
    ('true', '0.3333', '5pkt', '2')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)
