"""headgate list: what there is to choose from."""

from __future__ import annotations

import json
from typing import Any

import click

from .. import _core
from . import signals
from .show import print_json

KINDS = (
    "disciplines",
    "flow-controls",
    "workloads",
    "packet-sizes",
    "arrivals",
    "distributions",
    "topologies",
    "losses",
    "framings",
    "rate-traces",
    "papers",
)


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
    """List the disciplines, flow controls, workloads, packet sizes, arrivals, distributions, topologies, laws of links or papers."""
    entries = catalogue(kind)
    if as_json:
        print_json(entries)
        return
    with signals.loading():
        from .tables.lists import print_catalogue

    print_catalogue(kind, entries)


def catalogue(kind: str) -> list[dict[str, Any]]:
    """The entries of a list as `{name, source, parameters}`."""
    if kind != "papers":
        keys = ("name", "source", "parameters")
        return [{k: entry[k] for k in keys} for entry in json.loads(_core.catalogue(kind))]
    with signals.loading():
        from ..papers.load import list_papers, load_paper

    papers = [load_paper(name) for name in list_papers()]
    return [
        {
            "name": p.name,
            "source": f"{p.authors}: {p.title}. {p.reference}",
            "parameters": [{"name": i.name, "description": i.title, "type": "item"} for i in p.items],
        }
        for p in papers
    ]
