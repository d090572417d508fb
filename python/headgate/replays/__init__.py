"""Replays: a recorded trace through one or several queueing disciplines."""

from __future__ import annotations

from .result import Replay
from .run import replay

__all__ = ["Replay", "replay"]
