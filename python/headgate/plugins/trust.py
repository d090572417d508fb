"""Which code of a scenario may run. A scenario is data: what it names is run only where the user said so.

Code is what `plugins` names (files in Python, modules, shared objects) and the programs of `control = { kind = "process" }`. What the user
names on the command line or in a call, such as `--plugin mine.py`, is the user's own word.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shlex
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.counts import counted
from ..base.errors import HeadgateError, cut
from ..base.folders import resolved, within
from ..base.programs import commands

#: Lines of a file that an error shows.
LINES = 6

#: How the name of a shared object ends.
ENDS = (".so", ".dylib")


@dataclass(frozen=True)
class Code:
    """Something that a scenario would run: where it stands, what it is, how it begins, and a digest of all of it."""

    place: str
    what: str
    lines: tuple[str, ...]
    digest: str
    command: tuple[str, ...] | None = None

    @property
    def allowed(self) -> bool:
        """Whether it may run in this process."""
        return (_everything or self.digest in _allowed) if self.command is None else may_start(self.command)

    def text(self) -> str:
        """What it is and how it begins."""
        return "\n".join([f"  {self.place}: {self.what}", *(f"    | {line}" for line in self.lines)])


class CodeError(HeadgateError):
    """A scenario would run code that nobody allowed; `codes` is that code."""

    def __init__(self, where: str, codes: Sequence[Code], file: str = "") -> None:
        """Takes the beginning of the text, the code, and the file if there is one that `headgate trust` takes."""
        self.where, self.codes = where, list(codes)
        trust = (
            f", or first `headgate trust {shlex.quote(file)}`, which holds until something of it changes"
            if file
            else ""
        )
        super().__init__(
            f"{where}it would run code, which was not allowed:\n{self.shown()}\nexpected --allow-code (in Python, allow_code=True), "
            f"which runs it this once{trust}"
        )

    def shown(self) -> str:
        """The code, for a person to judge."""
        return "\n".join(code.text() for code in self.codes)


#: The digests of files and modules that may run, and the commands that may be started.
_allowed: set[str] = set()
_programs: set[tuple[str, ...]] = set()

_everything = False

#: Digests of code, and commands, of scenarios that are shown to the user, but not run.
_shown: set[str | tuple[str, ...]] = set()


@dataclass(frozen=True)
class Answering:
    """What the user allowed to requests, such as those of an assistant: whether code may run, and the folders of its files."""

    code: bool
    folders: tuple[Path, ...]


#: What is being answered in this context; None where the user is the one who asks.
_request: ContextVar[Answering | None] = ContextVar("request", default=None)


@contextmanager
def answering(code: bool, folders: Iterable[Path]) -> Iterator[None]:
    """Meanwhile, in this context, what is named comes from a request: to name code is not the user's word that it may run."""
    token = _request.set(Answering(code, tuple(folders)))
    try:
        yield
    finally:
        _request.reset(token)


def named(file: Path, place: str) -> Path:
    """A file of code that was named: in a request it has to lie in a folder that the user allowed, and code has to be allowed.

    Raises:
        HeadgateError: it is of a request, and not allowed.
    """
    request = _request.get()
    if request is None:
        return file
    if not request.code:
        raise HeadgateError(
            f"{place}: found {cut(repr(str(file)))}, which is code; expected --allow-code where the server is started"
        )
    first, *rest = request.folders or (Path(),)
    return within(first, str(file), resolved(first, rest) if request.folders else [], place)


def allow(codes: Iterable[Code]) -> None:
    """Lets code run in this process, and in the workers that it starts.

    Raises:
        CodeError: a request named it, and the user allowed no code of requests.
    """
    codes, request = list(codes), _request.get()
    if codes and request is not None and not request.code:
        raise CodeError("", codes)
    for code in codes:
        if code.command is None:
            _allowed.add(code.digest)
        else:
            _programs.add(code.command)


def allow_program(command: Sequence[str]) -> None:
    """Lets a program be started as the flow control `process`: for a command that the user gave."""
    _programs.add(tuple(command))


