"""Studies: many variants of a scenario, each run several times, on one machine or a cluster."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .parts import gather
    from .study import Study, open_study
    from .sweep import Sweep

__all__ = ["Study", "Sweep", "gather", "open_study"]

#: The modules of the names of this package, loaded on first use: a worker needs none of them, and none of their libraries.
_LAZY = {"Study": "study", "Sweep": "sweep", "gather": "parts", "open_study": "study"}


def __getattr__(name: str) -> object:
    if name in _LAZY:
        return getattr(importlib.import_module(f".{_LAZY[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
