"""Which engine this is."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from .. import __version__, _core


@cache
def build() -> str:
    """Which engine this is: its version, and a digest of its binary."""
    return f"{__version__} {hashlib.sha256(Path(_core.__file__).read_bytes()).hexdigest()}"
