"""A look at a scenario without running its code: the engine is told the names that its plugins seem to have, and no more.

What such a name stands for is not known then: its parameters are neither checked nor completed.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from .. import _core
from ..base.catalogue import LISTS, catalogue
from ..base.errors import HeadgateError
from . import registry, trust

#: A decorator of a plugin, and one with the name that it gives, as files in Python have them.
_DECORATOR = re.compile(r"^@(?:\w{1,50}\.){0,3}(control|discipline)\b", re.M)
_NAMED = re.compile(_DECORATOR.pattern + r"\(\s{0,200}(?:name\s?=\s?)?[\"'](\w{1,64})[\"']\s{0,200}[,)]", re.M)

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,63}", re.ASCII)

#: Of the names that stand for code which is not run, how many look at them now.
_stubs: Counter[str] = Counter()
_lock = threading.Lock()


@contextmanager
def looking(data: Any) -> Iterator[None]:
    """The engine knows the names of the code that a scenario has, and is not allowed to run, for a while."""
    codes = [code for code in trust.codes(data) if code.command is None and not code.allowed]
    names = _names(data, {code.place for code in codes}) if codes else {}
    with _lock:
        for name, kind in names.items():
            if not _stubs[name]:
                _stub(name, kind)
            _stubs[name] += 1
    try:
        yield
    finally:
        with _lock:
            for name in names:
                _stubs[name] -= 1
                # Meanwhile it may have been loaded.
                if not _stubs[name] and name not in registry.names():
                    _core.unregister(name)
            if names:
                registry.changed()


def _names(data: Any, places: set[str]) -> dict[str, str]:
    """The names that the engine does not know, each with `control` or `discipline`."""
    found: dict[str, str] = {}
    clear = True
    for i, entry in enumerate(data["plugins"]):
        if f"plugins[{i}]" in places:
            source = entry["source"] if isinstance(entry, dict) else ""
            own = _NAMED.findall(source)
            found |= {name: kind for kind, name in own}
            clear = clear and bool(own) and len(own) == len(_DECORATOR.findall(source))
    if not clear:
        # Modules, shared objects and computed names cannot be read: whatever is not known may be theirs.
        found |= dict(_used(data))
    known = {kind: _known(kind) for kind in ("control", "discipline")}
    return {name: kind for name, kind in found.items() if _NAME.fullmatch(name) and name not in known[kind]}


def _known(kind: str) -> set[str]:
    return {name for name in catalogue(LISTS[kind]) if name not in _stubs or not _stubs[name]}


def _used(value: Any) -> Iterator[tuple[str, str]]:
    """The names that a scenario has in the places of flow controls and disciplines."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, inner in value.items():
                parts = str(key).removesuffix(".kind").split(".")
                if parts[-1] in ("control", "queue"):
                    kind = "control" if parts[-1] == "control" else "discipline"
                    for each in inner if isinstance(inner, list) else [inner]:
                        name = each.get("kind") if isinstance(each, dict) else each
                        if isinstance(name, str):
                            yield name, kind
                waiting.append(inner)
        elif isinstance(value, list):
            waiting += value


def _stub(name: str, kind: str) -> None:
    """Registers a name whose parameters are taken as they are."""

    def refuse(*_: object) -> NoReturn:
        raise HeadgateError(f"{name}: its code was not allowed to run")

    schema = json.dumps({"type": "object", "properties": {}})
    said = registry.Described(name, "the scenario", "Code that was not run.", schema, "{}", lambda text: text)
    if kind == "control":
        _core.register_control(said, refuse, [], [], "ack", "none", True)
    else:
        _core.register_discipline(said, refuse, [], False, True)
    registry.changed()


def unread(data: Any) -> str:
    """What a look at a scenario leaves unchecked, in a sentence; nothing if it has no code that was not run."""
    left = [code for code in trust.codes(data) if not code.allowed]
    files: Sequence[str] = [f"{code.place} ({code.what})" for code in left if code.command is None]
    programs: Sequence[str] = [f"{code.place} ({code.what})" for code in left if code.command is not None]
    parts = []
    if files:
        parts.append(
            f"{' and '.join(files)} {'was' if len(files) == 1 else 'were'} not run, since a look at a scenario runs no code of it: the "
            "parameters of what it has are neither checked nor completed here"
        )
    if programs:
        parts.append(f"{' and '.join(programs)} {'was' if len(programs) == 1 else 'were'} not started")
    return "; ".join(parts)
