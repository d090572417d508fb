"""Reading documents in TOML and JSON. The engine reads TOML, for the values and for the lines of their places."""

from __future__ import annotations

import json
from typing import Any

from .. import _core
from .errors import HeadgateError, cut

#: A text in TOML that was read: `values()`, and `line_of("links[0].rate")`.
Toml = _core.Toml


def loads(text: str) -> dict[str, Any]:
    """The values of a TOML document; in time and memory that its length bounds.

    Raises:
        ValueError: it is no TOML, or too deep; the text names the line.

    >>> loads("a.b = 1"), loads("x = '" + "a." * 99 + "'")["x"][:4]
    ({'a': {'b': 1}}, 'a.a.')
    """
    return Toml(text).values()


def toml(text: str, place: str, expected: str) -> Toml:
    r"""A text in TOML, for its values and for the lines of their places; as `document` otherwise.

    >>> toml("a = 1\n[b]\nc = 2", "x.toml", "a case").line_of("b.c")
    3
    """
    try:
        return Toml(text)
    except ValueError as e:
        raise _none(e, place, expected, "TOML") from None


def document(text: str, place: str, expected: str, form: str = "TOML") -> Any:
    """What a text in TOML or JSON says: the one way from a file, an option or a request to its values.

    Args:
        text: of the document.
        place: begins the text of an error.
        expected: what it was to be, such as `a scenario`.
        form: `TOML` or `JSON`.

    Raises:
        HeadgateError: it is none, or its lists and tables lie too deep in each other.

    >>> document("a = 1", "x.toml", "a case"), document("[1, 2]", "x", "a list", "JSON")
    ({'a': 1}, [1, 2])
    >>> document("a = " + "[" * 5000, "x.toml", "a case")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: x.toml: expected a case in TOML; found lists or tables too deep in each other; expected a few levels
    """
    try:
        return json.loads(text) if form == "JSON" else loads(text)
    except (ValueError, RecursionError) as e:
        raise _none(e, place, expected, form) from None


def _none(e: Exception, place: str, expected: str, form: str) -> HeadgateError:
    """The error of a text that is no document."""
    first = (str(e).splitlines() or [type(e).__name__])[0]
    if isinstance(e, RecursionError):
        first = "found lists or tables too deep in each other; expected a few levels"
    elif form == "JSON":
        first = "found a whole number with too many digits" if "digits" in first else cut(first)
    return HeadgateError(f"{place}: expected {expected} in {form}; {first}")


def parse_value(text: str) -> Any:
    """A value as TOML writes it; anything else is text.

    >>> parse_value("3"), parse_value("true"), parse_value("[1, 2]"), parse_value("10Mbit/s")
    (3, True, [1, 2], '10Mbit/s')
    """
    try:
        return loads(f"x = {text}")["x"]
    except ValueError:
        return text
