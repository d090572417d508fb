"""Which scenarios name the flow control `process`: it is registered for them. What it is, `process` says, whose libraries only it needs."""

from __future__ import annotations

from typing import Any

from ..base.errors import HeadgateError
from ..base.programs import starts_one
from . import registry, trust


def ensure(data: Any, where: str = "") -> None:
    """Registers `process` if a scenario names it. That starts no program; which ones may be started, `trusted` keeps.

    Raises:
        HeadgateError: it is registered no more: the scenario came after `seal`.
    """
    if not starts_one(data):
        return
    if registry.is_sealed() and "process" not in registry.names():
        raise HeadgateError(
            f"{where}control process: it starts a program; expected such a scenario to be given at the start"
        )
    if "process" not in registry.names():
        from .process import register

        register()


def take(table: Any) -> None:
    """As `ensure`, for a flow control that the user named: its program may be started, except for what a page sends.

    Raises:
        HeadgateError: as for `ensure`.
    """
    if not registry.is_sealed():
        trust.allow(trust.codes(table))
    ensure(table)
