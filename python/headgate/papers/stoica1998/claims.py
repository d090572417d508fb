"""All claims. Importing their files fills the list."""

from __future__ import annotations

from . import layers, mechanisms, one_link, other_links, theory
from .statements import CLAIMS

PARTS = (layers, mechanisms, one_link, other_links, theory)

__all__ = ["CLAIMS", "PARTS"]
