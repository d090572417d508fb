"""The list of our predictions and readings, which their files fill."""

from __future__ import annotations

from ..claims import Claims

#: What we say: see `claims.toml`.
CLAIMS = Claims(__file__)
claim = CLAIMS.claim
