"""Values and files as TOML writes them; `documents.py` reads them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any


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
