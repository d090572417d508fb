"""Files that a scenario names: points of distributions, rate traces, times of arrivals. The contents of a file replace its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..base.errors import HeadgateError, cut
from ..base.folders import resolved, within
from ..base.text import decoded

#: Maximum length of a file in bytes.
LONGEST = 8_000_000

#: Maximum number of entries of all files of a scenario together, each file counted as often as it is named.
MOST = 1_000_000

#: The first line of a file of times and rates that are plain numbers.
HEADER = "time_s,rate_bps"

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_QUANTITY = re.compile(r"[0-9.]{1,30} *[A-Za-zµμ/]{1,12}")
_AMOUNT = re.compile(r"(\d{1,30}\.?\d{0,30})([eE][+-]?\d{1,2})?", re.ASCII)


@dataclass(frozen=True)
class Kind:
    """A choice that may name a file.

    Attributes:
        key: for its contents.
        what: they are.
        fields: how the fields of a line are read.
        expected: an example of a line.
        pair: whether a line has two fields.
    """

    key: str
    what: str
    fields: Callable[[list[str]], Any]
    expected: str
    pair: bool = True


def _point(fields: list[str]) -> list[Any] | None:
    if len(fields) != 2 or not _NUMBER.fullmatch(fields[1]):
        return None
    value, share = fields
    if _NUMBER.fullmatch(value):
        return [float(value), float(share)]
    return [value, float(share)] if _QUANTITY.fullmatch(value) else None


def _opportunity(fields: list[str]) -> int | None:
    return int(fields[0]) if len(fields) == 1 and re.fullmatch(r"\d{1,18}", fields[0], re.ASCII) else None


def _step(fields: list[str]) -> list[str] | None:
    return fields if len(fields) == 2 and all(map(_QUANTITY.fullmatch, fields)) else None


def _numbers(fields: list[str]) -> list[str] | None:
    """A time in seconds and a rate in bit/s."""
    if len(fields) != 2 or not all(map(_AMOUNT.fullmatch, fields)):
        return None
    time, rate = fields
    return [f"{Decimal(time):f}s", f"{round(Decimal(rate)):d}bit/s"]


def _pensieve(fields: list[str]) -> tuple[Decimal, Decimal] | None:
    """A time in seconds and a rate in Mbit/s."""
    if len(fields) != 2 or not all(map(_AMOUNT.fullmatch, fields)):
        return None
    return Decimal(fields[0]), Decimal(fields[1])


def _time(fields: list[str]) -> str | None:
    if len(fields) != 1:
        return None
    if _AMOUNT.fullmatch(fields[0]):
        return f"{Decimal(fields[0]):f}s"
    return fields[0] if _QUANTITY.fullmatch(fields[0]) else None


#: By the names of the choices.
KINDS = {
    "empirical": Kind("points", "of points", _point, "a value and the share of all up to it, such as 10KB,0.15"),
    "times": Kind("at", "of times", _time, "a time such as 10ms, or a number of seconds", pair=False),
    "mahimahi": Kind("times", "of delivery opportunities", _opportunity, "a time in whole milliseconds", pair=False),
    "steps": Kind(
        "steps",
        "of times and rates",
        _step,
        f"a time and a rate, such as 10s,2Mbit/s, or numbers below {HEADER}, or seconds and Mbit/s between spaces",
    ),
}

#: The other two forms of a file of times and rates.
_PLAIN = Kind("steps", "of times and rates", _numbers, f"a number of seconds and one of bit/s, as {HEADER} says")
_PENSIEVE = Kind("steps", "of times and rates", _pensieve, "a number of seconds and one of Mbit/s, such as 0.5 2.25")


def fill(data: dict[str, Any], folder: Path, what: str, allowed: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Replaces the name of each file by its contents; `what` begins the text of an error.

    A scenario may be from anybody: its files must be in its folder, or in one that is allowed, once links are followed.

    Raises:
        HeadgateError: a file is elsewhere, cannot be read, or is not of its kind.
    """
    folders = resolved(folder, allowed)
    files: dict[tuple[str, str], dict[str, Any]] = {}
    total = 0
    for place, table in tables(data, ""):
        name, choice = table.get("file"), table.get("kind")
        kind = KINDS.get(choice) if isinstance(choice, str) else None
        if kind is None or not isinstance(name, str):
            continue
        where = f"{what}{cut(place)}.file"
        if kind.key in table:
            raise HeadgateError(f"{where}: found {cut(repr(name))}; expected `{kind.key}` or `file`, not both")
        if (kind.key, name) not in files:
            files[kind.key, name] = read(within(folder, name, folders, where), f"{where}: {cut(folder / name)}", kind)
        found = files[kind.key, name]
        # A round that the file has gives way to that of the table.
        table.update({key: value for key, value in found.items() if key == kind.key or key not in table})
        entries = found[kind.key]
        del table["file"]
        total += len(entries)
        if total > MOST:
            raise HeadgateError(f"{where}: expected at most {MOST} {kind.key} in all files that a scenario names")


