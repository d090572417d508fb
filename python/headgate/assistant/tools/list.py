"""The tool `list`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...base.catalogue import ALIASES
from ...cli.commands.list import KINDS, all_kinds, catalogue, entries_of
from ...cli.tables.lists import first_sentence, print_kinds
from ...cli.terminal import captured
from ..answers import WIDTH, Answer
from ..arguments import Schema
from ..calls import Call
from ..tool import Tool

#: Lists whose entries are sorts of paths, which `quick` has, and not of `headgate list`.
PRESETS = "presets"


class ListTool(Tool):
    """What there is to choose from."""

    name = "list"
    title = "List schemes"
    about = (
        "Lists what a scenario can name, each entry with a line: queueing disciplines, AQMs, flow controls (congestion controls), "
        "workloads, topologies, laws of loss, rate traces, and so on. Without `kind` it lists the lists. `explain` describes an entry."
    )

    @property
    def properties(self) -> Mapping[str, Schema]:
        kinds = [*KINDS, *ALIASES, PRESETS, "papers"]
        return {"kind": {"type": "string", "enum": kinds, "description": "Which list."}}

    def answer(self, given: Mapping[str, Any], call: Call) -> Answer:
        """Names, and what each is."""
        kind = given.get("kind")
        if kind is None:
            kinds = [{"name": k, "entries": entries_of(k), "description": what} for k, what in all_kinds().items()]
            with captured(WIDTH) as text:
                print_kinds(kinds)
            return Answer(text.getvalue().partition("\nheadgate list")[0], {"kinds": kinds}, "headgate list")
        if kind == PRESETS:
            from ...quick import PRESETS as SORTS

            rows = [(p.name, f"{p.options}: {first_sentence(p.what)}") for p in SORTS.values()]
            command = "headgate quick --presets"
        else:
            rows = [(e["name"], first_sentence(e["summary"])) for e in catalogue(ALIASES.get(kind, kind), more=True)]
            command = f"headgate list {kind}"
        width = max(len(name) for name, _ in rows)
        lines = [f"{name:<{width}}  {what}" for name, what in rows]
        return Answer("\n".join(lines), {"kind": kind, "names": [name for name, _ in rows]}, command)
