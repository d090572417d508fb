"""The lines of a TOML file of its tables, keys and entries: `tomllib` reads values without them."""

from __future__ import annotations

import re
from collections import Counter

#: A part of a key: bare or in quotes.
_PART = re.compile(r"""\s*(?:([A-Za-z0-9_-]+)|"((?:[^"\\]|\\.)*)"|'([^']*)')\s*""")

_STRINGS = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*', re.DOTALL)


def lines(text: str) -> dict[str, int]:
    r"""The line of each place in a file that is valid TOML, by paths as in errors.

    >>> lines('a = 1\n[t]\nb = 2\n[[l]]\nc = [\n  3,\n  { d = 4 },\n]\n')
    {'a': 1, 't': 2, 't.b': 3, 'l[0]': 4, 'l[0].c': 5, 'l[0].c[1]': 7, 'l[0].c[1].d': 7}
    """
    found: dict[str, int] = {}
    entries: Counter[str] = Counter()
    table, position, line = "", 0, 1
    while position < len(text):
        end = text.find("\n", position)
        start = re.compile(r"[ \t\r]*").match(text, position).end()  # type: ignore[union-attr]
        here = text[start : len(text) if end < 0 else end]
        if here.startswith("["):
            several = here.startswith("[[")
            path = _key(here.lstrip("["))[0]
            place = _indexed(path, entries)
            if several:
                entries[place] += 1
                place = f"{place}[{entries[place] - 1}]"
            table = place
            found.setdefault(place, line)
            after = len(text) if end < 0 else end + 1
        elif not here or here.startswith("#"):
            after = len(text) if end < 0 else end + 1
        else:
            after = _values(text, start, table, line, found)
        line += text.count("\n", position, after)
        position = after
    return found


def line_of(path: str, known: dict[str, int]) -> int | None:
    """The line of a place, or of the nearest place around it that has one.

    >>> known = {"links[0]": 4, "links[0].queue": 6}
    >>> line_of("links[0].queue.buffer", known), line_of("links[0].rate", known), line_of("flows", known)
    (6, 4, None)
    >>> line_of("links[0].]x[", known)
    4
    """
    while path:
        if path in known:
            return known[path]
        shorter = re.sub(r"(\.[^.\[\]]*|\[[^\]]*\]|^[^.\[\]]*)$", "", path)
        # A key may be any text, also brackets on a line of their own.
        path = shorter if shorter != path else path[:-1]
    return None


def _key(text: str) -> tuple[list[str], int]:
    """The parts of a dotted key at the start of a text, and where it ends."""
    parts, at = list[str](), 0
    while found := _PART.match(text, at):
        parts.append(next(p for p in found.groups() if p is not None))
        at = found.end()
        if not text.startswith(".", at):
            break
        at += 1
    return parts, at


def _indexed(parts: list[str], entries: Counter[str]) -> str:
    """The path of a heading: under a list of tables it is in the last entry so far."""
    path = ""
    for i, part in enumerate(parts):
        path = f"{path}.{part}" if path else part
        if i < len(parts) - 1 and entries[path]:
            path = f"{path}[{entries[path] - 1}]"
    return path


def _values(text: str, at: int, table: str, line: int, found: dict[str, int]) -> int:
    """Records a key with the places inside its value; returns where the next line begins."""
    parts, length = _key(text[at : at + 4096])
    if not parts:
        end = text.find("\n", at)
        return len(text) if end < 0 else end + 1
    place = ".".join([table, *parts] if table else parts)
    found.setdefault(place, line)
    at += length
    # The places of the lists and tables that are open, with the number of the entry in lists.
    stack: list[tuple[str, str, int]] = []
    entry_starts = False
    while at < len(text):
        sign = text[at]
        string = _STRINGS.match(text, at)
        if entry_starts and sign not in " \t\r\n#]},":
            around, kind, index = stack[-1]
            if kind == "[":
                if sign == "{":
                    found.setdefault(f"{around}[{index}]", line)
            else:
                keys, length = _key(text[at : at + 4096])
                place = f"{around}.{'.'.join(keys)}"
                found.setdefault(place, line)
                entry_starts = False
                at += max(length, 1)
                continue
            entry_starts = False
        if string:
            line += string[0].count("\n")
            at = string.end()
            continue
        if sign in "[{":
            if stack and stack[-1][1] == "[":
                place = f"{stack[-1][0]}[{stack[-1][2]}]"
            stack.append((place, sign, 0))
            entry_starts = True
        elif sign in "]}" and stack:
            stack.pop()
        elif sign == "," and stack:
            around, kind, index = stack[-1]
            stack[-1] = (around, kind, index + 1)
            entry_starts = True
        elif sign == "\n":
            if not stack:
                return at + 1
            line += 1
        at += 1
    return at
