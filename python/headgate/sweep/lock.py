"""One process at a time writes to a folder."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path

from ..base.errors import HeadgateError


def lock(folder: Path, what: str) -> int:
    """Keeps other processes away until the handle that it gives is closed, or this process ends; makes the folder.

    The system holds the lock and not the file, so that nothing of it is left after a kill. On a file system that has no locks,
    such as Lustre without `flock`, nobody is kept away.

    Raises:
        HeadgateError: another process is at work on `what` is in the folder.
        OSError: it cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as e:
        if e.errno not in (errno.ENOSYS, errno.ENOTSUP, errno.ENOLCK):
            os.close(handle)
            raise HeadgateError(f"{folder}: another process is at work on {what}") from None
    return handle
