"""The list of flows in one line: `jk_reno*2:window=50,cbr:64kbit/s`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .. import _core
from ..base import commas
from ..base.errors import HeadgateError, cut, nearest
from ..base.toml import parse_value
from ..plugins import registered
from ..scenario.shorthands import shorthands
from ..scenario.subjects import divided, is_own, spelled

#: Keys of a flow that follow from its place in the list.
_SET = {"name", "from", "to", "via", "count", "first"}

#: The parameter that may be given without its name.
MAIN = {
    "cbr": "rate", "on_off": "rate", "background": "rate", "poisson": "mean", "telnet": "mean", "transfer": "bytes",
    "generic": "window", "decbit": "window",
}  # fmt: skip

#: Workloads with their own rate: without a flow control their packets are sent when they are generated.
OPEN = ("cbr", "on_off", "background", "poisson", "layers")

#: Maximum number of flows of one kind.
MOST = 400_000

GRAMMAR = "NAME[*COUNT][:KEY=VALUE,...]"


@dataclass
class Flows:
    """Equal flows, as `jk_reno*2:window=50` writes them; `back` if they run against the direction of the others."""

    name: str
    count: int = 1
    rtt: str | None = None
    label: str = ""
    entry: dict[str, Any] = field(default_factory=dict)
    back: bool = False


def parse(text: str, option: str = "--flows") -> list[Flows]:
    """The flows of a list; errors name the option that has it.

    Raises:
        HeadgateError: an entry is no flow; the error shows it.

    >>> [(f.name, f.count, f.entry) for f in parse("jk_reno*2:window=50,packet=500B, none:workload=cbr")]
    [('jk_reno', 2, {'control': {'kind': 'jk_reno', 'window': 50}, 'packet': '500B'}), ('none', 1, {'control': 'none', 'workload': 'cbr'})]
    """
    flows: list[Flows] = []
    for item in split(text, option):
        if re.match(r"[\w.]+\s*=", item):
            if not flows:
                raise HeadgateError(f"{option}: found {cut(repr(item))}; expected a flow first, as {GRAMMAR}")
            _set(flows[-1], item, option)
            continue
        head, colon, first = spelled(item, "control", option).partition(":")
        name, star, count = (part.strip() for part in head.partition("*"))
        flow = Flows(name)
        flow.entry = _start(name, option)
        if star:
            if not re.fullmatch(r"0*[1-9]\d{0,6}", count) or int(count) > MOST:
                raise HeadgateError(f"{option}: found {cut(repr(item))}; expected a number from 1 to {MOST} after *")
            flow.count = int(count)
        flows.append(flow)
        for key in (commas.split(first, option) or [""]) if colon else ():
            _set(flow, key, option)
    return flows


def is_flow(word: str) -> bool:
    """Whether a word begins with the name of a flow control or of a workload, or with a short name.

    >>> is_flow("cubic*2"), is_flow("cable")
    (True, False)
    """
    head, _ = divided(word)
    name = re.split(r"[*:,]", head)[0].strip()
    known = (shorthands(), names_of("flow-controls"), names_of("workloads"))
    # Of a file, a class or a table it is said where it is read whether there is one.
    return is_own(head) or any(name in names for names in known)


def split(text: str, option: str) -> list[str]:
    """The parts between commas; those within brackets or quotes do not count."""
    return commas.split(text, option, f"a flow, as {GRAMMAR}, or a KEY=VALUE")


@registered.cached
def names_of(name: str) -> dict[str, list[str]]:
    """The entries of a list, each with the names of its parameters."""
    entries = json.loads(_core.catalogue(name))
    return {entry["name"]: [p["name"] for p in entry["parameters"]] for entry in entries}


@cache
def _keys() -> list[str]:
    """Keys of a flow besides the parameters of its flow control or workload."""
    return [key for key in json.loads(_core.schema())["$defs"]["Flow"]["properties"] if key not in _SET]


def _start(name: str, option: str) -> dict[str, Any]:
    """The entry of a flow of this name before any parameter."""
    controls, workloads = names_of("flow-controls"), names_of("workloads")
    if name in shorthands():
        if name in registered.names():
            raise HeadgateError(
                f"{option}: found {cut(repr(name))}, a short name and a plugin; expected another name for the plugin"
            )
        return dict(json.loads(json.dumps(shorthands()[name].entry)))
    if name == "rlm":
        return {"control": name, "workload": "layers"}
    if name in controls:
        return {"control": name}
    if name in workloads:
        return {"workload": name, **({"control": "none"} if name in OPEN else {})}
    known = [*shorthands(), *controls, *workloads]
    raise HeadgateError(
        f"{option}: found {cut(repr(name))}; expected a flow control or a workload: one of {', '.join(known)}.{nearest(name, known)}"
        " One of your own is its file, such as mine.py"
    )


def _set(flow: Flows, text: str, option: str) -> None:
    """Sets a parameter of flows: `KEY=VALUE`, or the value of the main one alone."""
    short = shorthands().get(flow.name)
    what = short.key if short else "control" if flow.name in names_of("flow-controls") else "workload"
    kind = short.kind if short else flow.name
    own = names_of("flow-controls" if what == "control" else "workloads")[kind]
    # The rate of a video is that of its segments while they are sent, not that of the video.
    main = None if flow.name == "video" else MAIN.get(kind)
    key, sign, value = (part.strip() for part in text.partition("="))
    if not sign:
        if main is None or not text:
            raise HeadgateError(f"{option}: {flow.name}: found {cut(repr(text))}; expected KEY=VALUE")
        key, value = main, text
    first, dot, rest = key.partition(".")
    keys = _keys()
    if key == "rtt":
        flow.rtt = value
    elif key == "name":
        flow.label = value
    elif key in own:
        _table(flow.entry, what)[key] = parse_value(value)
    elif first in keys and not dot:
        flow.entry[key] = parse_value(value)
    elif first in keys and rest:
        _table(flow.entry, first)[rest] = parse_value(value)
    else:
        known = [*own, "rtt", "name", *keys]
        raise HeadgateError(
            f"{option}: {flow.name}: found the key {cut(repr(key))}; expected one of {', '.join(known)}.{nearest(key, known)}"
        )


def _table(entry: dict[str, Any], key: str) -> dict[str, Any]:
    """The choice under a key as a table with its kind."""
    value = entry.get(key)
    if not isinstance(value, dict):
        value = entry[key] = {} if value is None else {"kind": value}
    return value
