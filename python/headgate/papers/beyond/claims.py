"""All predictions and readings of ours. Importing them fills the list."""

from __future__ import annotations

from . import (
    beside,
    core_cost,
    core_scale,
    core_stateless,
    core_tcp,
    first_round,
    readings,
    second_round,
    subscribers,
    tradeoff,
)
from .statements import CLAIMS

PARTS = (
    first_round,
    second_round,
    readings,
    subscribers,
    core_stateless,
    core_tcp,
    core_scale,
    core_cost,
    tradeoff,
    beside,
)

__all__ = ["CLAIMS", "PARTS"]
