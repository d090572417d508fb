"""Which commands there are: a file each in the folder `commands` of a floor, and those that other packages have as entry points."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import HeadgateError, brief
from ..base.floors import registered
from . import signals
from .command import Command, missing, to_click

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: What floors call the folder with their commands.
FOLDER = "commands"
#: The entry points of other packages: `name = "module:Class"`.
ENTRIES = "headgate.commands"
#: The help and the heading of a command in its file.
HEAD = re.compile(r'^class \w+\(Command\):\n    """(.*?)"""\n.*?^    group = "([^"]*)"$', re.M | re.S)


class Found(MutableMapping[str, click.Command]):
    """Commands by their names. A command is loaded when it is asked for."""

    def __init__(self) -> None:
        self._loaded: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._loaded:
            self._loaded[name] = _load(name)
        return self._loaded[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._loaded[name] = command

    def __delitem__(self, name: str) -> None:
        del self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from sorted({*own_names(), *_entries(), *self._loaded})

    def __len__(self) -> int:
        return len(list(iter(self)))

    def listed(self) -> dict[str, click.Command]:
        """All commands, as far as a list of them shows them: their help, and the headings under which they are.

        What their files say is read without loading them, which would take a fifth of `headgate --help`.
        """
        own, found = registered(FOLDER), dict[str, click.Command]()
        for name in self:
            unloaded = name in own and name not in self._loaded
            head = HEAD.search(own[name].file.read_text("utf-8")) if unloaded else None
            if head is None:
                found[name] = self[name]
            else:
                found[name] = click.Command(name, help=head[1])
                found[name].group = head[2]  # type: ignore[attr-defined]
        return found


def own_names() -> list[str]:
    """The names of the commands of headgate."""
    return list(registered(FOLDER))


def class_of(name: str) -> type[Command]:
    """The class of a command of headgate."""
    with signals.loading():
        module = registered(FOLDER)[name].load()
    (found,) = (c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Command) and c is not Command)
    return found


def name_of(command: type[Command]) -> str:
    """The name of a command of headgate: that of its file."""
    return command.__module__.rpartition(".")[2].replace("_", "-")


def _load(name: str) -> click.Command:
    if name in own_names():
        return to_click(class_of(name), name)
    entry = _entries().get(name)
    if entry is None:
        raise KeyError(name)
    try:
        found = entry.load()
        if not (isinstance(found, type) and issubclass(found, Command)):
            raise TypeError(f"found {found!r}; expected a class that is a headgate.cli.command.Command")
        if lacking := missing(found):
            raise TypeError(f"found no {' and no '.join(lacking)}")
        return to_click(found, name)
    except Exception as e:
        # Other commands work all the same, and so does `--help`.
        return _unusable(name, entry, e)


def _entries() -> dict[str, EntryPoint]:
    """The commands of other packages; a command of headgate cannot be replaced."""
    if not _declared():
        return {}
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=ENTRIES) if entry.name not in own_names()}


def _declared() -> bool:
    """Whether an installed package has a command: what reads entry points takes 35 ms to load, a fifth of `headgate --help`."""
    for place in sys.path:
        for file in Path(place).glob("*-info/entry_points.txt"):
            with suppress(OSError):
                if ENTRIES.encode() in file.read_bytes():
                    return True
    return False


def _unusable(name: str, entry: EntryPoint, error: Exception) -> click.Command:
    """Stands for a command of another package that cannot be loaded."""
    text = f"{name}: {entry.value} of another package cannot be loaded as a command: {brief(str(error))}"

    def call(**_: Any) -> None:
        raise HeadgateError(text)

    anything = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    return click.Command(
        name, callback=call, params=[anything], help=text, context_settings={"ignore_unknown_options": True}
    )
