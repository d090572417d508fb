"""Tables of an item's study as data: titles, headings, the form of every cell and notes stand in a TOML file beside the code that measures.

Each table of the file has `title` and `columns`, pairs of a heading and a form such as "{loss:.2f}". It may have `note`, `measured`,
and what its rows are about: `rows` (a list of tables) or `over` (axes, all of whose combinations are rows).
"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..base.documents import document
from ..stats import Mean
from .checks import checked, one_of
from .model import Form, Name, Table
from .study import Section

T = TypeVar("T")

#: What stands where there is nothing to show.
NOTHING = "-"


@dataclass(frozen=True)
class TableLayout(Form):
    """One table. A column's third entry is the name of a value without which the column is left out.

    `on_page`: the paper's page of the documentation shows it too.
    """

    title: Name
    columns: tuple[tuple[str, ...], ...]
    note: str = ""
    measured: bool = False
    on_page: bool = False
    rows: tuple[Table, ...] = ()
    over: Mapping[str, tuple[str | int | float, ...]] = field(default_factory=dict)


def beside(module: str, file: str, kind: type[T]) -> tuple[str, dict[str, T]]:
    """What errors call the file beside a module, whose `__file__` is given, and the forms in it by name.

    Raises:
        PaperError: something in it is wrong; the error names the place.
    """
    path = Path(module).with_name(file)
    where = f"{path.parent.name}/{file}"
    forms: dict[str, T] = checked(dict[str, kind], document(path.read_text("utf-8"), where, "forms of tables"), where)  # type: ignore[valid-type]
    return where, forms


class Layouts:
    """The tables of a file."""

    def __init__(self, module: str, file: str = "tables.toml") -> None:
        """Reads the file beside a module."""
        self._file, self._tables = beside(module, file, TableLayout)

    def about(self, name: str) -> list[Table]:
        """What the rows of a table are about: the keys that stand in the file."""
        one_of(self._file, "", name, self._tables, "table")
        table = self._tables[name]
        return [*table.rows, *_product(table.over)]

    def section(self, name: str, rows: Callable[..., Any] | Iterable[Any] = (), **values: Any) -> Section:
        """The table called `name`.

        `rows` are the rows, or a function that gives the cells of a row for the row's keys in the file, or None for no row. A row is a
        mapping of cells by name, a sequence of cells, or an object `row` with attributes. `values` may stand in every text.
        """
        about, table = self.about(name), self._tables[name]
        columns = [c for c in table.columns if len(c) < 3 or values.get(c[2])]
        found: Iterable[Any] = rows if not callable(rows) else ((keys, rows(**keys)) for keys in about)
        lines = []
        for row in found:
            keys, cells = row if callable(rows) else ({}, row)
            if cells is None:
                continue
            places, names = _cells(cells)
            known = {**values, **keys, **names}
            lines.append(tuple(write(c[1], *places, **known) for c in columns))
        return Section(
            write(table.title, **values),
            tuple(write(c[0], **values) for c in columns),
            tuple(lines),
            write(table.note, **values),
            table.measured,
            on_page=table.on_page,
        )


def _product(over: Mapping[str, tuple[str | int | float, ...]]) -> list[Table]:
    return [dict(zip(over, point, strict=True)) for point in itertools.product(*over.values())] if over else []


def _cells(row: Any) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """A row's cells by position and by name."""
    if isinstance(row, Mapping):
        return (), row
    return (tuple(row), {}) if isinstance(row, list | tuple) else ((), {"row": row})


class _Writer(string.Formatter):
    """Writes cells: nothing as a dash, an infinite time as "never", a mean with half its interval, several values in a row."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if value is None:
            return NOTHING
        if isinstance(value, Mean):
            half = "" if math.isnan(value.half) else f" ± {value.half:{format_spec.lstrip('+')}}"
            return NOTHING if math.isnan(value.mean) else f"{value.mean:{format_spec}}{half}"
        if isinstance(value, np.ndarray | list | tuple):
            return ", ".join(self.format_field(v, format_spec) for v in value)
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if isinstance(value, float) and not math.isfinite(value):
            return NOTHING if math.isnan(value) else "never"
        return format(value, format_spec if not isinstance(value, str) else "")


def write(form: str, *places: Any, **names: Any) -> str:
    """A text with values in it.

    >>> write("{a:.2f}, {b} and {c:.1f}", a=1.0, b=None, c=Mean(2.0, 0.0, 4))
    '1.00, - and 2.0 ± 0.0'
    >>> write("{0:.1f}", float("inf")), write("{0:.0f}", [1.0, 2.0])
    ('never', '1, 2')
    """
    return _Writer().vformat(form, places, names)
