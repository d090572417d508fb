"""Runs that are kept in the user's folder, so that what was ended goes on where it was.

DIR/question.json   whose runs they are
DIR/runs.jsonl      a run a line, by its key
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.atomic import naming, write_text
from ...base.errors import HeadgateError
from ...sweep.resumption import _difference

#: The file that says whose the runs in a folder are.
QUESTION = "question.json"


def key_of(*parts: Any) -> str:
    """Names a run by all that its result depends on, as plain data: equal for equal ones."""
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def hold(folder: Path, kind: str, asked: Mapping[str, Any]) -> None:
    """Holds a folder to one question, by the first call there.

    Args:
        folder: which is there.
        kind: what the question is, such as `attack`.
        asked: what makes two of them the same, as plain data.

    Raises:
        HeadgateError: it is another one's, or cannot be written.
    """
    file = folder / QUESTION
    text = json.dumps({"kind": kind, "headgate": __version__, **asked}, indent=1, default=list) + "\n"
    if file.exists():
        try:
            old = json.loads(file.read_text("utf-8"))
        except (ValueError, RecursionError):
            old = None
        new = json.loads(text)
        found: str | None = "what it asks cannot be read"
        if isinstance(old, dict):
            found = next((d for k in [*old, *new] if (d := _difference(k, old.get(k), new.get(k))) is not None), None)
        if found is not None:
            raise HeadgateError(f"{folder}: holds another {kind}: {found}; expected the same, or another folder")
        return
    write_text(file, text)


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
                        raise HeadgateError(f"{self._file}: expected runs, one a line") from None

    def get(self, key: str) -> dict[str, Any] | None:
        """A run."""
        return self._runs.get(key)

    def add(self, key: str, found: dict[str, Any], keep: bool = True) -> None:
        """Takes a run; unless it is to be kept, it is made again next time."""
        self._runs[key] = found
        if keep and self._file is not None:
            with naming(self._file), self._file.open("a") as stream:
                stream.write(json.dumps({"key": key, **found}) + "\n")
