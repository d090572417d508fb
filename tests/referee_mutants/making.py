"""Short forms in which the second and the third list write their mutants."""

from __future__ import annotations

from typing import Any

from .mutants import Mutant

GROSS, SUBTLE, PART = "gross", "subtle", "part"


def edited(
    base: str, size: str, name: str, rule: str, why: str, *edits: tuple[str, str], also: tuple[str, ...] = ()
) -> Mutant:
    """A control in Python with lines replaced."""
    (old, new), *more = edits
    return Mutant(f"{base} {name}", base, rule, old, new, more=tuple(more), also=also, size=size, why=why)


def tuned(base: str, size: str, name: str, rule: str, why: str, *, also: tuple[str, ...] = (), **table: Any) -> Mutant:
    """A control of the engine with other parameters."""
    return Mutant(f"{base} {name}", f"+{base}", rule, table=table, also=also, size=size, why=why)


def over(base: str, size: str, name: str, rule: str, why: str, *, also: tuple[str, ...] = (), **keys: Any) -> Mutant:
    """A control of the engine over another transport."""
    return Mutant(f"{base} {name}", f"+{base}", rule, transport=keys, also=also, size=size, why=why)
