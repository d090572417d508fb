"""Results in notebooks: small tables in HTML with a limited number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice

#: Maximum number of rows of a table; the number of the others is printed below it.
MOST = 12


def table(
    headings: Sequence[str], rows: Iterable[Sequence[object]], count: int, title: str = "", most: int = MOST
) -> str:
    """The first rows of a table that has `count` of them. Numbers are aligned to the right.

    >>> table(["drops"], [(3,)], 1)
    '<table><thead><tr><th>drops</th></tr></thead><tbody><tr><td>3</td></tr></tbody></table>'
    """
    head = "".join(f"<th>{escape(h)}</th>" for h in headings)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in islice(rows, most))
    above = f"<caption>{escape(title)}</caption>" if title else ""
    below = f"<p>and {count - most} more rows</p>" if count > most else ""
    return f"<table>{above}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def heading(text: str, rest: str = "") -> str:
    """A line above tables: a title and a remark.

    >>> heading("Study", "complete")
    '<p><strong>Study</strong> complete</p>'
    """
    return f"<p>{f'<strong>{escape(text)}</strong>' if text else ''}{' ' if text and rest else ''}{escape(rest)}</p>"


def _cell(value: object) -> str:
    left = ' style="text-align:left"' if isinstance(value, str) and not value[:1].isdigit() else ""
    return f"<td{left}>{escape(str(value))}</td>"
