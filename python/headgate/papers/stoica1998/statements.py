"""The list of the paper's claims, which their files fill, and what its lines measure beside the metrics of `paper.toml`."""

from __future__ import annotations

from ..claims import Claims, Runs
from ..formulas.csfq import csfq_chain
from ..measure import Floats
from . import measures as m

#: What the paper says: see `claims.toml`.
CLAIMS = Claims(__file__)
claim = CLAIMS.claim

CLAIMS.measure("correlation")(m.correlation)


@CLAIMS.measure("without relabelling")
def _chain(_runs: Runs, _variant: str) -> Floats:
    """What UDP flows over one, two and both links of table 4 are to get without relabelling, in Mbit/s."""
    return csfq_chain([10, 10], [[0, 1], [0, 1], [1]], [10, 10, 10], relabel=False)
