"""The folder of a paper, in the package or of the user's own: its files, and the Python modules in it."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ..base.data_folder import DataFolder
from ..base.errors import HeadgateError, cut, nearest
from ..plugins import trust
from .model import LocatedError, PaperError
from .packaged import called, folders, list_papers

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from .model import Paper


def is_own(paper: str) -> bool:
    """Whether a paper is given as a folder rather than by the name of one in the package.

    >>> is_own("demers1989"), is_own("./demers1989"), is_own("..")
    (False, True, True)
    """
    return os.sep in paper or (os.altsep is not None and os.altsep in paper) or paper in (".", "..")


class Folder(DataFolder):
    """The files of a paper, and its modules."""

    error = PaperError

    def __init__(self, root: Traversable, title: str, place: Path | None = None) -> None:
        """Takes the folder, and its path where it is one of the user's own."""
        super().__init__(root, title, "a file of a paper")
        self.place = place
        self.name = place.resolve().name if place else called(root)

    def codes(self) -> list[trust.Code]:
        """The files in Python of a folder of the user's own."""
        if (place := self.place) is None:
            return []
        texts = {
            str(file.relative_to(place)): file.read_text("utf-8", "replace") for file in sorted(place.rglob("*.py"))
        }
        return [trust.of_entry({"name": name, "source": text}, self.title) for name, text in texts.items()]

    def module(self, name: str) -> ModuleType:
        """A Python module in the folder, which may import others beside it as `from .other import x`.

        Raises:
            PaperError: it is a user's own and cannot be imported.
            CodeError: it was not allowed to run.
        """
        if self.place is None:
            return importlib.import_module(f"{__package__}.{self.root.name}.{name}")
        digest = hashlib.sha256(os.fsencode(self.place.resolve())).hexdigest()
        package = f"headgate_paper_{digest[:16]}"
        if missing := [code for code in self.codes() if not code.allowed]:
            raise trust.CodeError(f"{self.title}: ", missing)
        try:
            if package not in sys.modules:
                sys.modules[package] = _package(package, self.place)
                importlib.invalidate_caches()
            return importlib.import_module(f"{package}.{name}")
        except PaperError:
            raise
        except Exception as e:
            at = f", line {e.lineno}" if isinstance(e, SyntaxError) else ""
            raise PaperError(f"{self.origin(name)}.py{at}: cannot be imported; {type(e).__name__}: {cut(e)}") from e


@contextmanager
def code_of(paper: Paper, module: str, what: str) -> Iterator[None]:
    """Runs code of a paper's folder.

    Raises:
        PaperError: it raised something; the error names the file and the line, and `what` was being done.
    """
    folder = folder_of(paper)
    try:
        yield
    except Exception as e:
        if isinstance(e, LocatedError) or (isinstance(e, HeadgateError) and not isinstance(e, PaperError)):
            raise
        root = os.path.realpath(str(folder.root)) + os.sep
        own = [f for f in traceback.extract_tb(e.__traceback__) if os.path.realpath(f.filename).startswith(root)]
        file, line = (Path(own[-1].filename).name, f", line {own[-1].lineno}") if own else (f"{module}.py", "")
        text = str(e) if isinstance(e, PaperError) else f"{type(e).__name__}: {cut(e)}"
        raise PaperError(f"{folder.origin(file)}{line}: {what}: {text}") from e


def _package(name: str, place: Path) -> ModuleType:
    """An empty package whose modules are the files of a folder."""
    package = ModuleType(name)
    package.__path__ = [str(place.resolve())]
    return package


def find(paper: str) -> Folder:
    """The folder of a paper: one of the package by its name, or a folder of the user's own by its path.

    Raises:
        PaperError: there is no such paper.
    """
    if is_own(paper):
        place = Path(paper)
        if not place.is_dir():
            known = ", ".join(list_papers())
            raise PaperError(
                f"{cut(paper)}: found no such folder; expected one with a file paper.toml, or one of {known}"
            )
        return Folder(place, paper.rstrip("/"), place)
    for folder in folders():
        if called(folder) == paper:
            return Folder(folder, paper)
    names = list_papers()
    hint = nearest(paper, names) or (f" Did you mean ./{paper}?" if _is_paper(paper) else "")
    raise PaperError(
        f'there is no paper "{cut(paper)}"; expected one of {", ".join(names)}, or a folder such as ./mypaper.{hint}'
    )


def _is_paper(name: str) -> bool:
    """Whether a folder of this name has the file of a paper."""
    try:
        return Path(name, "paper.toml").is_file()
    except OSError:  # The name is too long for a file.
        return False


def folder_of(paper: Paper) -> Folder:
    """The folder that a paper was read from."""
    return find(paper.name) if paper.place is None else Folder(paper.place, str(paper.place), paper.place)
