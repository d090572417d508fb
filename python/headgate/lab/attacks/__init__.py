"""Attacks: the scenario in which a scheme fails, searched for, made small, and checked with seeds that no search has seen."""

from __future__ import annotations

from .bounds import presets
from .finding import FoundBreak
from .run import AttackResult, Budget, attack

__all__ = ["AttackResult", "Budget", "FoundBreak", "attack", "presets"]
