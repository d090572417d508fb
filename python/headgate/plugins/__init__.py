"""Flow controls and disciplines of one's own, written in Python: defined, loaded, called by the engine under their names.

A class with the calls of the engine's own, and its parameters as typed fields:

>>> import headgate
>>> @headgate.control("my_aimd", source="Chiu and Jain 1989")
... class Aimd:
...     '''The window grows by a packet a round trip and is halved by a loss.'''
...     increase: float = headgate.parameter(1.0, min=0.001, max=1000, doc="Packets by which the window grows in a round trip.")
...     def on_ack(self, ack):
...         if not ack.recovering and ack.limited:
...             self.window += self.increase * ack.credit / self.window
...     def on_loss(self, loss):
...         self.window = max(self.window / 2, 2)
>>> [p.name for p in headgate.catalogue("controls")["my_aimd"].parameters]
['increase']
>>> headgate.plugins.forget("my_aimd")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .calls import set_limit
from .define import control, discipline
from .load import (
    Entry,
    ensure,
    ensure_allowed,
    ensure_given,
    ensure_text,
    example,
    filled,
    filled_from,
    forget,
    kinds,
    load,
    take,
    unload,
    used,
)
from .parameters import parameter
from .registry import seal, sealed
from .trust import CodeError, allow_program

__all__ = [
    "CodeError",
    "Duration",
    "Entry",
    "Rate",
    "Size",
    "allow_program",
    "control",
    "discipline",
    "ensure",
    "ensure_allowed",
    "ensure_given",
    "ensure_text",
    "example",
    "filled",
    "filled_from",
    "forget",
    "kinds",
    "load",
    "parameter",
    "seal",
    "sealed",
    "set_limit",
    "take",
    "unload",
    "used",
]

if TYPE_CHECKING:
    from .parameters import Duration, Rate, Size
else:

    def __getattr__(name: str) -> Any:
        # With them comes pydantic, which only a plugin needs.
        if name in ("Duration", "Rate", "Size"):
            from . import parameters

            return getattr(parameters, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
