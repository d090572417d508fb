"""The list of the claims, which their files fill."""

from __future__ import annotations

from ..claims import Claims

#: What the paper states: see `claims.toml`.
CLAIMS = Claims(__file__)
claim = CLAIMS.claim
