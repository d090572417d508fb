"""All claims: those that are lines of `claims.toml`, and those of the files that fill the list when they are imported."""

from __future__ import annotations

from . import layers, other_links, theory
from .statements import CLAIMS

PARTS = (layers, other_links, theory)

__all__ = ["CLAIMS", "PARTS"]
