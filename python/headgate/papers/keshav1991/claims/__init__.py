"""Claims of the thesis: those that are lines of `claims.toml`, and those of the files that fill the list when they are imported."""

from __future__ import annotations

from .. import congestion
from ..chapter3 import claims as chapter_3
from ..chapter4 import claims as chapter_4
from ..chapter5 import claims as chapter_5
from ..statements import CLAIMS
from . import scenarios

PARTS = (chapter_3, chapter_4, chapter_5, scenarios, congestion)

__all__ = ["CLAIMS", "PARTS"]
