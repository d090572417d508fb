"""Tables that fit the terminal: columns that matter less are left out where it is narrow, and neither names nor numbers are cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rich import box
from rich.cells import cell_len
from rich.markup import escape
from rich.table import Table

from ...base.errors import visible
from ..terminal import console

#: Spaces between two columns.
GAP = 2

#: Minimum width of a column of text that is broken over lines.
_NARROWEST = 12


#: Maximum length of a line of a table.
_LONGEST = 10_000


@dataclass
class Column:
    """A column of a table.

    Attributes:
        heading: quantity and unit, which may take two lines.
        rank: columns of the highest rank are left out first; those of rank 0 are never left out.
        text: whether it holds words, which are aligned to the left and may continue in the next line.
        cells: as they are printed.
    """

    heading: str
    rank: int = 0
    text: bool = False
    cells: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Before they are measured.
        self.heading, self.cells = visible(self.heading), [visible(cell) for cell in self.cells]

    @property
    def lines(self) -> list[str]:
        """The heading: the unit, or the last word, is below the rest."""
        return self.heading.rsplit(" ", 1)

    @property
    def width(self) -> int:
        """Its width on the screen."""
        return max(map(cell_len, [*self.lines, *self.cells]), default=0)


def chosen(columns: Sequence[Column], width: int) -> tuple[list[Column], list[Column]]:
    """The columns that fit a width, and those that are left out, both in their order.

    >>> columns = [Column("flow", cells=["ftp1"]), Column("rtt ms", 2, cells=["1360"]), Column("goodput kbit/s", 1, cells=["38.08"])]
    >>> [c.heading for c in chosen(columns, 80)[0]], [c.heading for c in chosen(columns, 16)[0]]
    (['flow', 'rtt ms', 'goodput kbit/s'], ['flow', 'goodput kbit/s'])
    """
    kept, left = list(columns), list[Column]()
    while _needed(kept, width) > width:
        out = max((c for c in kept if c.rank), key=lambda c: c.rank, default=None)
        if out is None:
            break
        kept = [c for c in kept if c is not out]
        left.append(out)
    return kept, [c for c in columns if c in left]


def _needed(columns: Sequence[Column], width: int) -> int:
    # A long name may be broken over lines, so that it does not push out the numbers.
    widths = (min(c.width, max(_NARROWEST, width // 3)) if c.text and c.rank == 0 else c.width for c in columns)
    return sum(widths) + GAP * (len(columns) - 1)


def print_fitted(title: str, columns: Sequence[Column], wide: bool = False) -> list[Column]:
    """Prints a table with the columns that fit, or all of them on lines of any length; returns those that were left out."""
    out = console()
    out.print()
    kept, left = (list(columns), []) if wide else chosen(columns, out.width)
    if title:
        # Not as the table's own title, which would be as narrow as the table.
        out.print(f"[bold]{escape(title)}[/]")
    table = new_table()
    for column in kept:
        side: Literal["left", "right"] = "left" if column.text else "right"
        heading = "\n".join(map(escape, column.lines))
        table.add_column(heading, justify=side, no_wrap=not column.text, overflow="fold")
    for row in zip(*(c.cells for c in kept), strict=True):
        table.add_row(*map(escape, row))
    if wide or _needed(kept, out.width) > out.width:
        # The terminal breaks such lines, or a pager moves over them; nothing is cut.
        longest = out.measure(table, options=out.options.update(max_width=_LONGEST)).maximum
        out = console(max(out.width, longest))
    out.print(table)
    return left


def new_table() -> Table:
    """A table as commands print it: a line below the headings, and space between columns."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))


def names_of(columns: Iterable[Column]) -> str:
    """The headings of columns as a sentence lists them."""
    return ", ".join(dict.fromkeys(c.heading for c in columns))
