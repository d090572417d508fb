"""Column widths of tables that are wider than the terminal: no word and no number is cut while there is space for it."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

#: No table in a file or a pipe is wider.
WIDEST = 160


def print_table(table: Table, console: Console) -> None:
    """Prints a table. One that is too wide has its cells broken into lines, then no space in them, then no edges.

    In a terminal there is no more to be done; in a file or a pipe it is then as wide as its longest words.
    """
    width = console.width
    ends = [_ends(column) for column in table.columns]
    if sum(most for _, most in ends) + _between(table) > width:
        words = sum(least for least, _ in ends)
        for key, value in (("padding", 0), ("show_edge", False)):
            if words + _between(table) > width:
                setattr(table, key, value)
        if not console.is_terminal:
            console.width = min(max(width, words + _between(table)), WIDEST)
        for column, cells in zip(table.columns, _filled(ends, console.width - _between(table)), strict=True):
            column.width = cells
    try:
        console.print(table)
    finally:
        console.width = width


def _ends(column: Column) -> tuple[int, int]:
    """The longest word of a column, and its longest cell."""
    texts = [
        cell.plain if isinstance(cell, Text) else Text.from_markup(str(cell)).plain
        for cell in (column.header, *column.cells)
    ]
    most = max(map(cell_len, texts))
    return (most if column.no_wrap else max((cell_len(w) for t in texts for w in t.split()), default=0)), most


def _between(table: Table) -> int:
    """What the lines between columns, and the space beside them, take."""
    _, right, _, left = table.padding
    return len(table.columns) * (1 + left + right) + (1 if table.show_edge else -1)


def _filled(ends: list[tuple[int, int]], space: int) -> list[int]:
    """Widths from the longest words on, the narrowest widened first, while there is space.

    >>> _filled([(4, 4), (5, 30), (9, 12)], 30)
    [4, 14, 12]
    """
    widths = [least for least, _ in ends]
    while sum(widths) < space:
        growing = [i for i, (_, most) in enumerate(ends) if widths[i] < most]
        if not growing:
            break
        widths[min(growing, key=lambda i: widths[i])] += 1
    return widths