def show(data: Any) -> None:
    """Lets a scenario be looked at on a page that takes no other code."""
    _shown.update(code.command or code.digest for code in codes(data))


def shown(what: str | tuple[str, ...]) -> bool:
    """Whether code with this digest, or this command, is of a scenario that is shown."""
    return what in _shown


def may_start(command: Sequence[str]) -> bool:
    """Whether a program may be started."""
    return _everything or tuple(command) in _programs


def allow_all() -> None:
    """Lets all code run that scenarios name, in this process: for a command whose user said so."""
    global _everything
    _everything = True


def forget() -> None:
    """Nothing is allowed any more."""
    global _everything
    _everything = False
    for known in (_allowed, _programs, _shown):
        known.clear()


def require(data: Any, where: str = "", file: str = "") -> None:
    """Whether all that a scenario would run is allowed; `where` begins the text of the error, and `file` is the scenario's, if it has one.

    Raises:
        CodeError: something is not.
    """
    if missing := [code for code in codes(data) if not code.allowed]:
        raise CodeError(where, missing, file)


def codes(data: Any) -> list[Code]:
    """All that a scenario would run; its plugins hold the contents of their files."""
    if not isinstance(data, dict):
        return []
    entries = data.get("plugins")
    found = [of_entry(entry, f"plugins[{i}]") for i, entry in enumerate(entries if isinstance(entries, list) else ())]
    seen: set[tuple[str, ...]] = set()
    for place, command in commands(data):
        if command not in seen:
            seen.add(command)
            found.append(_program(command, place))
    return found


def of_entry(entry: Any, place: str) -> Code:
    """A plugin as code."""
    if isinstance(entry, dict) and isinstance(entry.get("source"), str):
        name, source = str(entry.get("name", "")), entry["source"]
        if name.endswith(ENDS):
            with suppress(ValueError, TypeError, KeyError, RecursionError):
                said = json.loads(source)
                # The loader compares the contents with this hash.
                return Code(place, f"the shared object {cut(said['file'])}", (), _digest("native", str(said["sha256"])))
            return Code(place, f"the shared object {cut(name)}", (), _digest("native", source))
        lines = source.splitlines()
        rest = len(lines) - LINES
        more = (f"... and {counted(rest, 'more line')}",) if rest > 0 else ()
        begin = (*(cut(line) for line in lines[:LINES]), *more)
        return Code(place, f"{cut(name)}, {counted(len(lines), 'line')} of Python", begin, _digest("python", source))
    text = entry if isinstance(entry, str) else json.dumps(entry, default=str)
    return Code(place, f"the module {cut(text)}", (), _digest("module", text, *_module(text)))


def _module(name: str) -> Iterator[str]:
    """Digests of the files of a module and of the packages around it, as far as they are found without an import."""
    parts = name.partition(":")[0].split(".")
    # Only the first name is looked up: that of an inner one would import the packages around it.
    try:
        spec = importlib.util.find_spec(parts[0])
    except (ImportError, ValueError, AttributeError):
        spec = None
    if spec is None or not spec.origin:
        return
    file = Path(spec.origin)
    yield _contents(file)
    for i in range(1, len(parts)):
        folder = file.parent.joinpath(*parts[1 : i + 1])
        for each in (folder / "__init__.py", folder.with_suffix(".py")):
            yield _contents(each)


def _program(command: tuple[str, ...], place: str) -> Code:
    """A command as code, with the contents of the files that it names."""
    files = [_contents(Path(part)) if i or "/" in part else str(shutil.which(part)) for i, part in enumerate(command)]
    parts = command[:LINES]
    lines = [line for part in parts for line in part.splitlines()[:LINES]] if any("\n" in p for p in parts) else []
    digest = _digest("program", json.dumps(command), *files)
    words = cut(json.dumps(list(command), ensure_ascii=False))
    return Code(place, f"the program {words}", tuple(cut(line) for line in lines[:LINES]), digest, command)


def _contents(file: Path) -> str:
    """The digest of a plain file; nothing if there is none."""
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return ""
        with file.open("rb") as f:
            return hashlib.file_digest(f, "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode("utf-8", "surrogatepass")).hexdigest()
