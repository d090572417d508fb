"""The list of flows in one line: `jk_reno*2:window=50,cbr:64kbit/s`."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .. import _core
from ..base import commas
from ..base.catalogue import in_layers, parameter_names
from ..base.documents import parse_value
from ..base.errors import HeadgateError, cut, nearest, unknown
from ..base.short_names import shorthands
from ..base.typed import same_name
from ..plugins import registry
from ..scenario.subjects import divided, is_own, spelled
from .amounts import quantity, with_unit
from .services import service

#: Keys of a flow that follow from its place in the list.
_SET = {"name", "from", "to", "via", "count", "first"}

#: Tables of a flow whose keys may stand without them.
_TABLES = ("transport", "receiver")

#: Values of those keys as people write them.
_SWITCH = {"on": True, "off": False}

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
    """Equal flows, as `jk_reno*2:window=50` writes them.

    Attributes:
        name: of a flow control, a workload or a short name.
        count: how many.
        rtt: their own round trip.
        label: their name in the results.
        entry: as a file has it.
        back: whether they run against the direction of the others.
        stop: when they end.
    """

    name: str
    count: int = 1
    rtt: str | None = None
    label: str = ""
    entry: dict[str, Any] = field(default_factory=dict)
    back: bool = False
    stop: str | None = None


def parse(text: str, option: str = "--flows") -> list[Flows]:
    """The flows of a list; errors name the option that has it.

    Raises:
        HeadgateError: an entry is no flow; the error shows it.

    >>> [(f.name, f.count, f.entry) for f in parse("jk_reno*2:window=50,packet=500B, none:workload=cbr")]
    [('jk_reno', 2, {'control': {'kind': 'jk_reno', 'window': 50}, 'packet': '500B'}), ('none', 1, {'control': 'none', 'workload': 'cbr'})]
    >>> parse("cubic:ecn=on,initial_window=32,every=2")[0].entry
    {'control': 'cubic', 'transport': {'ecn': True, 'initial_window': 32}, 'receiver': {'every': 2}}
    >>> [(f.name, f.count) for f in parse("2*BBR,3 x NewReno,TCP Cubic x2")]
    [('bbr', 2), ('newreno', 3), ('cubic', 2)]
    """
    flows: list[Flows] = []
    strange: dict[str, None] = {}
    for item in split(text, option):
        if re.match(r"[\w.]+\s*=", item):
            if not flows:
                raise HeadgateError(f"{option}: found {cut(repr(item))}; expected a flow first, as {GRAMMAR}")
            # Nothing is known of the parameters of a flow that nobody knows.
            if not strange:
                _set(flows[-1], item, option)
            continue
        head, colon, first = spelled(item, "control", option).partition(":")
        written, count = counted(head)
        name = name_of(written)
        flow = Flows(name or written)
        flows.append(flow)
        if name is None:
            strange[written] = None
            continue
        flow.entry = _start(name, option)
        flow.back = name in shorthands() and shorthands()[name].up
        if count is not None:
            if not re.fullmatch(r"0*[1-9]\d{0,6}", count) or int(count) > MOST:
                raise HeadgateError(f"{option}: found {cut(repr(item))}; expected a number from 1 to {MOST} after *")
            flow.count = int(count)
        for key in (commas.split(first, option) or [""]) if colon and not strange else ():
            _set(flow, key, option)
    if strange:
        raise HeadgateError(f"{option}: {strangers(list(strange))}")
    return flows


def counted(head: str) -> tuple[str, str | None]:
    """A flow's name and its number, if there is one: `cubic*2`, `2*cubic`, `2x cubic` and `cubic x2` are two.

    >>> counted("cubic*2"), counted("2x cubic"), counted("cubic x2"), counted("cubic")
    (('cubic', '2'), ('cubic', '2'), ('cubic', '2'), ('cubic', None))
    >>> counted("cubic(2)"), counted("2cubic"), counted("20ms")
    (('cubic', '2'), ('cubic', '2'), ('20ms', None))
    """
    before = re.fullmatch(r"\s*(\d{1,9})\s*[*x×]\s*(\D.*)", head, re.IGNORECASE | re.DOTALL)
    if before is not None:
        return before[2].strip(), before[1]
    after = re.fullmatch(r"(.*?[^\s])(?:\s*×\s*|\s+x\s*)(\d{1,9})\s*", head, re.IGNORECASE | re.DOTALL)
    if after is not None:
        return after[1].strip(), after[2]
    within = re.fullmatch(r"\s*([\w+-]+)\s*\(\s*(\d{1,9})\s*\)\s*", head)
    if within is not None:
        return within[1], within[2]
    together = re.fullmatch(r"\s*(\d{1,3})([A-Za-z]\w+)\s*", head)
    if together is not None and name_of(together[2]) is not None:
        return together[2], together[1]
    name, star, count = (part.strip() for part in head.partition("*"))
    return name, count if star else None


def name_of(written: str) -> str | None:
    """The name here of a flow control, a workload or a short name, in any letters; None if there is none.

    >>> name_of("NewReno"), name_of("BBRv3"), name_of("Fortnite"), name_of("cubik")
    ('newreno', 'bbr3', 'game', None)
    """
    known = all_names()
    return written if written in known else service(written) or same_name(written, list(known))


def all_names() -> dict[str, None]:
    """Short names, flow controls and workloads."""
    return dict.fromkeys([*shorthands(), *parameter_names("flow-controls"), *parameter_names("workloads")])


def strangers(names: list[str]) -> str:
    """What is said of names that are no flows: all of them, hints first."""
    known = all_names()
    own = "One of your own is its file, such as mine.py"
    expected = f"a flow control or a workload: one of {', '.join(known)}. {own}"
    if len(names) == 1:
        return unknown(names[0], expected, known)
    found = " ".join(f"{cut(repr(name))}{hint if (hint := nearest(name, known)) else '.'}" for name in names)
    return f"found {found} Expected for each {expected}"


def is_flow(word: str) -> bool:
    """Whether a word begins with the name of a flow control or of a workload, or with a short name.

    >>> is_flow("cubic*2"), is_flow("2xBBR"), is_flow("home")
    (True, True, False)
    """
    head, _ = divided(word)
    # Of a file, a class or a table it is said where it is read whether there is one.
    return is_own(head) or name_of(counted(re.split(r"[:,]", word)[0])[0]) is not None


def split(text: str, option: str) -> list[str]:
    """The parts between commas; those within brackets or quotes do not count."""
    return commas.split(text, option, f"a flow, as {GRAMMAR}, or a KEY=VALUE")


@cache
def _keys() -> list[str]:
    """Keys of a flow besides the parameters of its flow control or workload."""
    return [key for key in json.loads(_core.schema())["$defs"]["Flow"]["properties"] if key not in _SET]


@cache
def _within() -> dict[str, str]:
    """The keys of the tables of a flow that say how losses are repaired and what is acknowledged, each with its table."""
    parts = json.loads(_core.schema())["$defs"]
    places = {table: parts["Flow"]["properties"][table]["anyOf"][0]["$ref"].rsplit("/", 1)[1] for table in _TABLES}
    return {key: table for table in reversed(_TABLES) for key in parts[places[table]]["properties"]}


def _start(name: str, option: str) -> dict[str, Any]:
    """The entry of a flow of this name before any parameter."""
    if name in shorthands():
        if name in registry.names():
            raise HeadgateError(
                f"{option}: found {cut(repr(name))}, a short name and a plugin; expected another name for the plugin"
            )
        return shorthands()[name].entry
    if in_layers(name):
        return {"control": name, "workload": "layers"}
    if name in parameter_names("flow-controls"):
        return {"control": name}
    return {"workload": name, **({"control": "none"} if name in OPEN else {})}


def _set(flow: Flows, text: str, option: str) -> None:
    """Sets a parameter of flows: `KEY=VALUE`, or the value of the main one alone."""
    short = shorthands().get(flow.name)
    what = short.key if short else "control" if flow.name in parameter_names("flow-controls") else "workload"
    kind = short.kind if short else flow.name
    own = parameter_names("flow-controls" if what == "control" else "workloads")[kind]
    # The rate of a video is that of its segments while they are sent, not that of the video.
    main = None if flow.name == "video" else MAIN.get(kind)
    key, sign, value = (part.strip() for part in text.partition("="))
    if not sign:
        if main is None or not text:
            raise HeadgateError(f"{option}: {flow.name}: found {cut(repr(text))}; expected KEY=VALUE")
        key, value = main, text
    keys = _keys()
    if key not in own and key not in keys and key in _within():
        key = f"{_within()[key]}.{key}"
    first, dot, rest = key.partition(".")
    value = with_unit(key, value)
    if key in ("start", "stop") and re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value):
        value = f"{value}s"
    if key == "rtt":
        flow.rtt = value
    elif key == "stop":
        quantity(f"{option}: {flow.name}: stop", value, "s")
        flow.stop = value
    elif key == "name":
        flow.label = value
    elif key in own:
        _table(flow.entry, what)[key] = parse_value(value)
    elif first in keys and not dot:
        flow.entry[key] = parse_value(value)
    elif first in keys and rest:
        switched = _SWITCH.get(value) if first in _TABLES else None
        _table(flow.entry, first)[rest] = parse_value(value) if switched is None else switched
    else:
        known = [*own, "rtt", "name", "stop", *keys, *_within()]
        raise HeadgateError(f"{option}: {flow.name}: key {unknown(key, 'one of ' + ', '.join(known), known)}")


def _table(entry: dict[str, Any], key: str) -> dict[str, Any]:
    """The choice under a key as a table with its kind."""
    value = entry.get(key)
    if not isinstance(value, dict):
        value = entry[key] = {} if value is None else {"kind": value}
    return value
