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


def short(one: str) -> str:
    """A build in a sentence.

    >>> short("0.1.0 0123456789abcdef")
    '0.1.0 01234567'
    """
    version, _, digest = one.partition(" ")
    return f"{version} {digest[:8]}"
