"""Unknowns: what a paper's text leaves open, as levels that each set something in a scenario."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

#: An option of the transport of every flow that says something of its transport.
_TRANSPORT = re.compile(r"transport\.(\w+)")

#: A place that belongs to every flow control or discipline of a kind: `control.jk_tahoe.deviations`, `queue.fq.charge_drops`.
_OF_KIND = re.compile(r"(control|queue)\.(\w+)\.(.+)")


@dataclass(frozen=True)
class Level:
    """A value that an unknown may have: its name, its prior probability, and the paths that it sets; none are set by the default."""

    name: str
    prior: float
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class Unknown:
    """Something that the text of a paper leaves open. The level numbered `default` is the folder's, `text` that of the text alone."""

    name: str
    about: str
    allowed: str
    levels: tuple[Level, ...]
    default: int
    text: int
    is_range: bool = False
    items: str = "*"
    rows: str = "*"

    def fits(self, item: str, row: str) -> bool:
        """Whether it can change a variant of an item, as far as its patterns say."""
        return _any(self.items, item) and _any(self.rows, row)

    def settings(self, level: int, scenario: Mapping[str, Any]) -> dict[str, Any]:
        """The paths that a level sets in a scenario; empty where the scenario has nothing of the kind that it speaks about."""
        out: dict[str, Any] = {}
        for path, value in self.levels[level].sets.items():
            out |= dict.fromkeys(_paths(path, scenario), value)
        return out


#: A level for each unknown, by name; what is not there has its default.
Setting = Mapping[str, int]


def _any(patterns: str, name: str) -> bool:
    return any(fnmatchcase(name, p) for p in patterns.split("|"))


def _paths(path: str, scenario: Mapping[str, Any]) -> list[str]:
    """The paths of a scenario that a path of an unknown stands for.

    >>> scenario = {"flows": [{"name": "a", "control": {"kind": "reno"}}, {"name": "b", "control": "none"}]}
    >>> _paths("control.reno.window", scenario), _paths("control.vegas.alpha", scenario), _paths("phase", scenario)
    (['flows.a.control.window'], [], [])
    >>> _paths("queue.fq.delta", {"topology": {"kind": "dumbbell", "line": {"queue": {"kind": "fq"}}}})
    ['topology.line.queue.delta']
    >>> _paths("transport.min_timeout", {"flows": [{"name": "a"}, {"name": "b", "transport": {"preset": "linux"}}]})
    ['flows.b.transport.min_timeout']
    """
    if path == "phase":
        return []
    if of := _TRANSPORT.fullmatch(path):
        return [f"flows.{f['name']}.{path}" for f in scenario.get("flows", []) if "transport" in f]
    if (of := _OF_KIND.fullmatch(path)) is None:
        return [path]
    part, kind, parameter = of.groups()
    group = "flows" if part == "control" else "links"
    places = {f"{group}.{e['name']}": e for e in scenario.get(group, []) if "name" in e}
    if group == "links":
        places |= {f"topology.{k}": e for k, e in scenario.get("topology", {}).items() if isinstance(e, Mapping)}
    return [f"{place}.{part}.{parameter}" for place, entry in places.items() if _kind(entry.get(part)) == kind]


def _kind(choice: object) -> object:
    return choice.get("kind") if isinstance(choice, dict) else choice
