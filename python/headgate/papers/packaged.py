"""Which papers the package has, known without loading any of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folders() -> list[Path]:
    """The folders of the papers."""
    return [place for place in Path(__file__).parent.iterdir() if place.joinpath("paper.toml").is_file()]


def called(folder: Traversable) -> str:
    """The name of a paper of the package: that of its folder, with hyphens, which Python's modules cannot have."""
    return folder.name.replace("_", "-")


def list_papers() -> list[str]:
    """Names of the papers in the package, sorted."""
    return sorted(map(called, folders()))
