"""All predictions and readings of ours. Importing them fills the list."""

from __future__ import annotations

from . import first_round, readings, second_round, subscribers
from .statements import CLAIMS

PARTS = (first_round, second_round, readings, subscribers)

__all__ = ["CLAIMS", "PARTS"]
