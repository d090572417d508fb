"""All predictions and readings of ours. Importing them fills the list."""

from __future__ import annotations

from . import beside, core_stateless, first_round, readings, second_round, subscribers, tradeoff
from .statements import CLAIMS

PARTS = (first_round, second_round, readings, subscribers, core_stateless, tradeoff, beside)

__all__ = ["CLAIMS", "PARTS"]
