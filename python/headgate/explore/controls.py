"""The controls of a scenario: which values the page shows, and what follows when one is changed."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .. import _core
from .._core import ScenarioError
from ..base.catalogue import catalogue, has_transport
from ..base.errors import HeadgateError
from ..scenario.scenario import Scenario, tables_at
from .fields import Node, amount, branch, control, deref, kinds, node, optional, written

#: Tables of a scenario that may be a name alone, with the schema of what they are.
CHOICES = {
    "queue": ("Link", "queue"),
    "reverse_queue": ("Link", "queue"),
    "control": ("Flow", "control"),
    "workload": ("Flow", "workload"),
    "topology": ("", "topology"),
    "loss": ("Link", "loss"),
    "aqm": ("Aqm",),
}

#: Tables that a link or a flow need not have, with the schema of their keys, and which of those are controls.
OPTIONAL = {
    "jitter": ("Jitter", ("mean", "law", "reorder")),
    "transport": ("Options", ("preset", "recovery", "ecn", "initial_window", "min_timeout")),
    "receiver": ("Policy", ("every", "delay", "blocks")),
}

#: Maximum number of flows and of links whose controls are there.
ENTRIES = 24

#: The lists of those whose cards say which of their parameters the page shows first.
_LISTS = {
    "queue": "disciplines", "control": "flow-controls", "workload": "workloads", "loss": "losses", "aqm": "aqms",
}  # fmt: skip


def controls(scenario: Scenario) -> list[dict[str, Any]]:
    """All controls; those with `main` first in each group.

    Raises:
        ScenarioError: something in the scenario is wrong.
    """
    found = [c for c in _all(scenario) if c is not None]
    return sorted(found, key=lambda c: ("Network", "Queue", "Flows", "Run").index(c["group"]))


def _all(scenario: Scenario) -> Iterator[dict[str, Any] | None]:
    base = scenario.base()
    data, whole = base.data, base.resolve()
    yield from _topology(data, whole)
    yield from _links(data, whole)
    yield from _flows(data, whole)
    noise = node("", "hosts", "noise")
    value = whole.get("hosts", {}).get("noise", noise["default"])
    yield control("hosts.noise", "host noise", "Run", noise, value, main=True)
    for key in ("duration", "seed", "warm_up", "interval", "routing"):
        yield control(key, _words(key), "Run", node("", key), whole[key], main=key in ("duration", "seed"))


def _topology(data: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    given = data.get("topology")
    if given is None:
        return
    table = given if isinstance(given, dict) else {"kind": given}
    chosen = branch(node("", "topology"), table.get("kind", ""))
    if chosen is None:
        return
    for key, schema in chosen["properties"].items():
        if key in ("hosts", "gateways", "hops", "k", "seed", "degree", "sinks", "through"):
            value = table.get(key, deref(schema).get("default"))
            yield control(f"topology.{key}", _words(key), "Network", schema, value, main=key == "hosts")
        elif key in ("line", "access", "exit") and (key == "line" or isinstance(table.get(key), dict)):
            line = {**(deref(schema).get("default") or {}), **table.get(key, {})}
            yield from _link(f"topology.{key}", "link" if key == "line" else key, node("Line"), line, key == "line")


def _links(data: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    given = data.get("links", [])
    gateways = {n["name"] for n in whole["nodes"] if n["kind"] == "gateway"}
    rates = {i: _slowest(link) for i, link in enumerate(given) if str(link.get("from")) in gateways}
    least = min((r for r in rates.values() if r is not None), default=None)
    places = sorted(range(len(given)), key=lambda i: rates.get(i) != least)
    for i in sorted(places[:ENTRIES]):
        main = least is not None and rates.get(i) == least
        yield from _link(f"links.{_entry(given, i)}", _title(given[i], "link"), node("Link"), given[i], main)


def _slowest(link: Mapping[str, Any]) -> float | None:
    given = link.get("rate")
    if isinstance(given, dict):
        given = given.get("forward", given.get("reverse"))
    try:
        return _core.quantity(given)[2] if isinstance(given, str) else None
    except ValueError:
        return None


def _link(path: str, title: str, schema: Node, link: Mapping[str, Any], main: bool) -> Iterator[dict[str, Any] | None]:
    properties = deref(schema)["properties"]
    for key in ("rate", "delay"):
        value = link.get(key, deref(properties[key]).get("default"))
        if _by_direction(value):
            for direction, part in value.items():
                yield control(
                    f"{path}.{key}.{direction}", f"{title}: {key}, {direction}", "Network", properties[key], part, main
                )
        else:
            yield control(f"{path}.{key}", f"{title}: {key}", "Network", properties[key], value, main)
    if not _by_direction(link.get("loss")):
        yield from _or_none(path, "loss", title, "Network", link.get("loss"), main)
    if not _by_direction(link.get("jitter")):
        yield from _optional(path, "jitter", title, "Network", link.get("jitter"))
    yield from choice(path, "queue", title, "Queue", link.get("queue"), main)
    if link.get("reverse_queue") is not None:
        yield from choice(path, "reverse_queue", title, "Queue", link["reverse_queue"], False)
    value = link.get("classify", deref(properties["classify"]).get("default"))
    yield control(f"{path}.classify", f"{title}: conversations", "Queue", properties["classify"], value)


def _by_direction(value: Any) -> bool:
    """Whether a value of a link is given for each direction."""
    return isinstance(value, dict) and bool(value) and set(value) <= {"forward", "reverse"}


def _or_none(path: str, key: str, title: str, group: str, given: Any, main: bool) -> Iterator[dict[str, Any] | None]:
    """A table with a kind that need not be there, as random losses of a link: then only the choice of a kind is there."""
    schema = node(*CHOICES[key])
    first = {"kind": kinds(schema)[0]["value"]}
    kind, *parameters = choice(path, key, title, group, first if given is None else given, main)
    if kind is None:
        return
    choices = [{"value": None, "label": "none", "help": ""}, *kind["choices"]]
    if given is None:
        yield kind | {"choices": choices, "value": None, "help": deref(schema).get("description")}
    else:
        yield kind | {"choices": choices}
        yield from parameters


def _optional(path: str, key: str, title: str, group: str, given: Any) -> Iterator[dict[str, Any] | None]:
    """The keys of a table that need not be there."""
    name, keys = OPTIONAL[key]
    for each in keys:
        value = (given or {}).get(each)
        yield optional(f"{path}.{key}.{each}", f"{title}: {key}, {_words(each)}", group, node(name, each), value)


def _flows(data: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[dict[str, Any] | None]:
    given = data.get("flows", [])
    for i, flow in enumerate(given[:ENTRIES]):
        path, title = f"flows.{_entry(given, i)}", _title(flow, "flow")
        yield from choice(path, "control", title, "Flows", flow.get("control"), True)
        yield from choice(path, "workload", title, "Flows", flow.get("workload"), False)
        for key, main in (
            ("weight", True),
            ("start", True),
            ("count", True),
            ("packet", False),
            ("start_spread", False),
            ("priority", False),
        ):
            schema = node("Flow", key)
            value = flow.get(key, schema.get("default"))
            if value is not None:
                found = control(f"{path}.{key}", f"{title}: {_words(key)}", "Flows", schema, value, main)
                if found is not None and key == "start":
                    end = amount(whole["duration"]) or 1.0
                    found |= {"from": 0.0, "to": end, "step": end / 200, "log": False}
                yield found
        if has_transport(str(_table("control", flow.get("control")).get("kind"))):
            for key in ("transport", "receiver"):
                yield from _optional(path, key, title, "Flows", flow.get(key))


def choice(path: str, key: str, title: str, group: str, given: Any, main: bool) -> Iterator[dict[str, Any] | None]:
    """A table with a kind: the choice of the kind, and the parameters of that kind.

    `path` is that of the table around it, and `title` its name; both may be empty.
    """
    prefix, label = f"{path}." if path else "", f"{title}: " if title else ""
    schema = node(*CHOICES[key])
    table = _table(key, given)
    chosen = branch(schema, str(table.get("kind")))
    if chosen is None:
        return
    words = {"queue": "discipline", "reverse_queue": "discipline of the path back", "control": "flow control"}
    word = "active queue management" if key == "aqm" else words.get(key, key)
    yield {
        "path": f"{prefix}{key}.kind", "label": f"{label}{word}", "group": group, "kind": "choice", "value": table["kind"],
        "number": None, "unit": None, "low": None, "high": None, "from": None, "to": None, "log": False, "step": None,
        "choices": kinds(schema), "help": chosen.get("description"), "main": main or key == "workload",
    }  # fmt: skip
    first = _shown_first(key, table["kind"])
    for name, parameter in chosen["properties"].items():
        if name == "kind":
            continue
        if name == "aqm":
            yield from _aqm(f"{prefix}{key}", title, group, deref(parameter).get("default"), table.get(name), main)
            continue
        value = table.get(name, deref(parameter).get("default"))
        shown_first = name in first and (main or key == "workload")
        yield control(f"{prefix}{key}.{name}", f"{label}{_words(name)}", group, parameter, value, shown_first)


def _shown_first(key: str, kind: str) -> tuple[str, ...]:
    """The parameters of a kind that the page shows first, as its card says."""
    known = catalogue(_LISTS[key]) if key in _LISTS else {}
    return known[kind].main if kind in known else ()


def _aqm(path: str, title: str, group: str, default: Any, given: Any, main: bool) -> Iterator[dict[str, Any] | None]:
    """The AQM of a discipline: none if it is not given, or that which the discipline has by default."""
    if default is None:
        yield from _or_none(path, "aqm", title, group, given, main)
        return
    table = _table("aqm", given)
    same = table.get("kind", default["kind"]) == default["kind"]
    yield from choice(path, "aqm", title, group, {**default, **table} if same else table, main)


def _table(key: str, given: Any) -> dict[str, Any]:
    """What has a kind, or need not be there, as a table; the default if it is not given."""
    if given is None and key in CHOICES:
        given = node(*CHOICES[key]).get("default")
    if isinstance(given, str):
        return {"kind": given}
    return dict(given) if isinstance(given, dict) else {}


def _entry(entries: list[Any], i: int) -> str:
    """How a path names an entry: by its name if that is plain and the only one, by its position otherwise."""
    names = [e.get("name") if isinstance(e, dict) else None for e in entries]
    name = names[i]
    plain = isinstance(name, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", name) and names.count(name) == 1
    return str(name) if plain else str(i)


def _title(entry: Mapping[str, Any], what: str) -> str:
    name = entry.get("name") or (f"{entry.get('from')} to {entry.get('to')}" if what == "link" else what)
    return re.sub(r"\{[^{}]*\}", "*", str(name))[:60]


def _words(key: str) -> str:
    return {"start_spread": "spread of the start", "warm_up": "warm-up", "count": "number of flows"}.get(
        key, key.replace("_", " ")
    )


def value_at(scenario: Scenario, path: str) -> Any:
    """The value that a scenario has at a path; None if it gives none."""
    parts = path.split(".")
    try:
        found = tables_at(copy.deepcopy(scenario.data), parts[:-1], path)
    except HeadgateError:
        found = []
        if len(parts) > 1 and parts[-2] in CHOICES:
            above = tables_at(copy.deepcopy(scenario.data), parts[:-2], path)
            found = [_table(parts[-2], table.get(parts[-2])) for table in above]
    return found[0].get(parts[-1]) if found else None


def with_value(scenario: Scenario, path: str, value: Any) -> Scenario:
    """The scenario with one value changed, as by `--set`; a number stands for a quantity in the control's unit.

    A new kind keeps the parameters that it shares with the old one.

    Raises:
        HeadgateError: the path names no entry.
        ScenarioError: the value does not fit.
    """
    parts = path.split(".")
    ready = Scenario(copy.deepcopy(scenario.data), scenario.origin)
    for depth, part in enumerate(parts[:-1]):
        if part in (*CHOICES, *OPTIONAL):
            for parent in tables_at(ready.data, parts[:depth], path):
                parent[part] = _table(part, parent.get(part))
        if part == "line" and parts[:depth] == ["topology"]:
            for parent in tables_at(ready.data, parts[:depth], path):
                default = deref(branch(node("", "topology"), parent.get("kind", "")) or {})
                line = deref(default.get("properties", {}).get("line", {})).get("default") or {}
                parent.setdefault("line", copy.deepcopy(line))
    if value is None and len(parts) > 2 and parts[-2] in ("loss", "aqm", *OPTIONAL):
        changed = _without(ready, parts)
        changed.resolve()
        return changed
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = _number(ready, path, value)
    if len(parts) < 2 or parts[-1] != "kind" or parts[-2] not in CHOICES or not isinstance(value, str):
        changed = ready.set(path, value)
        changed.resolve()
        return changed
    return _new_kind(ready, parts, value)


def _number(scenario: Scenario, path: str, value: float) -> Any:
    """A number as the scenario writes it: a quantity where the control is one."""
    unit = next((c["unit"] for c in _all(scenario) if c is not None and c["path"] == path), None)
    if unit is not None:
        try:
            return written(value, unit)
        except HeadgateError as e:
            raise HeadgateError(f"{path}: {e}") from None
    return value


def _without(scenario: Scenario, parts: list[str]) -> Scenario:
    """The scenario without a value that need not be given, and without the table around it if nothing else stands there."""
    for parent in tables_at(scenario.data, parts[:-2], ".".join(parts)):
        kept = {k: v for k, v in parent[parts[-2]].items() if k != parts[-1]}
        if kept and parts[-1] != "kind":
            parent[parts[-2]] = kept
        else:
            del parent[parts[-2]]
    return scenario


def _new_kind(scenario: Scenario, parts: list[str], kind: str) -> Scenario:
    chosen = branch(node(*CHOICES[parts[-2]]), kind)
    known = set() if chosen is None else set(chosen["properties"])
    changed = Scenario(scenario.data, scenario.origin)
    for parent in tables_at(changed.data, parts[:-2], ".".join(parts)):
        before = parent[parts[-2]]
        parent[parts[-2]] = {k: v for k, v in before.items() if k in known} | {"kind": kind}
    try:
        changed.resolve()
    except ScenarioError:
        # A parameter of the same name may mean something else: the defaults of the new kind then.
        changed = Scenario(json.loads(changed.to_json()), scenario.origin)
        for parent in tables_at(changed.data, parts[:-2], ".".join(parts)):
            parent[parts[-2]] = {"kind": kind}
        changed.resolve()
    return changed
