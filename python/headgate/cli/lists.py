"""headgate list: what there is to choose from."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from .. import _core
from .show import console, print_json

KINDS = ("disciplines", "flow-controls", "workloads", "packet-sizes", "papers")


@click.command(
    "list",
    epilog="""\b
Examples:
  headgate list disciplines
  headgate list flow-controls --json""",
)
@click.argument("kind", type=click.Choice(KINDS))
@click.option("--json", "as_json", is_flag=True, help="Print an array of {name, source, parameters}.")
def list_(kind: str, as_json: bool) -> None:
    """List the disciplines, flow controls, workloads, packet sizes or papers."""
    entries = catalogue(kind)
    if as_json:
        print_json(entries)
        return
    out = console()
    table = Table(show_lines=True)
    for heading in ("name", "source", "items" if kind == "papers" else "parameters"):
        table.add_column(heading)
    for entry in entries:
        parameters = "\n".join(_parameter(p) for p in entry["parameters"])
        table.add_row(escape(entry["name"]), escape(entry["source"]), parameters)
    out.print(table)


def catalogue(kind: str) -> list[dict[str, Any]]:
    """The entries of a list as `{name, source, parameters}`."""
    if kind != "papers":
        keys = ("name", "source", "parameters")
        return [{k: entry[k] for k in keys} for entry in json.loads(_core.catalogue(kind))]
    from ..papers import list_papers, load_paper

    papers = [load_paper(name) for name in list_papers()]
    return [
        {
            "name": p.name,
            "source": f"{p.authors}: {p.title}. {p.reference}",
            "parameters": [{"name": i.name, "description": i.title, "type": "item"} for i in p.items],
        }
        for p in papers
    ]


def _parameter(parameter: dict[str, Any]) -> str:
    default = parameter.get("default")
    value = f" = {json.dumps(default)}" if default is not None else ""
    return f"[bold]{escape(parameter['name'])}[/]{escape(value)}: {escape(parameter['description'])}"
