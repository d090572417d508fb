"""The lists of algorithms, and the schema of scenario files, from Python."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

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

#: The lists of what a user names or writes as a plugin, by what it is.
LISTS = {"control": "controls", "discipline": "disciplines"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of an entry.

    Attributes:
        name: in scenario files.
        type: as the reference writes it.
        default: as in a scenario file.
        description: its meaning.
        choices: the values that it may have, if they are a list.
        meanings: what each of them means, if that is said.
        minimum, exclusiveMinimum, maximum, exclusiveMaximum: its bounds, under their names in a JSON Schema.
    """

    name: str
    type: str
    default: object
    description: str
    choices: tuple[object, ...] | None = None
    meanings: tuple[str | None, ...] | None = None
    minimum: float | None = None
    exclusiveMinimum: float | None = None  # noqa: N815
    maximum: float | None = None
    exclusiveMaximum: float | None = None  # noqa: N815

    def to_json(self) -> dict[str, object]:
        """As `headgate list --json` prints it: what is not said of it is left out, but for its default."""
        known = {f.name: getattr(self, f.name) for f in sorted(fields(self), key=lambda f: f.name)}
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in known.items()}
        return {key: value for key, value in plain.items() if value is not None or key in ("default", "description")}


@dataclass(frozen=True)
class Sentence:
    """A sentence to the numbers with which a discipline or an AQM decides about a packet.

    Attributes:
        text: with names of numbers in braces.
        leaves: whether the numbers are those of its departure; otherwise those of its arrival.
        place: 0 if it is said before those of an AQM and its scheduler, 2 if after them.
        when: numbers that have to be above zero, or, where this is false, have not to be.
        outcomes: what may have become of the packet; anything if there is none.
    """

    text: str
    leaves: bool
    place: int
    when: tuple[tuple[str, bool], ...]
    outcomes: tuple[str, ...]


