"""Runs that are kept in the user's folder, so that what was ended goes on where it was.

DIR/question.json   whose runs they are
DIR/runs.jsonl      a run a line, by its key
DIR/part.json       which part of the runs they are, if they are not all
DIR/.lock           keeps other processes away meanwhile
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.atomic import naming, require_folder, write_text
from ...base.build import build
from ...base.errors import HeadgateError
from ...base.parts import MARK, PartMark, Share, chosen, read_mark, write_mark
from ...sweep.lock import lock
from ...sweep.resumption import difference

#: The file that says whose the runs in a folder are, and that of the runs.
QUESTION, RUNS = "question.json", "runs.jsonl"


def key_of(*parts: Any) -> str:
    """Names a run by all that its result depends on, as plain data: equal for equal ones."""
    return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()[:20]


def hold(folder: Path, kind: str, asked: Mapping[str, Any]) -> None:
    """Holds a folder to one question, by the first call there.

    Args:
        folder: which is there.
        kind: which judge: the name of its command.
        asked: what makes two of its questions the same, as plain data.

    Raises:
        HeadgateError: it is another one's, or cannot be written.
    """
    said = {"kind": kind, "headgate": __version__, "build": build(), **asked}
    text = json.dumps(said, indent=1, default=list) + "\n"
    if not (folder / QUESTION).exists():
        write_text(folder / QUESTION, text)
    elif (found := _differ(_question(folder), json.loads(text))) is not None:
        raise HeadgateError(
            f"{folder}: holds the runs of another question: {found}; expected the same, or another folder"
        )


def _question(folder: Path) -> dict[str, Any]:
    """What a folder says of its question.

    Raises:
        HeadgateError: nothing that can be read.
    """
    file, found = folder / QUESTION, None
    try:
        found = json.loads(file.read_text("utf-8"))
    except OSError as e:
        raise HeadgateError(f"{file}: {e.strerror or e}; expected whose the runs beside it are") from None
    except (ValueError, RecursionError):
        pass
    if not isinstance(found, dict):
        raise HeadgateError(f"{file}: expected whose the runs beside it are, found something else")
    return found


def _differ(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    return difference(old, new, list({**old, **new}))


class RunStore:
    """Runs by their keys. A folder gets a line for each run that is added."""

    def __init__(self, folder: Path | None = None, asked: tuple[str, Mapping[str, Any]] | None = None) -> None:
        """Reads what the folder holds.

        Args:
            folder: which is made; None to keep the runs in memory.
            asked: for one that writes: which judge, and what makes two of its questions the same. Other processes are kept away from the
                folder until the store is closed or this process ends, and the folder is held to the question.

        Raises:
            HeadgateError: another process is at work in the folder, it is another question's, or the file in it is not one of ours.
        """
        self.folder = folder
        self._lock: int | None = None
        self._file = None if folder is None else folder / RUNS
        self._runs: dict[str, dict[str, Any]] = {}
        try:
            if folder is not None and asked is not None:
                with naming(folder):
                    self._lock = lock(folder, "these runs")
                hold(folder, *asked)
            self._read()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Lets other processes in."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _read(self) -> None:
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
                stream.write(_line(key, found))

    def items(self) -> Iterable[tuple[str, dict[str, Any]]]:
        """All runs, by their keys."""
        return self._runs.items()


def _line(key: str, found: dict[str, Any]) -> str:
    return json.dumps({"key": key, **found}) + "\n"


def begin(folder: Path, part: Share, keys: Sequence[str]) -> list[str]:
    """Says in a folder that a part of these runs is made there; the keys of its runs.

    Raises:
        HeadgateError: another part is there, or one that another build of headgate has begun.
    """
    if (folder / MARK).exists():
        read_mark(folder).require(part, _plan(keys))
    else:
        write_mark(folder, part, _plan(keys), False)
    return [sorted(keys)[i] for i in part.positions(len(keys))]


def finish(folder: Path, part: Share, keys: Sequence[str]) -> None:
    """Says in a folder that all runs of its part were tried."""
    write_mark(folder, part, _plan(keys), True)


def _plan(keys: Sequence[str]) -> str:
    return hashlib.sha256(json.dumps(sorted(keys)).encode()).hexdigest()[:16]


def join(marks: Sequence[PartMark], out: Path, incomplete: bool = False) -> int:
    """Joins the runs of parts in a folder, in which the same question goes on; gives how many there are.

    Raises:
        HeadgateError: they are of two questions, or not all parts are there and done, or the folder is not empty or cannot be written.
    """
    # What is said of parts of several builds comes from their marks.
    first = {**_question(marks[0].folder), "build": ""}
    for mark in marks[1:]:
        found = _differ(first, {**_question(mark.folder), "build": ""})
        if found is not None:
            raise HeadgateError(
                f"{mark.folder}: is a part of another question than {marks[0].folder}: {found}; expected parts of one"
            )
    runs: dict[str, dict[str, Any]] = {}
    for mark in chosen(marks, incomplete):
        if not mark.done:
            # Its process may still be at work.
            os.close(lock(mark.folder, "these runs"))
        runs |= RunStore(mark.folder).items()
    require_folder(out, "--out")
    if out.is_dir() and any(out.iterdir()):
        raise HeadgateError(f"--out {out}: expected an empty or absent folder")
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / RUNS, "".join(_line(key, runs[key]) for key in sorted(runs)))
    write_text(out / QUESTION, (marks[0].folder / QUESTION).read_text("utf-8"))
    return len(runs)
