"""The evidence of the documentation: what hours of runs found, from which pages and pictures are made. It is kept out of git.

- `python docs/evidence.py`: what is here of it;
- `python docs/evidence.py take [FILE]`: puts here what a release has (`headgate-evidence.tar.gz`); without a file, what the history of
  this clone has;
- `python docs/evidence.py pack FILE`: writes the file of a release;
- `python docs/evidence.py --remade`: fails if what is here is not what the list of the last commit says.

docs/evidence.toml lists it: each file with its digest, the command that makes it, the version and the engine that made it, digests of what
was asked, of the pages that were written from it, and of the files whose words stand on these pages. What the clock said is not part of
the digest: it differs from machine to machine. The scripts `docs/attacks.py`, `contracts.py`, `game.py`, `matrix.py`, `referee.py` and
`unstated.py` read and write evidence through this one.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zlib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
#: Where evidence lies: not in git.
FOLDER = ROOT / "docs/_evidence"
LIST = ROOT / "docs/evidence.toml"
ARCHIVE = "headgate-evidence.tar.gz"

#: The commands that make each file, and each folder of files.
MADE_BY = {
    "attacks.json": "make attacks",
    "breaks": "make attacks",
    "contracts.json": "make contracts",
    "game.json": "make game",
    "matrix.json": "make matrix",
    "matrix-today.json": "make matrix",
    "referee.json": "make referee",
    "unstated.json": "make unstated",
}

#: What the clock said.
CLOCK = {"minutes", "cpu_s"}

_HEAD = """\
# What the evidence of the documentation is, which is not in git: written by docs/evidence.py with each of its files; do not edit.
# `sha256` is without the times of the clock, `engine` the last commit of the engine when the file was written for the last time; parts
# of it may be older. The other digests are the first twelve digits.
"""


class EvidenceError(SystemExit):
    """What is wrong, in words: it ends a script."""

    def __init__(self, words: str) -> None:
        super().__init__(f"docs/evidence.py: {words}")


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def short(value: Any) -> str:
    """Twelve digits of the digest of text, or of a value."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return _sha(text.encode())[:12]


def timeless(value: Any) -> Any:
    """A value without what the clock said.

    >>> timeless({"runs": 3, "minutes": 1.5, "rows": [{"cpu_s": 2.0, "found": True}]})
    {'runs': 3, 'rows': [{'found': True}]}
    """
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if k not in CLOCK}
    return [timeless(v) for v in value] if isinstance(value, list) else value


def digest(path: Path) -> str:
    """The digest of a file of JSON, or of all files of a folder."""
    if path.is_dir():
        return _sha("".join(f"{_sha(p.read_bytes())}  {p.name}\n" for p in sorted(path.iterdir())).encode())
    try:
        return _sha(json.dumps(timeless(json.loads(path.read_bytes())), sort_keys=True).encode())
    except ValueError as error:
        raise EvidenceError(f"{path.name}: expected JSON: {error}") from None


def listed() -> dict[str, dict[str, Any]]:
    """What docs/evidence.toml has."""
    return tomllib.loads(LIST.read_text("utf-8")) if LIST.exists() else {}


def read(name: str, alone: bool = True) -> Any:
    """What a file holds; nothing if it is not here.

    Raises:
        EvidenceError: it is not here, and what is made now does not stand `alone`.
    """
    path = FOLDER / name
    if path.exists():
        return json.loads(path.read_bytes())
    if alone:
        return None
    raise EvidenceError(
        f"{_shown(path)} is not here: `python docs/evidence.py take`, or all of it by `{MADE_BY[name]}`"
    )


