"""Modules under the paths that they had before the judges and the papers got floors of their own: found with a warning, for one release."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

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


#: Modules have moved from the one to the other: those that it has.
FORMULAS = ("analysis", "papers.formulas")


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
        found = _new(rest) if top == __name__.partition(".")[0] else None
        if found is None:
            return None
        new = f"{top}.{found}"
        _warn(name, new, 3)
        return ModuleSpec(name, _Old(new), is_package=True)  # type: ignore[arg-type]


def moved_formula(name: str) -> Any:
    """What `headgate.analysis` had under a name; a warning says where it is now.

    Raises:
        AttributeError: it never had it.
    """
    old, new = (f"{__name__.partition('.')[0]}.{place}" for place in FORMULAS)
    found = None if name.startswith("_") else getattr(importlib.import_module(new), name, None)
    if found is None:
        raise AttributeError(f"module {old!r} has no attribute {name!r}")
    _warn(f"{old}.{name}", f"{new}.{name}", 4)
    return found


def _new(old: str) -> str | None:
    """Where a module is now, both without the name of the package; None if it has not moved."""
    room, _, inner = old.partition(".")
    if room == FORMULAS[0] and inner:
        # Without pathlib, which `import headgate` would load for this alone.
        file = os.path.join(os.path.dirname(__file__), "..", *FORMULAS[1].split("."), f"{inner}.py")  # noqa: PTH118, PTH120
        return f"{FORMULAS[1]}.{inner}" if os.path.isfile(file) else None  # noqa: PTH113
    if old in MOVED or room not in MOVED:
        return MOVED.get(old)
    return f"{MOVED[room]}.{inner}" if inner else MOVED[room]


def _warn(old: str, new: str, depth: int) -> None:
    warnings.warn(f"{old} is {new} now; the old path is gone in the next release", DeprecationWarning, depth)
