"""The recorded streams of events."""

from __future__ import annotations

import gzip
from pathlib import Path


def read(name: str) -> str:
    """The text of a stream: one event a line."""
    with gzip.open(Path(__file__).parent / "streams" / f"{name}.jsonl.gz", "rt") as file:
        return file.read()
