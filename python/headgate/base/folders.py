"""Files that a scenario names: a scenario may be from anybody, so that they have to be where they are allowed to be."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from .errors import HeadgateError, cut


class OutsideError(HeadgateError):
    """A scenario names a file that lies elsewhere; `file` is that file, and `where` the place that names it."""

    def __init__(self, where: str, name: str, file: Path) -> None:
        """Takes the place, the name as the scenario has it, and the file."""
        self.where, self.file = where, file
        super().__init__(_elsewhere(where, name))


def _elsewhere(where: str, name: str) -> str:
    return (
        f"{where}: found {cut(repr(name))}; expected a file in the folder of the scenario, or in one that --allow-files DIR "
        "(in Python, allow_files=[...]) allows"
    )


def resolved(folder: Path, allowed: Iterable[str | os.PathLike[str]] = ()) -> list[Path]:
    """The folder of a scenario and those that are allowed besides, with links followed."""
    return [Path(place).resolve() for place in (folder, *allowed)]


def within(folder: Path, name: str, folders: list[Path], where: str) -> Path:
    """The file of a name, with links followed; the error about a file elsewhere does not tell whether it exists.

    Args:
        folder: of the scenario.
        name: of the file, as the scenario has it.
        folders: where it may be, as `resolved` gives them.
        where: begins the text of the error.

    Raises:
        OutsideError: it is elsewhere.
        HeadgateError: the name is none of a file.
    """
    try:
        file = (folder / name).resolve()
        inside = any(file.is_relative_to(place) for place in folders)
    except (OSError, ValueError, RuntimeError):
        # Too long a name, a null byte, or a circle of links.
        raise HeadgateError(_elsewhere(where, name)) from None
    if not inside:
        raise OutsideError(where, name, file)
    return file
