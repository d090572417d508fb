"""The list of papers."""

from __future__ import annotations

import re
from typing import Any

#: What it has.
ABOUT = "papers that `headgate reproduce` knows"


def names() -> list[str]:
    """The names of its entries."""
    from ..packaged import list_papers

    return list_papers()


def entries() -> list[dict[str, Any]]:
    """Its entries; the parameters of a paper are its items."""
    from ..folder import find
    from ..heads import head

    return [
        {
            "name": name,
            "source": f"{p.authors}: {p.title}. {p.reference}",
            "parameters": [{"name": i.name, "description": i.title, "type": "item"} for i in p.items],
            "summary": p.title,
            "authors": p.authors,
        }
        for name in names()
        for p in [head(find(name))]
    ]


def short_source(entry: dict[str, Any]) -> str:
    """Authors and year."""
    from ...cli.tables.lists import authors

    year = re.search(r"\b(19|20)\d\d\b", entry["source"])
    return f"{authors(entry['authors'])} {year[0] if year else ''}".strip()


def print_parameters(entry: dict[str, Any]) -> None:
    """The items of a paper in the terminal."""
    from rich.markup import escape

    from ...cli.tables.fit import new_table
    from ...cli.terminal import console

    out = console()
    out.print("\nitems:")
    table = new_table()
    table.add_column("item", no_wrap=True)
    table.add_column("what it shows")
    for item in entry["parameters"]:
        table.add_row(escape(item["name"]), escape(item["description"]))
    out.print(table)
    out.print(f"\nheadgate reproduce {entry['name']} ITEM makes one.")
