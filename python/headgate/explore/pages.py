"""Pages that floors above have here: each is a module in a folder `pages`, which is loaded when a file is looked at or a server begins.

Such a module has `shown(file, allow_code)`, which gives what it shows of a file or a name, or None; `title_of` that; `routes(that, runs)`,
the requests about it, and about None where the page shows something else; `names()`, what it shows by a name, which is `NAMED`; `FOLDER`,
the folder that it shows, with a `FILE`; and `kind_of(folder)`, what a folder of it is called in a list of files, or an empty text.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from starlette.routing import Route

from ..base.errors import HeadgateError, cut, nearest
from ..base.floors import registered
from .runs import Runs


def _pages() -> dict[str, ModuleType]:
    return {name: page.load() for name, page in registered("pages").items()}


def shown(file: Path, allow_code: bool) -> tuple[str, str, Any] | None:
    """The kind of the page that shows a file, a folder or a name, its title, and what it shows.

    Raises:
        CodeError: code of a folder would have to run, and was not allowed to.
        HeadgateError: something in it is wrong.
    """
    for kind, page in _pages().items():
        found = page.shown(file, allow_code)
        if found is not None:
            return kind, page.title_of(found), found
    return None


def kind_of(folder: Path) -> str:
    """What a folder is called that such a page shows; empty if there is none."""
    return next(filter(None, (page.kind_of(folder) for page in _pages().values())), "")


def routes(kind: str, held: Any, runs: Runs) -> list[Route]:
    """The requests of all of them, of which one shows `held`."""
    return [route for name, page in _pages().items() for route in page.routes(held if name == kind else None, runs)]


def unknown(file: Path) -> HeadgateError:
    """The error for a name that is neither a file nor anything else."""
    pages = _pages().values()
    folders = " or ".join(["of a study", *(page.FOLDER for page in pages)])
    named = "".join(f", or {page.NAMED}: one of {', '.join(page.names())}" for page in pages)
    hint = nearest(file.name, [name for page in pages for name in page.names()])
    return HeadgateError(
        f"{cut(file)}: found no such file or folder; expected a scenario, the folder {folders}{named}.{hint}"
    )


def no_study(folder: Path) -> HeadgateError:
    """The error for a folder that holds nothing that is known."""
    known = ["of a study, with manifest.json", *(f"{page.FOLDER}, with {page.FILE}" for page in _pages().values())]
    return HeadgateError(f"{folder}: expected the folder {', or '.join(known)}; found neither")
