"""All predictions and readings of ours. Importing them fills the list."""

from __future__ import annotations

from . import (
    blt_comparison,
    core_cost,
    core_scale,
    core_stateless,
    core_tcp,
    predictions,
    readings,
    retests,
    subscribers,
    tradeoff,
)
from .statements import CLAIMS

PARTS = (
    predictions,
    retests,
    readings,
    subscribers,
    core_stateless,
    core_tcp,
    core_scale,
    core_cost,
    tradeoff,
    blt_comparison,
)

__all__ = ["CLAIMS", "PARTS"]
