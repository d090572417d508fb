"""Claims about all scenarios together; the other statements of sections 6.7 and 7.3 are rows of the evidence."""

from __future__ import annotations

from ...claims import Claims, Runs
from ..evidence.requirements import busy
from .names import Result

CLAIMS = Claims()


@CLAIMS.claim(
    "C5-23",
    "evidence",
    "With packet-pair and FQ no bottleneck is ever idle: busy 98 % of the time or more in all scenarios",
)
def _c5_23(runs: Runs) -> Result:
    return busy(runs)
