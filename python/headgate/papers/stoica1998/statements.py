"""The list of the paper's claims, which their files fill."""

from __future__ import annotations

from ..claims import Claims

#: What the paper says: see `claims.toml`.
CLAIMS = Claims(__file__)
claim = CLAIMS.claim
