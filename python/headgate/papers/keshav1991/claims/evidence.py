"""Claims about all scenarios together; the other statements of sections 6.7 and 7.3 are rows of the evidence."""

from __future__ import annotations

from ...claims import Result, Runs
from ..evidence.requirements import busy
from ..statements import claim


@claim("C5-23")
def _c5_23(runs: Runs) -> Result:
    return busy(runs)
