"""Lists with commas between: those within brackets or quotes do not count."""

from __future__ import annotations

from collections.abc import Iterator

from .errors import HeadgateError, cut


def split(text: str, option: str, expected: str = "a value") -> list[str]:
    """The parts between commas; `expected` says what each is.

    Raises:
        HeadgateError: a bracket or a quote is not closed, or nothing stands between two commas.

    >>> split('cubic, {kind = "cubic", beta = 0.8},fq:aqm=red', "--controls")
    ['cubic', '{kind = "cubic", beta = 0.8}', 'fq:aqm=red']
    """
    items, depth = [""], 0
    for sign, depth in _signs(text):
        if sign == "," and depth == 0:
            items.append("")
        else:
            items[-1] += sign
    items = [item.strip() for item in items]
    if depth:
        raise HeadgateError(f"{option}: found {cut(repr(text))}; expected every bracket and quote to be closed")
    if "" in items and text.strip():
        raise HeadgateError(f"{option}: found {cut(repr(text))}; expected {expected} between commas")
    return [item for item in items if item]


def closed(text: str) -> int:
    """Where the bracket ends with which a text begins; 0 if it does not.

    >>> closed('{"kind": "}"}*2')
    13
    """
    return next((i for i, (_, depth) in enumerate(_signs(text), 1) if depth == 0), 0)


def _signs(text: str) -> Iterator[tuple[str, int]]:
    """Each sign, and how many brackets and quotes are open after it."""
    depth, quote, escaped = 0, "", False
    for sign in text:
        if quote:
            quote = "" if sign == quote and not escaped else quote
            escaped = sign == "\\" and not escaped and quote == '"'
        elif sign in "\"'":
            quote = sign
        else:
            depth += (sign in "[{") - (sign in "]}")
        yield sign, depth + bool(quote)
