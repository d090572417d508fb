"""Modules under the paths that they had before the judges and the papers got floors of their own: found with a warning, for one release."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType

#: Where a room of the package is now, by where it was.
MOVED = {
    **{
        room: f"lab.{room}"
        for room in (
            "attacks",
            "conformance",
            "contracts",
            "evaluation",
            "games",
            "matrix",
            "referee",
            "training",
        )
    },
    "inference": "papers.inference",
    # The module of the referee that its page named, which all judges use.
    "referee.subjects": "lab.frame.subjects",
}


class _Old:
    """Loads the module of the new path in the place of the old one."""

    def __init__(self, new: str) -> None:
        self.new = new

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = importlib.import_module(self.new)


class OldPaths:
    """A finder of old paths, the first of `sys.meta_path`."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The module of an old path; a warning says the new one."""
        top, _, rest = name.partition(".")
        room, _, inner = rest.partition(".")
        if top != __name__.partition(".")[0] or room not in MOVED:
            return None
        new = f"{top}.{MOVED.get(rest) or MOVED[room] + ('.' if inner else '') + inner}"
        warnings.warn(f"{name} is {new} now; the old path is gone in the next release", DeprecationWarning, 2)
        return ModuleSpec(name, _Old(new), is_package=True)  # type: ignore[arg-type]
