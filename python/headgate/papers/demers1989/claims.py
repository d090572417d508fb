"""All claims: those that are lines of `claims.toml`, and those of the files that fill the list when they are imported."""

from __future__ import annotations

from . import fractions, game, networks, preemption, section_2
from .statements import CLAIMS

__all__ = ["CLAIMS", "fractions", "game", "networks", "preemption", "section_2"]
