"""Which plugins are registered, and by which file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from .. import _core
from ..base import catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Described:
    """What the engine is told of a plugin: its name, where it comes from, what it does, its parameters and what reads them."""

    name: str
    source: str
    summary: str
    schema: str
    defaults: str
    read: Callable[[str], Any]


@dataclass
class File:
    """A file or module that registers plugins: its name, a key of its contents, and what registers each of its plugins again."""

    name: str
    key: str
    plugins: dict[str, Callable[[], None]] = field(default_factory=dict)
    #: Of each plugin, whether it is a `control` or a `discipline`.
    kinds: dict[str, str] = field(default_factory=dict)


#: The files that are being read, the innermost last.
_reading: list[File] = []

#: Of each registered name the key of its file.
_owner: dict[str, str] = {}

#: Of each module, the plugins that its import defined, each with its class: a second import does nothing.
_defined: dict[str, dict[str, tuple[str, Callable[[], None], str]]] = {}

#: What empties the caches that hold a list of the engine.
_caches: list[Callable[[], None]] = []


def cached(function: Callable[P, T]) -> Callable[P, T]:
    """Keeps what a function makes of the engine's lists until a plugin comes or goes."""
    kept = cache(function)
    _caches.append(kept.cache_clear)
    return cast(Callable[P, T], kept)


def changed() -> None:
    """The engine's lists have changed."""
    catalogue.changed()
    for clear in _caches:
        clear()


@contextmanager
def reading(file: File) -> Iterator[None]:
    """What is registered meanwhile is of this file."""
    _reading.append(file)
    try:
        yield
    finally:
        _reading.pop()


def origin() -> str:
    """The name of the file that is being read."""
    return _reading[-1].name if _reading else "this session"


def add(name: str, kind: str, register: Callable[[], None], cls: type | None = None) -> None:
    """Registers a plugin, in the place of one of the same name; `cls` is its class."""
    module, own = ("", "") if cls is None else (cls.__module__, cls.__qualname__)
    _defined.setdefault(module, {})[name] = (kind, register, own)
    _register(name, register)
    _owner[name] = _reading[-1].key if _reading else ""
    if _reading:
        _reading[-1].plugins[name] = register
        _reading[-1].kinds[name] = kind


def of_class(cls: object, file: File) -> None:
    """Gives a file the plugins that the import of a class's module defined, now or before; what it is asked for is the class alone."""
    file.kinds.clear()
    if not isinstance(cls, type):
        return
    for name, (kind, register, own) in _defined.get(cls.__module__, {}).items():
        file.plugins.setdefault(name, register)
        if own == cls.__qualname__:
            file.kinds[name] = kind


def again(file: File) -> None:
    """Registers the plugins of a file again, as far as another file has taken their names."""
    for name, register in file.plugins.items():
        if _owner.get(name) != file.key:
            _register(name, register)
            _owner[name] = file.key


def _register(name: str, register: Callable[[], None]) -> None:
    _core.unregister(name)
    try:
        register()
    finally:
        changed()


def remove(name: str) -> None:
    """Removes a plugin."""
    _core.unregister(name)
    changed()
    _owner.pop(name, None)


def names() -> list[str]:
    """All registered names."""
    return sorted(_owner)


#: Nothing that was not loaded by then is loaded any more.
_sealed = False

#: Its attribute `on`: the same, for what this thread does now.
_here = threading.local()


def seal() -> None:
    """From now on no further code is loaded: what others send to this program may name plugins that it has, and no others."""
    global _sealed
    _sealed = True


@contextmanager
def sealed() -> Iterator[None]:
    """As `seal`, for a while."""
    global _sealed
    before, _sealed = _sealed, True
    try:
        yield
    finally:
        _sealed = before


@contextmanager
def sealed_here() -> Iterator[None]:
    """As `sealed`, for this thread alone: for a request of a page whose process goes on with its own work."""
    before, _here.on = getattr(_here, "on", False), True
    try:
        yield
    finally:
        _here.on = before


def is_sealed() -> bool:
    """Whether no further code is loaded."""
    return _sealed or getattr(_here, "on", False)
