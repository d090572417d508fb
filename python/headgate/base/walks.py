"""Walks over the values of a scenario, wherever in it they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def texts(value: Any) -> Iterator[str]:
    """All texts in a value but the names of keys.

    >>> sorted(texts({"flows": [{"name": "a", "control": {"kind": "b", "x": [1, "c"]}}]}))
    ['a', 'b', 'c']
    """
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A copy of a value in which each text but the names of keys is changed.

    >>> with_texts({"name": "a", "via": ["b", 1]}, str.upper)
    {'name': 'A', 'via': ['B', 1]}
    """
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: with_texts(inner, change) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [with_texts(inner, change) for inner in value]
    return value
