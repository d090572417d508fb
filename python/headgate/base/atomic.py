"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import HeadgateError


@contextmanager
def atomic(path: str | os.PathLike[str], durable: bool = False) -> Iterator[Path]:
    """Gives the name of a temporary file beside `path`, which takes its place when the block ends without an exception.

    Only a plain file is replaced, and it keeps its permissions; a link stays, and what it leads to is replaced. A pipe, a character device
    and an open stream such as /dev/stdout are written to instead, once all is there.

    If it is to be `durable`, the file is on the disk before it takes its place: not even a crash of the machine leaves half of it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic(Path(folder) / "a.txt") as file:
    ...         _ = file.write_text("whole")
    ...     sorted(p.name for p in Path(folder).iterdir())
    ['a.txt']

    Raises:
        OSError: the folder cannot be made or written to; it names the file.
        HeadgateError: the path is that of something which is no file.
    """
    with naming(path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        if is_stream(path):
            with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
                temporary = Path(folder) / Path(path).name
                yield temporary
                put(temporary, path)
            return
        target = Path(os.path.realpath(path))
        # The name is known before the file is made: Ctrl-C may arrive as soon as it exists.
        temporary = target.parent / f".{target.name}.{secrets.token_hex(4)}"
        try:
            handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
            mode = stat.S_IMODE((_stat(target) or os.fstat(handle)).st_mode) & 0o777
            os.fchmod(handle, 0o600)
            os.close(handle)
            yield temporary
            temporary.chmod(mode)
            if durable:
                _sync(temporary)
            temporary.replace(target)
            if durable:
                _sync(target.parent)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def put(temporary: Path, path: str | os.PathLike[str]) -> None:
    """Puts a complete file in its place, as `atomic` does.

    Raises:
        OSError: it cannot be written.
        HeadgateError: the path is that of something which is no file, or nobody reads the pipe any more.
    """
    if not is_stream(path):
        temporary.replace(os.path.realpath(path))
        return
    handle = _open_stream(path)
    if handle is None:
        handle = os.open(path, os.O_WRONLY)
    else:
        # What was printed before stands before it.
        if sys.stdout is not None and not sys.stdout.closed:
            sys.stdout.flush()
        handle = os.dup(handle)
    try:
        with temporary.open("rb") as source, os.fdopen(handle, "wb") as out:
            shutil.copyfileobj(source, out)
    except BrokenPipeError:
        raise HeadgateError(f"{path}: cannot be written; expected a reader of this pipe, found none") from None


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to a pipe, a character device or a stream that this process has open, rather than to a file.

    Raises:
        HeadgateError: it leads to something else that is no file.
    """
    if _open_stream(path) is not None:
        return True
    found = _stat(Path(path))
    if found is None or stat.S_ISREG(found.st_mode):
        return False
    if stat.S_ISFIFO(found.st_mode) or stat.S_ISCHR(found.st_mode):
        return True
    kinds = ((stat.S_ISDIR, "folder"), (stat.S_ISSOCK, "socket"), (stat.S_ISBLK, "disk"))
    what = next((word for holds, word in kinds if holds(found.st_mode)), "something else")
    raise HeadgateError(f"{path}: expected a file, found a {what}")


def _open_stream(path: str | os.PathLike[str]) -> int | None:
    """The number of the stream of this process that a path leads to, as /dev/stdout does; None for any other path."""
    place = Path(path).absolute()
    for _ in range(40):
        folder = os.path.realpath(place.parent)
        found = re.fullmatch(r"/dev/fd|/proc/(\d+)(/task/\d+)?/fd", folder)
        if found and place.name.isdigit() and found[1] in (None, str(os.getpid())):
            return int(place.name)
        try:
            place = Path(folder) / place.readlink()
        except OSError:
            return None
    return None


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Gives an error of the system the name of this file, unless it names another one: a full disk does not say which file it is about.

    >>> with naming("a.csv"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'a.csv'

    Raises:
        OSError: with the name.
        HeadgateError: an error of a library that has no number.
    """
    try:
        yield
    except OSError as e:
        ours = tuple(f".{Path(name).name}." for name in (path, os.path.realpath(path)))
        named = Path(e.filename).name if isinstance(e.filename, str | os.PathLike) else ""
        if named and not named.startswith(ours):
            raise
        if e.errno is None:
            raise HeadgateError(f"{path}: cannot be written; {e}") from None
        raise OSError(e.errno, e.strerror or os.strerror(e.errno), os.fspath(path)) from e


def require_place(path: str | os.PathLike[str]) -> None:
    """Whether a file can be written there, checked before long work; the folder is not made, and nothing remains of the check.

    >>> require_place("nowhere/a.svg")
    Traceback (most recent call last):
    headgate.base.errors.HeadgateError: nowhere/a.svg: cannot be written; expected a folder that exists, found no nowhere

    Raises:
        HeadgateError: the folder is missing or cannot be written to, or the path is that of a folder.
    """
    target = Path(path)
    try:
        if is_stream(path):
            if not os.access(path, os.W_OK):
                raise HeadgateError(f"{path}: cannot be written; expected one that permits it")
            return
        if target.is_symlink():
            target = Path(os.path.realpath(target))
        folder = target.parent
        # What cannot be looked up, such as a name that is too long, cannot be written either.
        there = _stat(folder)
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
    if there is None:
        raise HeadgateError(f"{path}: cannot be written; expected a folder that exists, found no {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise HeadgateError(f"{path}: cannot be written; the folder {folder} does not permit it")
    # Some permit it by their bits alone: /proc, and what is read-only for the superuser.
    trial = folder / f".{target.name[:200]}.{secrets.token_hex(4)}"
    try:
        os.close(os.open(trial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
    finally:
        trial.unlink(missing_ok=True)


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
