"""The tables of `headgate list`."""

from __future__ import annotations

import json
from typing import Any

from rich.markup import escape
from rich.table import Table

from ..terminal import console


def print_catalogue(kind: str, entries: list[dict[str, Any]]) -> None:
    """The entries of a list in the terminal."""
    out = console()
    table = Table(show_lines=True)
    for heading in ("name", "source", "items" if kind == "papers" else "parameters"):
        table.add_column(heading)
    for entry in entries:
        parameters = "\n".join(_parameter(p) for p in entry["parameters"])
        table.add_row(escape(entry["name"]), escape(entry["source"]), parameters)
    out.print(table)


def _parameter(parameter: dict[str, Any]) -> str:
    default = parameter.get("default")
    value = f" = {json.dumps(default)}" if default is not None else ""
    return f"[bold]{escape(parameter['name'])}[/]{escape(value)}: {escape(parameter['description'])}"
