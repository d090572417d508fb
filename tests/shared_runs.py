"""Runs of papers that several tests look at are made once: a folder that all processes of the tests share, and that later ones find."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from headgate.base.atomic import atomic
from headgate.papers.runs.store import build

#: SHA-256 of what follows, and the processor seconds that the run took.
_DIGEST, _SECONDS = 64, 24


class SharedRuns:
    """Has the calls of `headgate.papers.runs.Store`, and a file for each run. The runs of another build of the engine are removed."""

    def __init__(self, folder: Path) -> None:
        """Opens or makes the folder."""
        self._folder = folder / build().split()[1][:16]
        for old in folder.glob("*"):
            if old != self._folder:
                shutil.rmtree(old, ignore_errors=True)
        self._folder.mkdir(parents=True, exist_ok=True)

    def take(self, key: str) -> tuple[bytes, float] | None:
        """The result with this key and the processor seconds that it took; None if there is none, or it is damaged."""
        try:
            whole = (self._folder / key).read_bytes()
        except FileNotFoundError:
            return None
        digest, seconds, data = whole[:_DIGEST], whole[_DIGEST : _DIGEST + _SECONDS], whole[_DIGEST + _SECONDS :]
        return (data, float(seconds)) if digest.decode() == hashlib.sha256(data).hexdigest() else None

    def add(self, key: str, data: bytes, cpu_s: float) -> None:
        """Keeps a result."""
        head = hashlib.sha256(data).hexdigest() + f"{cpu_s:<{_SECONDS}.17g}"
        with atomic(self._folder / key) as temporary:
            temporary.write_bytes(head.encode() + data)

    def flush(self) -> None:
        """Nothing waits."""
