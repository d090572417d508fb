"""Files that a scenario names: points of distributions, rate traces, times of arrivals. The contents of a file replace its name."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from ..base.errors import HeadgateError, cut
from ..base.folders import resolved, within

#: Maximum length of a file in bytes.
LONGEST = 8_000_000

#: Maximum number of entries of all files of a scenario together, each file counted as often as it is named.
MOST = 1_000_000

#: The first line of a file of times and rates that are plain numbers.
HEADER = "time_s,rate_bps"

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_QUANTITY = re.compile(r"[0-9.]{1,30} *[A-Za-zµμ/]{1,12}")
_AMOUNT = re.compile(r"(\d{1,30}\.?\d{0,30})([eE][+-]?\d{1,2})?")


@dataclass(frozen=True)
class Kind:
    """A choice that may name a file: the key for its contents, what they are, how a line is read, and an example of a line."""

    key: str
    what: str
    line: Callable[[str, bool], Any]
    expected: str


def _point(line: str, _: bool) -> list[Any] | None:
    value, comma, share = (part.strip() for part in line.partition(","))
    if not comma or not _NUMBER.fullmatch(share):
        return None
    if _NUMBER.fullmatch(value):
        return [float(value), float(share)]
    return [value, float(share)] if _QUANTITY.fullmatch(value) else None


def _opportunity(line: str, _: bool) -> int | None:
    return int(line) if re.fullmatch(r"\d{1,18}", line, re.ASCII) else None


def _step(line: str, plain: bool) -> list[str] | None:
    time, comma, rate = (part.strip() for part in line.partition(","))
    if not comma:
        return None
    if not plain:
        return [time, rate] if _QUANTITY.fullmatch(time) and _QUANTITY.fullmatch(rate) else None
    if not (_AMOUNT.fullmatch(time) and _AMOUNT.fullmatch(rate)):
        return None
    return [f"{Decimal(time):f}s", f"{round(Decimal(rate)):d}bit/s"]


def _time(line: str, _: bool) -> str | None:
    if _AMOUNT.fullmatch(line):
        return f"{Decimal(line):f}s"
    return line if _QUANTITY.fullmatch(line) else None


#: By the names of the choices.
KINDS = {
    "empirical": Kind("points", "of points", _point, "a value and the share of all up to it, such as 10KB,0.15"),
    "times": Kind("at", "of times", _time, "a time such as 10ms, or a number of seconds"),
    "mahimahi": Kind("times", "of delivery opportunities", _opportunity, "a time in whole milliseconds"),
    "steps": Kind(
        "steps", "of times and rates", _step, f"a time and a rate, such as 10s,2Mbit/s, or numbers below {HEADER}"
    ),
}


def fill(data: dict[str, Any], folder: Path, what: str, allowed: Iterable[str | os.PathLike[str]] = ()) -> None:
    """Replaces the name of each file by its contents; `what` begins the text of an error.

    A scenario may be from anybody: its files must be in its folder, or in one that is allowed, once links are followed.

    Raises:
        HeadgateError: a file is elsewhere, cannot be read, or is not of its kind.
    """
    folders = resolved(folder, allowed)
    files: dict[tuple[str, str], list[Any]] = {}
    total = 0
    for place, table in _tables(data, ""):
        name, choice = table.get("file"), table.get("kind")
        kind = KINDS.get(choice) if isinstance(choice, str) else None
        if kind is None or not isinstance(name, str):
            continue
        where = f"{what}{cut(place)}.file"
        if kind.key in table:
            raise HeadgateError(f"{where}: found {cut(repr(name))}; expected `{kind.key}` or `file`, not both")
        if (kind.key, name) not in files:
            files[kind.key, name] = _read(within(folder, name, folders, where), f"{where}: {cut(folder / name)}", kind)
        entries = table[kind.key] = files[kind.key, name]
        del table["file"]
        total += len(entries)
        if total > MOST:
            raise HeadgateError(f"{where}: expected at most {MOST} {kind.key} in all files that a scenario names")


def _tables(value: Any, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All tables in a value with their places."""
    if isinstance(value, dict):
        for key, entry in value.items():
            if isinstance(entry, dict | list):
                yield from _tables(entry, f"{place}.{key}" if place else str(key))
        yield place, value
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            if isinstance(entry, dict | list):
                yield from _tables(entry, f"{place}[{i}]")


def _read(file: Path, what: str, kind: Kind) -> list[Any]:
    try:
        if not file.is_file():
            raise HeadgateError(f"{what}: expected a file {kind.what}, found none")
        with file.open("rb") as f:
            raw = f.read(LONGEST + 1)
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise HeadgateError(f"{what}: expected a file {kind.what}, as text in UTF-8") from None
    except OSError as e:
        raise HeadgateError(f"{what}: expected a file {kind.what}; {cut(e.strerror)}") from None
    if len(raw) > LONGEST:
        raise HeadgateError(f"{what}: expected a file {kind.what} of at most {LONGEST // 1_000_000} MB")
    entries: list[Any] = []
    plain = False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if not entries and kind.key == "steps" and line == HEADER:
            plain = True
            continue
        entry = kind.line(line, plain)
        if entry is None:
            # What does not begin as such a file does may be any other file, of which nothing is to be seen.
            found = f"found {cut(repr(line))}; " if entries or plain else ""
            raise HeadgateError(f"{what}, line {number}: {found}expected {kind.expected}")
        entries.append(entry)
    return entries
