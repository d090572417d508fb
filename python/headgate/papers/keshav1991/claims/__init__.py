"""Claims of the thesis as predicates, one file per scenario; those of studies stand in their folders."""

from __future__ import annotations

from ...claims import Claims
from ..chapter3 import claims as chapter_3
from ..chapter4 import claims as chapter_4
from ..chapter5 import claims as chapter_5
from . import evidence, scenario_1, scenario_2, scenario_3, scenario_4, scenario_5, scenario_6, scenario_7, scenario_8

CLAIMS = Claims()
_SCENARIOS = (scenario_1, scenario_2, scenario_3, scenario_4, scenario_5, scenario_6, scenario_7, scenario_8)
for _part in (chapter_3, chapter_4, chapter_5, *_SCENARIOS, evidence):
    CLAIMS.all.extend(_part.CLAIMS.all)
