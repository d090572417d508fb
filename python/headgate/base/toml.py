"""Values and files as TOML writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .errors import HeadgateError, cut

#: Maximum number of parts of a dotted key: `tomllib` takes time and memory in proportion to the square of it.
MOST_PARTS = 50

#: Strings and comments, within which dots mean nothing; the long ones first.
_QUOTED = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)|\'\'\'(?:[^\']|\'(?!\'\'))*+(?:\'{3,5}|\Z)|"(?:[^"\\\n]|\\.)*+"|\'[^\'\n]*+\'|#[^\n]*+',
    re.DOTALL,
)

#: More parts than that, one after the other. It begins at the beginning of a part, so that a long word is scanned once.
_TOO_LONG = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def loads(text: str) -> dict[str, Any]:
    """A TOML document; in time and memory that its length bounds.

    Raises:
        ValueError: it is no TOML, or a key has more than `MOST_PARTS` parts; the text names the line.
        RecursionError: lists lie too deep in each other.

    >>> loads("a.b = 1"), loads("x = '" + "a." * 99 + "'")["x"][:4]
    ({'a': {'b': 1}}, 'a.a.')
    """
    import tomllib

    # A quoted part is a part; comments and values that are strings have no dots beside them.
    bare = _QUOTED.sub(lambda m: "q" if m[0][0] != "#" else " ", text)
    if _TOO_LONG.search(bare):
        where = _line_of_long_key(text)
        raise ValueError(
            f"too deep, with {MOST_PARTS} levels: expected keys of at most {MOST_PARTS} parts, found a longer one{where}"
        )
    return tomllib.loads(text)


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
    except RecursionError:
        why = "found lists or tables too deep in each other; expected a few levels"
    except ValueError as e:
        first = (str(e).splitlines() or [type(e).__name__])[0]
        why = "found a whole number with too many digits" if "digits" in first else cut(first)
    raise HeadgateError(f"{place}: expected {expected} in {form}; {why}")


def _line_of_long_key(text: str) -> str:
    """Where it is, of keys whose line has no string of several lines before it."""
    for number, line in enumerate(text.splitlines(), 1):
        if _TOO_LONG.search(_QUOTED.sub(lambda m: "q" if m[0][0] != "#" else " ", line)):
            return f" (at line {number})"
    return ""


def parse_value(text: str) -> Any:
    """A value as TOML writes it; anything else is text.

    >>> parse_value("3"), parse_value("true"), parse_value("[1, 2]"), parse_value("10Mbit/s")
    (3, True, [1, 2], '10Mbit/s')
    """
    try:
        return loads(f"x = {text}")["x"]
    except (ValueError, KeyError, RecursionError):
        return text


def value_text(value: Any) -> str:
    """A value on one line; tables are written inline.

    >>> print(value_text({"rate": "20Mbit/s", "delay": ["1ms", "2ms"], "on": True, "x": 0.5}))
    { rate = "20Mbit/s", delay = ["1ms", "2ms"], on = true, x = 0.5 }
    """
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(k)} = {value_text(v)}' for k, v in value.items())} }}" if value else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(value_text, value))}]"
    if isinstance(value, str):
        # The escapes of JSON are those of TOML, which knows no surrogates and wants one more escape.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return json.dumps(value)


def file_text(data: Mapping[str, Any]) -> str:
    """The text of a file: values first, then tables, then lists of tables, each with a heading.

    >>> print(file_text({"duration": "1s", "flows": [{"name": "f"}], "topology": {"kind": "star"}}), end="")
    duration = "1s"
    <BLANKLINE>
    [topology]
    kind = "star"
    <BLANKLINE>
    [[flows]]
    name = "f"
    """
    return "\n".join(_lines(data)) + "\n"


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    def is_tables(value: Any) -> bool:
        return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)

    yield from (f"{_key(k)} = {value_text(v)}" for k, v in data.items() if not isinstance(v, Mapping) | is_tables(v))
    for key, table in data.items():
        if isinstance(table, Mapping):
            yield from ("", f"[{_key(key)}]", *(f"{_key(k)} = {value_text(v)}" for k, v in table.items()))
    for key, tables in data.items():
        if is_tables(tables):
            for table in tables:
                yield from ("", f"[[{_key(key)}]]", *(f"{_key(k)} = {value_text(v)}" for k, v in table.items()))


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else value_text(key)


def put(table: dict[str, Any], path: str, value: Any) -> None:
    """Sets a parameter of a discipline or of its AQM; a name that is short for a table becomes that table.

    >>> queue = {"kind": "fq", "aqm": "red"}
    >>> put(queue, "aqm.max_p", 0.1)
    >>> put(queue, "buffer", "9pkt")
    >>> queue
    {'kind': 'fq', 'aqm': {'kind': 'red', 'max_p': 0.1}, 'buffer': '9pkt'}
    """
    name, dot, rest = path.partition(".")
    if not dot:
        table[name] = value
        return
    inside = table.get(name, {})
    table[name] = {"kind": inside} if isinstance(inside, str) else dict(inside) if isinstance(inside, Mapping) else {}
    put(table[name], rest, value)
