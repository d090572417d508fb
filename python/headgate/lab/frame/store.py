"""Runs that are kept in the user's folder, so that what was ended goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...base.atomic import naming
from ...base.errors import HeadgateError


class RunStore:
    """Runs by their keys. A folder gets a line for each run that is added."""

    def __init__(self, folder: Path | None = None) -> None:
        """Reads what the folder holds.

        Raises:
            HeadgateError: the file in it is not one of ours.
        """
        self._file = None if folder is None else folder / "runs.jsonl"
        self._runs: dict[str, dict[str, Any]] = {}
        if self._file is not None and self._file.exists():
            # A line that was cut off by a sudden end is run again.
            text = self._file.read_text()
            if text and not text.endswith("\n"):
                with self._file.open("a") as stream:
                    stream.write("\n")
            for line in text.splitlines():
                try:
                    entry = json.loads(line)
                    self._runs[entry.pop("key")] = entry
                except (ValueError, KeyError, AttributeError, RecursionError):
                    if not self._runs:
                        raise HeadgateError(f"{self._file}: expected runs of a referee, one a line") from None

    def get(self, key: str) -> dict[str, Any] | None:
        """A run."""
        return self._runs.get(key)

    def add(self, key: str, found: dict[str, Any], keep: bool = True) -> None:
        """Takes a run; unless it is to be kept, it is made again next time."""
        self._runs[key] = found
        if keep and self._file is not None:
            with naming(self._file), self._file.open("a") as stream:
                stream.write(json.dumps({"key": key, **found}) + "\n")