def keep(name: str, text: str) -> None:
    """Writes a file."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / name).write_text(text, "utf-8")


def wrote(name: str, asked: Mapping[str, Any], pages: Iterable[Path], words: Path | None = None) -> None:
    """Puts a file, or a folder, on the list, with what was asked by its parts and the pages that were written from it."""
    from headgate import __version__

    entries, found = listed(), digest(FOLDER / name)
    before = entries.get(name, {})
    # What is the same as before was not made now: its pages were written.
    made = before if before.get("sha256") == found else {"version": __version__, "engine": _engine()}
    entries[name] = {
        "command": MADE_BY[name],
        "sha256": found,
        "version": made["version"],
        "engine": made["engine"],
        "asked": {part: short(value) for part, value in asked.items()},
        "pages": {_shown(page): short(page.read_text("utf-8")) for page in pages},
        "words": {} if words is None else {_shown(words): short(words.read_text("utf-8"))},
    }
    write_list(entries)


def write_list(entries: Mapping[str, Mapping[str, Any]]) -> None:
    """Writes docs/evidence.toml."""
    lines = [_HEAD]
    for name, entry in sorted(entries.items()):
        lines.append(f"[{json.dumps(name)}]")
        for key, value in entry.items():
            if isinstance(value, dict):
                lines += [f"{key}.{json.dumps(part)} = {json.dumps(of)}" for part, of in value.items()]
            else:
                lines.append(f"{key} = {json.dumps(value)}")
        lines.append("")
    LIST.write_text("\n".join(lines[:-1]) + "\n", "utf-8")


def check(name: str, asked: Mapping[str, Any], pages: Callable[[Any], Mapping[Path, str]], script: str) -> str:
    """What is not as it was found; nothing if all is. Without the file: what its entry of the list can tell.

    Args:
        name: the file.
        asked: what would be asked today, by its parts.
        pages: the pages that are written from what the file holds.
        script: the script that writes them.
    """
    entry, make = listed().get(name), MADE_BY[name]
    if entry is None:
        return f"{_shown(LIST)} has no {name}; run `{make}`"
    of, today = entry.get("asked", {}), {part: short(value) for part, value in asked.items()}
    for part in (*of, *today):
        if of.get(part) != today.get(part):
            return f"{part}: what was asked is not what would be asked today; run `{make}`"
    again = f"run `python {script} --write`" + (
        "" if (FOLDER / name).exists() else " after `python docs/evidence.py take`"
    )
    for what, files in (("the page", entry.get("pages", {})), ("its words", entry.get("words", {}))):
        for file, sha in files.items():
            if not (ROOT / file).is_file() or short((ROOT / file).read_text("utf-8")) != sha:
                return f"{file}: not {what} of what was found; {again}"
    if not (FOLDER / name).exists():
        return ""
    if wrong := changed(name, entry):
        return wrong
    for page, text in pages(read(name) if (FOLDER / name).is_file() else None).items():
        if page.read_text("utf-8") != text:
            return f"{_shown(page)}: not the page of what was found; {again}"
    return ""


def changed(name: str, entry: Mapping[str, Any]) -> str:
    """What is to be said if a file is not the one of the list."""
    found = digest(FOLDER / name)
    if found == entry["sha256"]:
        return ""
    due, made = entry["sha256"][:12], f"`{entry['command']}` made another one"
    return f"{_shown(FOLDER / name)}: its digest is {found[:12]}, and {_shown(LIST)} has {due}: {made}"


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _git(*words: str) -> bytes:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise EvidenceError(f"git {words[0]}: {done.stderr.decode().strip()}")
    return done.stdout


def _engine() -> str:
    """The last commit of the engine."""
    return _git("log", "-1", "--abbrev=12", "--format=%h", "--", "crates").decode().strip()


def wrong_ones() -> list[str]:
    """What of the files that are here is not what the list says."""
    return [wrong for name, entry in listed().items() if (FOLDER / name).exists() and (wrong := changed(name, entry))]


def pack(file: Path) -> None:
    """Writes all of it into one file, equal to the byte if what it holds is.

    Raises:
        EvidenceError: some of it is missing, or is not what the list says.
    """
    if missing := [name for name in listed() if not (FOLDER / name).exists()]:
        raise EvidenceError(f"{_shown(FOLDER)} lacks {', '.join(missing)}")
    if wrong := wrong_ones():
        raise EvidenceError("; ".join(wrong))
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name in listed():
            path = FOLDER / name
            for each in sorted(path.iterdir()) if path.is_dir() else [path]:
                data = each.read_bytes()
                head = tarfile.TarInfo(each.relative_to(FOLDER).as_posix())
                head.size = len(data)
                archive.addfile(head, io.BytesIO(data))
    file.write_bytes(gzip.compress(made.getvalue(), mtime=0))


def take(file: Path | None) -> list[str]:
    """Puts here what a file of a release has, or the history of this clone; says what was taken. What is wrong is not taken.

    Raises:
        EvidenceError: there is no such file, or what it has is not what the list says.
    """
    try:
        data = _from_history() if file is None else file.read_bytes()
        with tempfile.TemporaryDirectory(dir=FOLDER.parent) as folder:
            with tarfile.open(fileobj=io.BytesIO(data)) as archive:
                archive.extractall(folder, filter="data")
            root = Path(folder) if file else Path(folder) / _shown(FOLDER)
            taken = [name for name in listed() if (root / name).exists()]
            if not taken:
                raise EvidenceError(f"{file or 'the history'}: it has nothing of {_shown(LIST)}")
            for name in taken:
                found, due = digest(root / name), listed()[name]["sha256"]
                if found != due:
                    raise EvidenceError(
                        f"{file or 'the history'}: {name} has the digest {found[:12]}, and {_shown(LIST)} has {due[:12]}"
                    )
            FOLDER.mkdir(exist_ok=True)
            for name in taken:
                old = FOLDER / name
                if old.is_dir():
                    shutil.rmtree(old)
                shutil.move(str(root / name), old)
    except (OSError, tarfile.TarError, EOFError, zlib.error) as error:
        raise EvidenceError(f"{file}: expected {ARCHIVE} of a release: {error}") from None
    return taken


def _from_history() -> bytes:
    """The evidence of the commit before the one that took it out of git, as a tar file."""
    gone = _git("log", "-1", "--diff-filter=D", "--format=%H", "--", _shown(FOLDER)).decode().strip()
    if not gone:
        raise EvidenceError("the history of this clone has no evidence: take the file of a release")
    return _git("archive", "--format=tar", f"{gone}^", _shown(FOLDER))


def remade() -> list[str]:
    """What of the evidence that is here differs from the list of the last commit: it was made again, and came out otherwise."""
    kept = tomllib.loads(_git("show", f"HEAD:{_shown(LIST)}").decode())
    return [wrong for name, entry in kept.items() if (FOLDER / name).exists() and (wrong := changed(name, entry))]


def table() -> str:
    """What is here."""
    wrong = {name for name, entry in listed().items() if (FOLDER / name).exists() and changed(name, entry)}
    lines = []
    for name, entry in listed().items():
        state = "differs" if name in wrong else "here" if (FOLDER / name).exists() else "not here"
        lines.append(f"{name:18} {state:9} {entry['command']:15} {entry['sha256'][:12]}  engine {entry['engine']}")
    return "\n".join(lines)


def main() -> None:
    """See the head of this file."""
    words = sys.argv[1:]
    if words == ["--remade"]:
        if wrong := remade():
            raise EvidenceError("\n".join(wrong))
    elif words[:1] == ["pack"] and len(words) == 2:
        pack(Path(words[1]))
    elif words[:1] == ["take"] and len(words) <= 2:
        print("taken:", ", ".join(take(Path(words[1]) if words[1:] else None)))
    elif not words:
        print(table())
    else:
        raise EvidenceError(f"expected nothing, take [FILE], pack FILE or --remade, found {' '.join(words)}")


if __name__ == "__main__":
    main()
