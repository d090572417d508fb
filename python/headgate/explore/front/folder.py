"""What a folder holds that the explorer can show: scenarios, studies, reports, papers and traces."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ...base.documents import loads
from ...base.errors import HeadgateError
from ...base.text import decoded
from ...scenario.examples import about
from ..pages import kind_of
from ..replays.trace import has_ending

#: Maximum numbers of entries of a folder that are examined, and that are listed; maximum size in bytes of a scenario file that is read.
ENTRIES, MOST, LONGEST = 2000, 60, 500_000

#: A file with one of these keys is a scenario.
KEYS = ("flows", "topology", "links")


@dataclass(frozen=True)
class FolderEntry:
    """Something that can be shown: its name in the folder, what it is, and a line about it."""

    name: str
    kind: str
    about: str


def found_in(folder: Path) -> list[FolderEntry]:
    """What a folder holds, by name; nothing if it cannot be read."""
    try:
        entries = sorted(islice(folder.iterdir(), ENTRIES))
    except OSError:
        return []
    return list(islice((found for found in map(_look, entries) if found is not None), MOST))


def one_in(folder: Path, name: str) -> FolderEntry | None:
    """What a folder lists under a name; None for anything else, such as a path that leaves the folder."""
    return _look(folder / name) if name and Path(name).name == name else None


def _look(file: Path) -> FolderEntry | None:
    if file.name.startswith("."):
        return None
    try:
        if file.is_dir():
            kind = _of_folder(file)
            return FolderEntry(file.name, kind, "") if kind else None
        ending = file.suffix.lower()
        if not file.is_file() or (
            not has_ending(file) and (ending not in (".toml", ".json") or file.stat().st_size > LONGEST)
        ):
            return None
        if has_ending(file):
            return FolderEntry(file.name, "trace", "")
        text = decoded(file.read_bytes(), file.name)
        data = loads(text) if ending == ".toml" else json.loads(text)
    except (OSError, ValueError, RecursionError, HeadgateError):
        return None
    if not isinstance(data, dict) or not any(key in data for key in KEYS):
        return None
    return FolderEntry(file.name, "scenario", about(text) if ending == ".toml" else str(data.get("name", "")))


def _of_folder(file: Path) -> str:
    """The kind of a folder as a whole; empty if it is none of these."""
    if kind := kind_of(file):
        return kind
    if (file / "manifest.json").is_file():
        from ...sweep.checksums import read_manifest

        try:
            read_manifest(file / "manifest.json", file)
        except HeadgateError:
            # The manifest is that of a run, or of something else.
            return ""
        return "study"
    return ""
