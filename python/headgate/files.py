"""Files written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Gives the name of a temporary file beside `path`, which takes its place when the block ends without an exception.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic(Path(folder) / "a.txt") as file:
    ...         _ = file.write_text("whole")
    ...     sorted(p.name for p in Path(folder).iterdir())
    ['a.txt']

    Raises:
        OSError: the folder cannot be made or written to.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes a text file, whole or not at all."""
    with atomic(path) as file:
        file.write_text(text, "utf-8")