def tables(value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All tables in a value with their places."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if isinstance(entry, dict | list):
                yield from tables(entry, f"{place}.{key}" if place else str(key))
        yield place, value
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            if isinstance(entry, dict | list):
                yield from tables(entry, f"{place}[{i}]")


def read(file: Path, what: str, kind: Kind) -> dict[str, Any]:
    """The contents of a file under the key that takes the place of its name; `what` begins the text of an error.

    Raises:
        HeadgateError: it cannot be read, or is not of its kind.
    """
    try:
        if not file.is_file():
            raise HeadgateError(f"{what}: expected a file {kind.what}, found none")
        with file.open("rb") as f:
            raw = f.read(LONGEST + 1)
    except OSError as e:
        raise HeadgateError(f"{what}: expected a file {kind.what}; {cut(e.strerror)}") from None
    if len(raw) > LONGEST:
        raise HeadgateError(
            f"{what}: found more than {LONGEST // 1_000_000} MB; expected a file {kind.what} of at most that"
        )
    return contents(decoded(raw, what), what, kind)


def contents(text: str, what: str, kind: Kind) -> dict[str, Any]:
    r"""What a text of a kind holds, by its keys; `what` begins the text of an error.

    Fields are separated by commas, tabs, semicolons or spaces, and a separator may end a line. With semicolons a comma is a decimal one.
    Lines that begin with `#` and blank ones are ignored.

    >>> contents("0;1,5\n10;2\n", "", KINDS["empirical"])
    {'points': [[0.0, 1.5], [10.0, 2.0]]}
    >>> contents("0.0 9\n0.5 2\n2 0.25\n", "", KINDS["steps"])
    {'steps': [['0.0s', '2000000bit/s'], ['0.5s', '250000bit/s']], 'period': '2.0s'}

    Raises:
        HeadgateError: a line is of another form.
    """
    entries: list[Any] = []
    form = kind
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        fields = _fields(line) if kind.pair else [line.rstrip(" \t,;")]
        if kind.key == "steps" and not entries and form is kind:
            if ",".join(fields) == HEADER:
                form = _PLAIN
                continue
            if not re.search("[,;]", line) and _pensieve(fields) is not None:
                form = _PENSIEVE
        entry = form.fields(fields)
        if entry is None:
            # What does not begin as such a file does may be any other file, of which nothing is to be seen.
            found = cut(repr(line)) if entries or form is not kind else _likeness(fields)
            raise HeadgateError(f"{what}{', ' if what else ''}line {number}: found {found}; expected {form.expected}")
        entries.append(entry)
    if form is _PENSIEVE:
        return _held(entries, what)
    return {kind.key: entries}


def _fields(line: str) -> list[str]:
    """The fields of a line without spaces around them; a separator at its end separates nothing."""
    sign = next((sign for sign in ";\t," if sign in line), None)
    fields = [field.strip() for field in line.split(sign)]
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    return [re.sub(r"^([+-]?\d+),(\d+)", r"\1.\2", field) for field in fields] if sign == ";" else fields


def _likeness(fields: list[str]) -> str:
    """What a line looks like, without what it says.

    >>> _likeness(["1", "x"]), _likeness(["1"]), _likeness(["time"])
    ('a number and a text', 'a number', 'a text')
    """
    kinds = ["a number" if _NUMBER.fullmatch(field) else "a text" for field in fields]
    return " and ".join(kinds) if len(kinds) <= 3 else f"{len(kinds)} fields"


def _held(entries: list[tuple[Decimal, Decimal]], what: str) -> dict[str, Any]:
    """A trace as Pensieve has it, as steps: the rate of a line held since the line before it. After the last line the trace begins again.

    Source: `sim/env.py` of github.com/hongzimao/pensieve (Mao, Netravali and Alizadeh 2017): what is sent by the time of a line
    is its rate times the time since the line before, so that the rate of the first line is never used.
    """
    where = f"{what}: " if what else ""
    if len(entries) < 2:
        raise HeadgateError(
            f"{where}found 1 line of seconds and Mbit/s; expected at least 2: a rate held since the line before it"
        )
    start, end = entries[0][0], entries[-1][0]
    steps = [[f"{time - start:f}s", f"{round(rate * 1_000_000):d}bit/s"] for (time, _), (_, rate) in pairwise(entries)]
    return {"steps": steps, "period": f"{end - start:f}s"}
