"""Claims of the thesis as predicates, one file per scenario; those of studies stand in their folders."""

from __future__ import annotations

from ...claims import Claims
from ..beyond import claims as beyond
from ..beyond import second_round
from ..chapter3 import claims as chapter_3
from ..chapter4 import claims as chapter_4
from ..chapter5 import claims as chapter_5
from . import scenario_1, scenario_2, scenario_3, scenario_4, scenario_5, scenario_6

CLAIMS = Claims()
for _part in (
    chapter_3, chapter_4, chapter_5, scenario_1, scenario_2, scenario_3, scenario_4, scenario_5, scenario_6,
    beyond, second_round,
):  # fmt: skip
    CLAIMS.all.extend(_part.CLAIMS.all)
for _id, _item, _text in (
    (
        "K7",
        "scenario-7",
        "Long delay: G and DEC/DEC do badly, JK/FQ is nearly fair, FQbit and packet-pair reach the fair share",
    ),
    ("K8", "scenario-8", "Unequal delays: JK is unfair to the long source, packet-pair nearly fair and lossless"),
):
    CLAIMS.later(_id, _item, _text, "not reproduced yet")
