"""The programs that a scenario names, wherever in it they stand."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

#: What may hold others. Made once: each variant of a study is searched.
_INNER = (dict, list)


def commands(data: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """All commands in a scenario with their places, also those of a sweep's axes.

    >>> list(commands({"sweep": {"axes": {"flows.a.control.command": [["./a"], ["./b", "1"]]}}}))
    [('sweep.axes.flows.a.control.command', ('./a',)), ('sweep.axes.flows.a.control.command', ('./b', '1'))]
    """
    waiting = deque([("", data)])
    while waiting:
        place, value = waiting.popleft()
        if isinstance(value, dict):
            for key, inner in value.items():
                here = f"{place}.{key}" if place else str(key)
                if str(key) == "command" or str(key).endswith(".command"):
                    yield from _of(inner, here)
                if isinstance(inner, _INNER):
                    waiting.append((here, inner))
        else:
            # Long lists of numbers, or of pairs of them, are passed over.
            waiting += [(f"{place}[{i}]", inner) for i, inner in enumerate(value) if _holds_tables(inner)]


def starts_one(data: Any) -> bool:
    """Whether a scenario chooses the flow control `process`, also in a sweep's axes.

    >>> starts_one({"flows": [{"control": "process"}]}), starts_one({"name": "process"})
    (True, False)
    """
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if value.get("kind") == "process":
                return True
            for key, inner in value.items():
                if isinstance(inner, _INNER):
                    waiting.append(inner)
                chosen = inner == "process" or (isinstance(inner, list) and "process" in inner)
                if chosen and (key == "control" or str(key).endswith((".control", ".kind"))):
                    return True
        elif isinstance(value, list):
            waiting += [inner for inner in value if isinstance(inner, _INNER)]
    return False


def _holds_tables(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(v, _INNER) for v in value))


def _of(value: Any, place: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A command, or those of a list, or of a table of a sweep."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list) and value:
        if all(isinstance(part, str) for part in value):
            yield place, tuple(value)
        else:
            for each in value:
                yield from _of(each, place)
