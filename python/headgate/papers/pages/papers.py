"""Papers, or those of a report, as the explorer asks for them (`explore/pages.py`)."""

from __future__ import annotations

from pathlib import Path

from starlette.routing import Route

from ...explore.runs import Runs
from ..packaged import list_papers
from ..record import FILE
from ..shelf.routes import PaperRoutes
from ..shelf.shelf import Shelf, reports_in, shelf_of

__all__ = ["FILE", "FOLDER", "NAMED", "kind_of", "names", "routes", "shown", "title_of"]

#: The folder that it shows, the file by which it is known, and what it shows by its name.
FOLDER, NAMED = "of a report", "a paper"

names = list_papers
shown = shelf_of


def title_of(shelf: Shelf) -> str:
    """The title of the page."""
    found = list(shelf.papers)
    if len(found) > 1:
        return f"Report of {len(found)} papers"
    return f"{'Paper' if shelf.here else 'Report of'} {found[0]}"


def kind_of(folder: Path) -> str:
    """What a folder is called in a list of files; empty if it is none of ours."""
    if (folder / "paper.toml").is_file():
        return "paper"
    return "report" if reports_in(folder) else ""


def routes(shelf: Shelf | None, runs: Runs) -> list[Route]:
    """The requests about them; all fail where the page shows none."""
    return PaperRoutes(shelf, runs).routes()