@dataclass(frozen=True)
class Choosable:
    """An entry of a list.

    Attributes:
        name: in scenario files.
        summary: what it does.
        source: where it was published.
        parameters: what can be set.
        deviations: from the source.
        plugin: whether it is none of headgate's own.
        family: what it belongs to among those of its list, if anything.
        aliases: other names under which it is known.
        gauges: of a discipline, what the table `gauges` has of it.
        does: of a discipline or an AQM, what it does with its defaults: `marks`, `weights`, `priorities`, `labels`, `rounds by rate`.
        work_conserving: of a discipline, whether it sends whenever the line is free and a packet waits.
        priorities: the priority that it serves best, and the one that it serves worst.
        transport: of a flow control, whether a flow may say how the transport serves it.
        marked: whether packets of a flow with this control may be marked that says nothing of it.
        by_delay: whether it slows down as the delay of its packets grows.
        layers: whether its receiver joins and leaves layers, of which the workload of that name is made.
        preset: the transport's preset that it has by itself.
        recovery: how its losses are found and repaired by itself.
        kept: options of the transport that belong to it, where a preset would change them.
        main: parameters that a page shows first, because they are changed most often.
        says: of a discipline and of an AQM, sentences to the numbers with which it decides.
        order: of a discipline, the number by which waiting packets leave, the smallest first.
    """

    name: str
    summary: str
    source: str
    parameters: tuple[Parameter, ...]
    deviations: tuple[str, ...] = ()
    plugin: bool = False
    family: str = ""
    aliases: tuple[str, ...] = ()
    gauges: tuple[str, ...] = ()
    does: frozenset[str] = frozenset()
    work_conserving: bool = True
    priorities: tuple[int, int] | None = None
    transport: bool = False
    marked: bool = False
    by_delay: bool = False
    layers: bool = False
    preset: str = "rfc"
    recovery: str = ""
    kept: Mapping[str, object] = field(default_factory=dict)
    main: tuple[str, ...] = ()
    says: tuple[Sentence, ...] = ()
    order: str | None = None

    def takes(self, parameter: str) -> bool:
        """Whether it has a parameter of this name."""
        return any(own.name == parameter for own in self.parameters)

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

    @cached_property
    def _parameters(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the parameters of each entry."""
        return {name: tuple(p.name for p in entry.parameters) for name, entry in self.items()}

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
    known = _known.get(name)
    if known is None or known[0] != _changes:
        # What changes while the list is read makes it be read again.
        known = _known[name] = (_changes, _read(name))
    return known[1]


#: Of each list the number of changes before it was read, and its entries.
_known: dict[str, tuple[int, Catalogue]] = {}

#: How often an entry came or went.
_changes = 0


def changed() -> None:
    """A plugin came or went: the lists are read again when they are asked for."""
    global _changes
    _changes += 1


def _read(name: str) -> Catalogue:
    """The only place that reads the engine's lists."""
    said: list[dict[str, Any]] = json.loads(_core.catalogue(name))
    entries = [Choosable(**{key: _TYPES.get(key, _same)(value) for key, value in e.items()}) for e in said]
    return Catalogue(name, {e.name: e for e in entries})


def _same(value: Any) -> Any:
    return value


def _sentence(said: Mapping[str, Any]) -> Sentence:
    when = tuple((name, holds) for name, holds in said["when"])
    return Sentence(said["text"], said["leaves"], said["place"], when, tuple(said["outcomes"]))


def _parameter(said: dict[str, Any]) -> Parameter:
    lists: dict[str, Any] = {key: tuple(said[key]) for key in ("choices", "meanings") if key in said}
    return Parameter(**{**said, **lists})


#: What becomes of lists that the engine says of an entry.
_TYPES: Mapping[str, Callable[[Any], Any]] = {
    "parameters": lambda said: tuple(map(_parameter, said)),
    "deviations": tuple,
    "aliases": tuple,
    "gauges": tuple,
    "does": frozenset,
    "priorities": tuple,
    "main": tuple,
    "says": lambda said: tuple(map(_sentence, said)),
}


def is_own(name: str, kind: str) -> bool:
    """Whether a flow control (`control`) or a discipline of this name is one of headgate's own, and no plugin.

    >>> is_own("cubic", "control"), is_own("cubic", "discipline")
    (True, False)
    """
    known = catalogue(LISTS[kind])
    return name in known and not known[name].plugin


def has_transport(control: str) -> bool:
    """Whether a flow with this control may say how the transport serves it.

    >>> has_transport("cubic"), has_transport("none"), has_transport("no such")
    (True, False, False)
    """
    known = catalogue("flow-controls")
    return control in known and known[control].transport


def of_family(family: str) -> tuple[str, ...]:
    """The flow controls of a family.

    >>> of_family("cubic-window")
    ('cubic', 'cubic_linux')
    """
    return tuple(name for name, entry in catalogue("flow-controls").items() if entry.family == family)


def preset_of(control: str) -> str:
    """The transport's preset that a flow control has by itself; empty for one without a transport.

    >>> preset_of("cubic"), preset_of("cubic_linux"), preset_of("none")
    ('rfc', 'linux', '')
    """
    return catalogue("flow-controls")[control].preset if has_transport(control) else ""


def in_layers(control: str) -> bool:
    """Whether a flow control's receiver joins and leaves layers.

    >>> in_layers("rlm"), in_layers("cubic")
    (True, False)
    """
    known = catalogue("flow-controls")
    return control in known and known[control].layers


def is_marked(control: str) -> bool:
    """Whether a flow control has marks of its own: by itself, or with its parameter `l4s`.

    >>> [name for name in catalogue("controls") if is_marked(name)]
    ['decbit', 'dctcp', 'prague', 'scream']
    """
    known = catalogue("flow-controls")
    return control in known and not known[control].plugin and (known[control].marked or known[control].takes("l4s"))


def shapes(discipline: str) -> bool:
    """Whether a discipline holds packets to a rate of its own, if it is given one.

    >>> [name for name in catalogue("disciplines") if shapes(name)]
    ['cake', 'tbf']
    """
    entry = catalogue("disciplines").get(discipline)
    return entry is not None and not entry.plugin and not entry.work_conserving and entry.takes("rate")


def parameter_names(kind: str) -> Mapping[str, tuple[str, ...]]:
    """The names of the parameters of each entry of a list.

    >>> parameter_names("disciplines")["fcfs"]
    ('aqm', 'buffer')
    """
    return catalogue(kind)._parameters


def columns() -> list[dict[str, Any]]:
    """The columns of all tables, as the engine describes them: `table`, `name`, `unit`, `kind`, `type`, `help`."""
    found: list[dict[str, Any]] = json.loads(_core.catalogue("columns"))
    return found


def schema() -> dict[str, object]:
    """The JSON Schema of scenario files, by which editors complete and check them.

    >>> schema()["title"], sorted(schema()["properties"])[:3]
    ('headgate scenario', ['description', 'duration', 'events'])
    """
    found: dict[str, object] = json.loads(_core.schema())
    return found
