"""headgate list: the algorithms, topologies and papers to choose from."""

from __future__ import annotations

from typing import Any

from ...base.catalogue import ALIASES, Choosable
from ...base.catalogue import catalogue as engine_list
from ...base.errors import HeadgateError, cut, nearest
from ...base.floors import registered
from ...base.short_names import ShortName, short_names
from .. import completing, signals
from ..command import Command, argument, option
from ..printed import Shape, key
from ..scenario_files import plugin_files
from ..show import print_json

#: The lists of the engine and their contents.
KINDS = {
    "disciplines": "queueing disciplines of links, also `queues`",
    "aqms": "active queue management: the `aqm` of a discipline",
    "flow-controls": "flow controls of flows, also `controls`",
    "workloads": "data that flows have to send",
    "short-names": "names for common flows, such as `web` and `bbr`",
    "packet-sizes": "distributions of the lengths of packets",
    "arrivals": "start times of flows that come and go",
    "distributions": "distributions of times and sizes",
    "topologies": "networks made by a rule",
    "losses": "laws by which links lose packets",
    "framings": "what links send in addition to each packet",
    "rate-traces": "rates of links that change over time",
}

#: The lists of floors, each a module with `ABOUT`, `names` and `entries`, and with `short_source` and `print_parameters` for the terminal.
MORE = registered("lists")

#: What `--json` has of an entry.
SHOWN = ("name", "source", "parameters")


class EntryJson(Shape):
    """An entry of a list."""

    name: str = key("Its name.")
    source: str = key("Where it comes from.")
    parameters: list[ParameterJson] = key("Its parameters.")


class ParameterJson(Shape):
    """A parameter."""

    name: str = key("Its name.")
    type: str = key("Its type, as the reference has it.")
    default: Any = key("Its value unless given.", always=False)
    description: str = key("What it means.")
    choices: list[Any] = key("The values that it may have.", always=False)
    meanings: list[str | None] = key("What each of them means.", always=False)
    minimum: float = key("The least value.", always=False)
    exclusiveMinimum: float = key("The value above which it has to be.", always=False)  # noqa: N815
    maximum: float = key("The greatest value.", always=False)
    exclusiveMaximum: float = key("The value below which it has to be.", always=False)  # noqa: N815


class KindJson(Shape):
    """A list."""

    name: str = key("Its name, which KIND is.")
    entries: int = key("Number of its entries.")
    description: str = key("What it has.")


class ListCommand(Command):
    """List the entries of a KIND, such as disciplines, a line each, or describe the one called NAME. Without a KIND, list the kinds."""

    group = "Look up"
    at_once = True
    page = "how-to/own-scenario"
    examples = """\
headgate list
headgate list disciplines
headgate list disciplines --long
headgate list disciplines fq
headgate list controls --json
"""
    prints = {"": list[EntryJson], "Without KIND": list[KindJson]}

    kind: str | None = argument(choices=[*KINDS, *MORE, *ALIASES], metavar="[KIND]")
    name: str | None = argument(complete=completing.entries)
    plugin: tuple[str, ...] = plugin_files()
    long: bool = option("Print whole descriptions and their sources, not a line for each entry.")
    as_json: bool = option("Print an array of {name, source, parameters}.", False, "--json")

    def run(self) -> None:
        kind = self.kind
        if kind is None:
            kinds = [{"name": k, "entries": entries_of(k), "description": what} for k, what in all_kinds().items()]
            if self.as_json:
                print_json(kinds)
                return
            with signals.loading():
                from ..tables.lists import print_kinds

            print_kinds(kinds)
            return
        kind = ALIASES.get(kind, kind)
        entries = catalogue(kind, more=not self.as_json)
        if self.name is not None:
            known = [e["name"] for e in entries]
            entries = [e for e in entries if e["name"] == self.name]
            if not entries:
                hint = nearest(self.name.lower(), known)
                raise HeadgateError(f"NAME: found {cut(repr(self.name))}; expected one of {', '.join(known)}.{hint}")
        if self.as_json:
            print_json(entries)
            return
        with signals.loading():
            from ..tables.lists import print_catalogue, print_entry

        if self.name is not None:
            print_entry(kind, entries[0])
        else:
            print_catalogue(kind, entries, self.long)


def _shown(entry: Choosable) -> dict[str, Any]:
    return {
        "name": entry.name,
        "source": entry.source,
        "parameters": [parameter.to_json() for parameter in entry.parameters],
        "summary": entry.summary,
        "deviations": list(entry.deviations),
        "gauges": list(entry.gauges),
    }


def _short(name: ShortName) -> dict[str, Any]:
    """A short name: what it stands for is its source, and `kind` the scheme among that."""
    return {
        "name": name.name,
        "source": name.source,
        "parameters": [],
        "summary": name.summary,
        "deviations": [],
        "kind": name.kind,
    }


def all_kinds() -> dict[str, str]:
    """All lists and their contents."""
    return KINDS | {name: module.load().ABOUT for name, module in MORE.items()}


def entries_of(kind: str) -> int:
    """The number of entries of a list, none of which is read if it can be helped: to read all papers takes a second."""
    if kind in MORE:
        with signals.loading():
            return len(MORE[kind].load().names())
    return len(short_names() if kind == "short-names" else engine_list(kind))


def catalogue(kind: str, more: bool = False) -> list[dict[str, Any]]:
    """A list as `{name, source, parameters}`; if `more` is set, with `summary`, `deviations`, `gauges` and `kind` where it has them."""
    if kind in MORE:
        with signals.loading():
            entries = MORE[kind].load().entries()
    elif kind == "short-names":
        entries = [_short(s) for s in short_names()]
    else:
        entries = [_shown(e) for e in engine_list(kind).values()]
    return [{k: v for k, v in entry.items() if more or k in SHOWN} for entry in entries]
