"""What a process says in which code runs that is not trusted: nothing of it is believed, each part is checked here, by whoever asked.

Such a process may say anything: the code in it can reach the functions that write its answers. So an answer is a text of bounded length,
read as JSON without the numbers that JSON does not have; the parts of a description are those below, and no others.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, NoReturn

from ..base.catalogue import is_own
from ..base.errors import cut
from .define import CONTROL_CALLS, is_name

#: Before an answer: its status (0: an answer, 1: the text of a fault), and the length of its body; and the longest text of a fault.
HEAD, FAULT = struct.Struct("<BI"), 1000

#: Longest text of one part of a description, flow controls of a file, and how deep JSON may be.
LONGEST, MOST, DEEPEST = 100_000, 64, 16


class SaidError(Exception):
    """It says something that cannot be."""


def _refused(text: str) -> NoReturn:
    raise ValueError(text)


_decode = json.JSONDecoder(parse_constant=_refused).decode


def _json(data: str) -> Any:
    """A text as JSON that the engine can read, too: no numbers without an end, no halves of characters, not too deep."""
    try:
        found = _decode(data)
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()
        if _depth(found) <= DEEPEST:
            return found
    except (ValueError, RecursionError):
        pass
    raise SaidError(f"found {cut(repr(data))}; expected JSON")


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST


def _is_object(value: Any) -> bool:
    """The text of an object in JSON."""
    try:
        return _is_text(value) and isinstance(_json(value), dict)
    except SaidError:
        return False


def _is_schema(value: Any) -> bool:
    """The text of a schema: of each parameter what it is."""
    if not _is_object(value):
        return False
    found = _json(value).get("properties", {})
    return isinstance(found, dict) and all(k.isidentifier() and isinstance(v, dict) for k, v in found.items())


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) <= MOST and all(isinstance(n, str) and n.isidentifier() for n in value)
    )


def _is_calls(value: Any) -> bool:
    return _is_names(value) and "on_ack" in value and set(value) <= set(CONTROL_CALLS) and len(set(value)) == len(value)


#: Of each part of a description whether it can be, and what was expected.
_PARTS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "name": (is_name, "a name of lower-case letters, digits and underscores, up to 64 characters"),
    "source": (_is_text, "a text"),
    "summary": (_is_text, "a text"),
    "schema": (_is_schema, "a schema of its parameters"),
    "defaults": (_is_object, "the defaults of its parameters"),
    "calls": (_is_calls, f"its calls, on_ack and others of {', '.join(CONTROL_CALLS)}"),
    "gauges": (_is_names, "a list of names"),
    "every": (lambda value: value in ("ack", "round"), "ack or round"),
    "ecn": (lambda value: value in ("none", "ect0", "ect1"), "none, ect0 or ect1"),
    "rate_samples": (lambda value: isinstance(value, bool), "true or false"),
}


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise SaidError("expected a text in UTF-8, found other bytes") from None


def described(data: bytes) -> list[dict[str, Any]]:
    """The flow controls of a file, as its process says.

    >>> described(b'[]')
    []

    Raises:
        SaidError: a part is missing, of another type or beyond its bounds, or a name is one of headgate's own flow controls.
    """
    found = _json(_text(data))
    if not isinstance(found, list) or len(found) > MOST:
        raise SaidError(f"found {cut(repr(found))}; expected a list of at most {MOST} flow controls")
    names: set[str] = set()
    for i, one in enumerate(found):
        if not isinstance(one, dict) or set(one) != set(_PARTS):
            raise SaidError(f"flow control {i}: found {cut(repr(one))}; expected {', '.join(_PARTS)}")
        for part, (can_be, expected) in _PARTS.items():
            value = one[part]
            # A truth value or a list is not looked for among texts: it may be equal to none.
            if not can_be(value):
                raise SaidError(f"flow control {i}: {part}: found {cut(repr(value))}; expected {expected}")
        if is_own(one["name"], "control"):
            raise SaidError(f"control {one['name']}: expected a name that no control of headgate has")
        if one["name"] in names:
            raise SaidError(f"control {one['name']}: is there twice; expected a name of its own for each")
        names.add(one["name"])
    return found


def complete(data: bytes, names: frozenset[str]) -> str:
    """Complete parameters, as its process says: the text of an object in JSON with these names.

    >>> complete(b'{"a": 1}', frozenset("a"))
    '{"a": 1}'

    Raises:
        SaidError: it is none.
    """
    text = _text(data)
    if not _is_object(text) or set(_json(text)) != names:
        raise SaidError(f"found {cut(repr(text))}; expected parameters with {', '.join(sorted(names)) or 'no names'}")
    return json.dumps(_json(text), ensure_ascii=False, allow_nan=False)


def parameters(one: dict[str, Any]) -> frozenset[str]:
    """The names of the parameters of a flow control that was described."""
    return frozenset(_json(one["schema"]).get("properties", {}))
