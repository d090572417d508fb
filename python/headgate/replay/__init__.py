"""Replays: a recorded trace through one or several queueing disciplines."""

from __future__ import annotations

from ..callable import make_callable
from .result import Replay
from .run import replay

__all__ = ["Replay", "replay"]

make_callable(__name__, replay)
