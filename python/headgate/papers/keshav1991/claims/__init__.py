"""Claims of the thesis as predicates, one file per scenario; those of studies stand in their folders. Importing them fills the list."""

from __future__ import annotations

from .. import congestion
from ..chapter3 import claims as chapter_3
from ..chapter4 import claims as chapter_4
from ..chapter5 import claims as chapter_5
from ..statements import CLAIMS
from . import evidence, scenario_1, scenario_2, scenario_3, scenario_4, scenario_5, scenario_6, scenario_7, scenario_8

SCENARIOS = (scenario_1, scenario_2, scenario_3, scenario_4, scenario_5, scenario_6, scenario_7, scenario_8)
PARTS = (chapter_3, chapter_4, chapter_5, *SCENARIOS, evidence, congestion)

__all__ = ["CLAIMS", "PARTS"]
