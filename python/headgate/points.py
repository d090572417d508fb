"""Files of points that the `empirical` distributions of a scenario name: the points take the place of the name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .errors import HeadgateError, cut

#: No file of points is longer than this many bytes.
LONGEST = 8_000_000

#: All files of a scenario together have no more points, each counted as often as it is named.
MOST = 1_000_000

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def fill(data: dict[str, Any], folder: Path, what: str) -> None:
    """Puts the points of each file in the place of its name; `what` begins the text of an error.

    Raises:
        HeadgateError: a file cannot be read, or is none of points.
    """
    files: dict[str, list[list[Any]]] = {}
    total = 0
    for place, table in _tables(data, ""):
        name = table.get("file")
        if table.get("kind") != "empirical" or not isinstance(name, str):
            continue
        where = f"{what}{cut(place)}.file"
        if "points" in table:
            raise HeadgateError(f"{where}: found {cut(repr(name))}; expected `points` or `file`, not both")
        if name not in files:
            files[name] = _read(folder / name, f"{where}: ")
        points = table["points"] = files[name]
        del table["file"]
        total += len(points)
        if total > MOST:
            raise HeadgateError(f"{where}: expected at most {MOST} points in all files that a scenario names")


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


def _read(file: Path, what: str) -> list[list[Any]]:
    try:
        if not file.is_file():
            raise HeadgateError(f"{what}{file}: expected a file of points, found none")
        with file.open("rb") as f:
            raw = f.read(LONGEST + 1)
        text = raw.decode("utf-8")
    except (OSError, ValueError) as e:
        raise HeadgateError(f"{what}{cut(file)}: expected a file of points; {cut(e)}") from None
    if len(raw) > LONGEST:
        raise HeadgateError(f"{what}{file}: expected a file of points of at most {LONGEST // 1_000_000} MB")
    points = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        value, comma, share = (part.strip() for part in line.partition(","))
        if not comma or not _NUMBER.fullmatch(share):
            expected = "expected a value and the share of all up to it, such as 10KB,0.15"
            raise HeadgateError(f"{what}{file}, line {number}: found {cut(repr(line))}; {expected}")
        points.append([float(value) if _NUMBER.fullmatch(value) else value, float(share)])
    return points
