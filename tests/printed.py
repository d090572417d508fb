"""What a command prints as JSON, held against what its file declares."""

from __future__ import annotations

import types
from collections.abc import Iterator
from functools import cache
from typing import Any, Union, get_args, get_origin

from headgate.cli.finding import class_of, own_names
from headgate.cli.printed import Shape, keys_of

_keys = cache(keys_of)


def faults(value: Any, kind: Any, place: str = "") -> Iterator[str]:
    """Where a value is not of a type."""
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return
    if origin in (types.UnionType, Union):
        found = [list(faults(value, one, place)) for one in inner if one is not type(None) or value is None]
        yield from min(found, key=len)
    elif origin is list and isinstance(value, list):
        for i, one in enumerate(value):
            yield from faults(one, inner[0], f"{place}[{i}]")
    elif origin is dict and isinstance(value, dict):
        for name, one in value.items():
            yield from faults(one, inner[1], f"{place}.{name}")
    elif origin is None and issubclass(kind, Shape) and isinstance(value, dict):
        known = _keys(kind)
        for name in [*value, *(n for n, (_, said) in known.items() if said.always and n not in value)]:
            if name not in known:
                if not kind.rest:
                    yield f"{place}.{name}: is not declared by {kind.__name__}"
            elif name not in value:
                yield f"{place}.{name}: declared by {kind.__name__}, and not there"
            else:
                yield from faults(value[name], known[name][0], f"{place}.{name}")
    elif not (origin is None and isinstance(value, _plain(kind)) and isinstance(value, bool) == (kind is bool)):
        yield f"{place}: found {value!r:.60}; declared as {getattr(kind, '__name__', kind)}"


def _plain(kind: Any) -> Any:
    return (int, float) if kind is float else () if issubclass(kind, Shape) else kind


def undeclared(name: str, value: Any) -> list[str]:
    """What a command printed and did not declare, or the reverse; of its forms that which is nearest."""
    if name not in own_names() or not (forms := class_of(name).prints):
        return [f"{name}: declares nothing of its --json"]
    return min((list(faults(value, form, name)) for form in forms.values()), key=len)
