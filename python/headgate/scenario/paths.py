"""Paths into the contents of a scenario file, such as `links.slow.queue.kind`: reading and setting their values."""

from __future__ import annotations

import re
from typing import Any

from .. import _core
from ..base.errors import HeadgateError, cut, nearest

#: Maximum depth of tables and lists of a scenario within others.
DEEPEST = 50


def copied(value: Any, what: str) -> Any:
    """A copy of a value; `what` begins the text of the error that it is nested too deeply."""
    try:
        return _copied(value, 0)
    except _TooDeepError:
        raise HeadgateError(
            f"{what}found tables or lists that lie more than {DEEPEST} deep in each other; expected fewer"
        ) from None


class _TooDeepError(Exception):
    """Tables or lists lie too deep in each other."""


def _copied(value: Any, depth: int) -> Any:
    if not isinstance(value, dict | list | tuple):
        return value
    if depth > DEEPEST:
        raise _TooDeepError
    if isinstance(value, dict):
        return {key: _copied(v, depth + 1) for key, v in value.items()}
    return [_copied(v, depth + 1) for v in value]


def assign(data: dict[str, Any], path: str, value: Any, what: str) -> list[str]:
    """Sets a value in the contents of a scenario file, in place, and gives the places; `what` begins the text of an error."""
    parts = path.split(".")
    if not all(parts):
        raise HeadgateError(f"{what}: expected a path such as links.slow.rate")
    if len(parts) > DEEPEST:
        raise HeadgateError(f"{what}: expected a path of at most {DEEPEST} names, found {len(parts)}")
    if parts[0] in ("nodes", "links") and parts[0] not in data and "topology" in data:
        raise HeadgateError(f"{what}: the {parts[0]} come from `topology`; expected a path such as topology.line.rate")
    places = _places(data, parts[:-1], what)
    for _, place in places:
        if not isinstance(place, dict):
            found = f"found {cut(repr(place))}; " if isinstance(place, str) else ""
            table = f', such as {parts[-2]} = {{ kind = "{cut(place)}" }}' if found else ""
            raise HeadgateError(f"{what}: {found}expected a table before {cut(repr(parts[-1]))}{table}")
        place[parts[-1]] = copied(value, f"{what}: ")
    if parts[0] == "flows":
        _core.spell_out(data.get("flows"))
    return [f"{name}.{parts[-1]}" if name else parts[-1] for name, _ in places]


def tables_at(data: dict[str, Any], parts: list[str], what: str) -> list[dict[str, Any]]:
    """The tables that the names of a path lead to, in place; missing ones are made. `what` begins the text of an error.

    Raises:
        HeadgateError: the path names no entry, or leads to a value that is no table.
    """
    found = [place for _, place in _places(data, parts, what)]
    for place in found:
        if not isinstance(place, dict):
            raise HeadgateError(f"{what}: expected a table at {cut('.'.join(parts))}, found {cut(repr(place))}")
    return found


def _places(data: Any, parts: list[str], what: str) -> list[tuple[str, Any]]:
    """The tables that a path leads to, with their places."""
    places: list[tuple[str, Any]] = [("", data)]
    for depth, part in enumerate(parts):
        found = list[tuple[str, Any]]()
        for name, place in places:
            if isinstance(place, list):
                entries = _entries(place, part, f"{what}: {cut('.'.join(parts[:depth]))}")
                found += [(f"{name}[{i}]", place[i]) for i in entries]
            elif isinstance(place, dict):
                found.append((f"{name}.{part}" if name else part, place.setdefault(part, {})))
            else:
                raise HeadgateError(
                    f"{what}: expected a table at {cut('.'.join(parts[:depth]))}, found {cut(repr(place))}"
                )
        places = found
    return places


def _entries(entries: list[Any], part: str, what: str) -> list[int]:
    if part == "*":
        return list(range(len(entries)))
    names = [e["name"] for e in entries if isinstance(e, dict) and isinstance(e.get("name"), str)]
    named = [i for i, e in enumerate(entries) if isinstance(e, dict) and e.get("name") == part]
    if not named and "*" in part:
        # `fnmatch` takes ?, [ and ] for more than themselves, and names may have them.
        pattern = re.compile(".*".join(re.escape(p) for p in part.split("*")), re.DOTALL)
        tables = [(i, e) for i, e in enumerate(entries) if isinstance(e, dict)]
        named = [i for i, e in tables if pattern.fullmatch(str(e.get("name", "")))]
    if named:
        return named
    if re.fullmatch(r"\d+", part) and int(part) < len(entries):
        return [int(part)]
    known = ", ".join(cut(n) for n in names[:20] if n) or "no names"
    raise HeadgateError(
        f"{what} has no entry {cut(repr(part))}; expected one of {known}, a position or *.{nearest(part, names)}"
    )
