"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import HeadgateError


@contextmanager
def atomic(path: str | os.PathLike[str], durable: bool = False) -> Iterator[Path]:
    """Gives the name of a temporary file beside `path`, which takes its place when the block ends without an exception.

    If it is to be `durable`, the file is on the disk before it takes its place: not even a crash of the machine leaves half of it.

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
    # The name is known before the file is made: Ctrl-C may arrive as soon as it exists.
    temporary = target.parent / f".{target.name}.{secrets.token_hex(4)}"
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        yield temporary
        temporary.chmod(0o644)
        if durable:
            _sync(temporary)
        temporary.replace(target)
        if durable:
            _sync(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def require_place(path: str | os.PathLike[str]) -> None:
    """Whether a file can be written there, checked before long work; the folder is not made.

    >>> require_place("nowhere/a.svg")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: nowhere/a.svg: cannot be written; expected a folder that exists, found no nowhere

    Raises:
        HeadgateError: the folder is missing or cannot be written to, or the path is that of a folder.
    """
    target = Path(path)
    folder = target.parent
    try:
        # What cannot be looked up, such as a name that is too long, cannot be written either.
        there, taken = _stat(folder), _stat(target)
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
    if there is None:
        raise HeadgateError(f"{path}: cannot be written; expected a folder that exists, found no {folder}")
    if taken is not None and stat.S_ISDIR(taken.st_mode):
        raise HeadgateError(f"{path}: expected a file, found a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise HeadgateError(f"{path}: cannot be written; the folder {folder} does not permit it")


def require_folder(path: str | os.PathLike[str], what: str) -> None:
    """Whether files can be written into a folder, which may not be there yet, checked before long work; nothing remains of the check.

    `what` begins the text of an error.

    >>> require_folder("/dev/null", "--out")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: --out /dev/null: expected a folder, found a file

    Raises:
        HeadgateError: it is a file, or cannot be made or written to.
    """
    folder = Path(path)
    try:
        if folder.exists() and not folder.is_dir():
            raise HeadgateError(f"{what} {folder}: expected a folder, found a file")
        there = next(p for p in (folder, *folder.absolute().parents) if p.exists())
        with tempfile.TemporaryDirectory(prefix=".headgate.", dir=there):
            pass
    except OSError as e:
        raise HeadgateError(f"{what} {folder}: cannot be written; {e.strerror or e}") from None


def _stat(path: Path) -> os.stat_result | None:
    """The status of a file or folder; None if there is none."""
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def write_text(path: str | os.PathLike[str], text: str, durable: bool = False) -> None:
    """Writes a text file, completely or not at all."""
    with atomic(path, durable) as file:
        file.write_text(text, "utf-8")


def _sync(path: Path) -> None:
    """Flushes a file, or the names in a folder, to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
