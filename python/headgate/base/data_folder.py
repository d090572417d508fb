"""A folder of files that are data: of a paper, or of lessons."""

from __future__ import annotations

from importlib.resources.abc import Traversable
from typing import Any

from .documents import document
from .errors import HeadgateError, cut, nearest
from .forms import Table
from .text import decoded

#: No file is longer than this many bytes.
LONGEST = 8_000_000


class DataFolder:
    """The files of a folder. `title` is what errors call it, and `holds` what a file of it is."""

    #: What is raised.
    error: type[HeadgateError] = HeadgateError

    def __init__(self, root: Traversable, title: str, holds: str) -> None:
        """Takes the folder."""
        self.root = root
        self.title = title
        self.holds = holds

    def origin(self, file: str) -> str:
        """What errors call a file."""
        return f"{self.title}/{file}"

    def has(self, file: str) -> bool:
        """Whether there is such a file."""
        return self.root.joinpath(file).is_file()

    def text(self, file: str, needed_by: str = "") -> str:
        """The text of a file.

        Raises:
            HeadgateError: there is none, or it cannot be read; `needed_by` is the file and the place that name it.
        """
        where = f"{needed_by}: " if needed_by else ""
        path = self.root.joinpath(file)
        if not path.is_file():
            names = [f.name for f in self.root.iterdir() if f.is_file()] if self.root.is_dir() else []
            hint = nearest(file, names)
            raise self.error(f"{where}found no file {cut(self.origin(file))}; expected one{hint and '.' + hint}")
        try:
            with path.open("rb") as f:
                raw = f.read(LONGEST + 1)
        except OSError as e:
            raise self.error(f"{self.origin(file)}: cannot be read; {e.strerror or e}") from None
        if len(raw) > LONGEST:
            raise self.error(f"{self.origin(file)}: expected a file of at most {LONGEST // 1_000_000} MB")
        return decoded(raw, self.origin(file), self.error)

    def toml(self, file: str, needed_by: str = "") -> Table:
        """The contents of a TOML file.

        Raises:
            HeadgateError: there is none, or it is no TOML; the error names the line.
        """
        try:
            found: dict[str, Any] = document(self.text(file, needed_by), self.origin(file), self.holds)
        except HeadgateError as e:
            raise e if isinstance(e, self.error) else self.error(str(e)) from None
        return found
