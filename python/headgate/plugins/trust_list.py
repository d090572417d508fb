"""The list of files whose code the user trusts: `headgate trust FILE` keeps it, beside the user's other settings.

An entry has a digest of the scenario file together with the digests of all code that it names: if any of them changes, it holds no more.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ..base.atomic import write_text
from ..base.errors import HeadgateError, cut
from .trust import Code


def place() -> Path:
    """Where the list is: `headgate/trusted.json` in the folder for settings (XDG Base Directory Specification 0.8)."""
    # A path that is not absolute is to be ignored.
    given = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    return (given if given.is_absolute() else Path.home() / ".config") / "headgate" / "trusted.json"


def digest_of(contents: bytes, codes: Iterable[Code]) -> str:
    """The digest of a scenario file and of the code that it names."""
    parts = [hashlib.sha256(contents).hexdigest(), *sorted({code.digest for code in codes})]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def entries() -> list[dict[str, str]]:
    """The entries of the list: `digest`, `file`, `added`.

    Raises:
        HeadgateError: the list cannot be read.
    """
    file = place()
    try:
        found: Any = json.loads(file.read_text("utf-8"))
        if not all(isinstance(e[key], str) for e in found for key in ("digest", "file", "added")):
            raise TypeError
    except FileNotFoundError:
        return []
    except OSError as e:
        raise HeadgateError(f"{file}: cannot be read; {e.strerror or e}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise HeadgateError(
            f"{file}: expected the list that `headgate trust` writes; remove the file to begin anew"
        ) from None
    return [dict(entry) for entry in found]


def holds(digest: str) -> bool:
    """Whether the list has this digest."""
    return any(entry["digest"] == digest for entry in entries())


def add(file: Path, digest: str) -> None:
    """Puts a file on the list, in the place of what it held before.

    Raises:
        HeadgateError: the list cannot be read or written.
    """
    name = str(file.resolve())
    kept = [entry for entry in entries() if entry["file"] != name and entry["digest"] != digest]
    _write([*kept, {"digest": digest, "file": name, "added": datetime.now(UTC).strftime("%Y-%m-%d")}])


def remove(what: str) -> int:
    """Takes a file, by its path or the beginning of its digest, off the list; gives how many entries that were.

    Raises:
        HeadgateError: the list has none.
    """
    known = entries()
    name = str(Path(what).resolve())
    gone = [e for e in known if e["file"] == name or (len(what) >= 8 and e["digest"].startswith(what))]
    if not gone:
        raise HeadgateError(
            f"{cut(what)}: is not on the list; expected a file or a digest that `headgate trust` prints"
        )
    _write([entry for entry in known if entry not in gone])
    return len(gone)


def _write(found: list[dict[str, str]]) -> None:
    file = place()
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_text(file, json.dumps(found, indent=1) + "\n")
    except OSError as e:
        raise HeadgateError(f"{file}: cannot be written; {e.strerror or e}") from None
