"""All predictions and readings of ours."""

from __future__ import annotations

from ..claims import Claims
from . import first_round, readings, second_round

CLAIMS = Claims()
for _part in (first_round, second_round, readings):
    CLAIMS.all.extend(_part.CLAIMS.all)
