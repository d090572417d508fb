"""Setting a value at a path into the contents of a scenario file, such as `links.slow.queue.kind`."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..base.errors import HeadgateError

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
    """Sets a value in the contents of a scenario file, in place, and gives the places; `what` begins the text of an error.

    Raises:
        HeadgateError: the path names no entry, or leads through a value that is no table; or the value is nested too deeply.

    >>> data = {"links": [{"name": "a"}, {"name": "b"}]}
    >>> assign(data, "links.*.rate", "1Mbit/s", "--set"), data["links"][1]
    (['links[0].rate', 'links[1].rate'], {'name': 'b', 'rate': '1Mbit/s'})
    """
    try:
        tables, key = _core.places(data, path, what)
    except ValueError as e:
        raise HeadgateError(str(e)) from None
    for _, table in tables:
        table[key] = copied(value, f"{what}: ")
    if path.partition(".")[0] == "flows":
        _core.spell_out(data.get("flows"))
    return [f"{place}.{key}" if place else key for place, _ in tables]
