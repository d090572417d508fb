"""Which of the copies of a function runs: as it stands, or one of its mutants. `run.py` writes an import of this into each mutated file."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

MutantDict = dict[str, Callable[..., Any]]

#: Module and mangled name of each function that was called.
called: set[tuple[str, str]] = set()


def switch(copies: MutantDict, is_classmethod: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A function that calls the copy that was chosen, else the one as it stands."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **options: Any) -> Any:
            original = copies["_mutmut_orig"]
            called.add((function.__module__, original.__name__.removesuffix("_orig")))
            chosen = copies.get("chosen", original)
            # Copies of a class method are bound already.
            return chosen(*args[1:], **options) if is_classmethod else chosen(*args, **options)

        return call

    return wrap


def choose(module: str, mutant: str) -> None:
    """Switches one mutant on."""
    copies = getattr(sys.modules[module], f"mutants_{mutant.rpartition('_')[0]}")
    copies["chosen"] = copies[mutant]


def forget() -> None:
    """Empties the caches, in which answers of the function as it stands may be."""
    for name, module in list(sys.modules.items()):
        if name.startswith("headgate."):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
