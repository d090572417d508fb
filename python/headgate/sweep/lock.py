"""One process at a time writes to a folder."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from ..base.errors import HeadgateError


def lock(folder: Path, what: str) -> int:
    """Keeps other processes away until the handle that it gives is closed, or this process ends; makes the folder.

    Raises:
        HeadgateError: another process is at work on `what` is in the folder.
        OSError: it cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise HeadgateError(f"{folder}: another process is at work on {what}") from None
    return handle
