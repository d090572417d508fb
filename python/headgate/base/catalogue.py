"""The lists of algorithms, and the schema of scenario files, from Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .. import _core
from .errors import HeadgateError, cut, nearest
from .notebook import heading, table

#: The lists of the engine, by the names of `headgate list`.
KINDS = (
    "disciplines",
    "aqms",
    "flow-controls",
    "workloads",
    "packet-sizes",
    "arrivals",
    "distributions",
    "topologies",
    "losses",
    "framings",
    "rate-traces",
)

#: Other names of lists.
ALIASES = {"controls": "flow-controls", "queues": "disciplines"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of an entry: its name, its type as the reference writes it, its default as in a scenario file, its meaning."""

    name: str
    type: str
    default: object
    description: str


@dataclass(frozen=True)
class Choosable:
    """An entry of a list: its name in scenario files, what it does, its source, its parameters, its deviations from the source."""

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    deviations: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Choosable({self.name}: {self.summary})"

    def _repr_html_(self) -> str:
        rows = [
            (p.name, p.type, "" if p.default is None else json.dumps(p.default), p.description) for p in self.parameters
        ]
        found = table(("parameter", "type", "default", "meaning"), rows, len(rows), most=len(rows)) if rows else ""
        return heading(self.name, f"{self.summary} Source: {self.source}") + found


class Catalogue(Mapping[str, Choosable]):
    """A list by the names of its entries."""

    def __init__(self, kind: str, entries: Mapping[str, Choosable]) -> None:
        """Takes the entries by name."""
        self.kind = kind
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Choosable:
        if name not in self._entries:
            known = ", ".join(self._entries)
            raise HeadgateError(
                f"{self.kind}: found {cut(repr(name))}; expected one of {known}.{nearest(str(name), self._entries)}"
            )
        return self._entries[name]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Catalogue({self.kind}: {', '.join(self)})"

    def _repr_html_(self) -> str:
        rows = [(e.name, e.summary, ", ".join(p.name for p in e.parameters)) for e in self.values()]
        return table(("name", "what it does", "parameters"), rows, len(rows), self.kind, len(rows))


def catalogue(kind: str) -> Catalogue:
    """A list of what a scenario can name: `disciplines`, `flow-controls` (or `controls`), `workloads`, `topologies` ...

    Raises:
        HeadgateError: there is no such list.

    >>> list(catalogue("disciplines"))[:3], catalogue("controls")["cubic"].name
    (['fcfs', 'fq', 'wfq'], 'cubic')
    >>> next(p.default for p in catalogue("disciplines")["red"].parameters if p.name == "buffer")
    '100pkt'
    """
    name = ALIASES.get(kind, kind)
    if name not in KINDS:
        raise HeadgateError(f"list {cut(repr(kind))}; expected one of {', '.join(KINDS)}.{nearest(kind, KINDS)}")
    entries = [
        Choosable(
            e["name"],
            e["summary"],
            e["source"],
            tuple(Parameter(p["name"], p.get("type", ""), p.get("default"), p["description"]) for p in e["parameters"]),
            tuple(e["deviations"]),
        )
        for e in json.loads(_core.catalogue(name))
    ]
    return Catalogue(name, {e.name: e for e in entries})


def schema() -> dict[str, object]:
    """The JSON Schema of scenario files, by which editors complete and check them.

    >>> schema()["title"], sorted(schema()["properties"])[:3]
    ('headgate scenario', ['description', 'duration', 'events'])
    """
    found: dict[str, object] = json.loads(_core.schema())
    return found
