"""What floors of the package have for a room below them that does not know them: files in a folder that is called by their kind.

They are found by their names, and each is loaded on first use: `lab/commands/referee.py` is a command, and nothing else says so.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

PACKAGE = Path(__file__).parents[1]


class Registered(NamedTuple):
    """A module that is known by its file."""

    name: str
    file: Path

    def load(self) -> ModuleType:
        """The module."""
        return import_module(self.name)


def registered(kind: str) -> dict[str, Registered]:
    """The modules in the folders called `kind`, by their names with hyphens; none is loaded.

    >>> registered("commands")["bdp"].name
    'headgate.cli.commands.bdp'
    """
    return _registered(kind, PACKAGE)


@cache
def _registered(kind: str, package: Path) -> dict[str, Registered]:
    files = {file.stem.replace("_", "-"): file for file in package.glob(f"*/{kind}/[a-z]*.py")}
    top = __name__.partition(".")[0]
    return {
        name: Registered(".".join([top, file.parts[-3], kind, file.stem]), file) for name, file in sorted(files.items())
    }
