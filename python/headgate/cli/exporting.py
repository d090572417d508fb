"""Writes runs in the formats of other programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..results.results import Results


def write_exports(results: Results, places: Mapping[str, Path], max_memory: str | None) -> list[Path]:
    """Writes the files, with a bar that shows how far they are; gives their names."""
    from ..exports import write
    from .terminal import progress

    with progress(f"writing {', '.join(places)}") as callback:
        return write(results, **places, progress=callback, max_memory=max_memory)
