"""Pages of the explorer that floors above have: found by the name of a folder, and asked for what they show."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headgate.base.errors import HeadgateError
from headgate.base.floors import registered
from headgate.explore import pages
from headgate.explore.front.folder import found_in
from headgate.explore.request import reply
from headgate.explore.subject import Subject, subject_of

from ..explorer import Page


async def _count(_: Request) -> Response:
    return reply({"stones": 3})


#: A page of folders with a file `stones.txt`, and of what is called `heap`.
HEAPS = SimpleNamespace(
    FOLDER="of a heap",
    FILE="stones.txt",
    NAMED="a heap",
    names=lambda: ["heap"],
    shown=lambda file, _: "stones" if (file / "stones.txt").is_file() or str(file) == "heap" else None,
    title_of=lambda _: "Heap",
    kind_of=lambda folder: "heap" if (folder / "stones.txt").is_file() else "",
    routes=lambda held, _: [Route("/api/heap", _count)] if held else [],
)


@pytest.fixture
def heaps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_pages", lambda: {"heaps": HEAPS})


def test_papers_are_such_a_page() -> None:
    assert registered("pages")["papers"].name == "headgate.papers.pages.papers"


@pytest.mark.usefixtures("heaps")
def test_a_page_of_another_floor_shows_what_it_knows(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/stones.txt").write_text("3")
    found = subject_of(tmp_path / "a")
    assert (found.kind, found.title, found.shelf) == ("heaps", "Heap", "stones")
    assert [entry.kind for entry in found_in(tmp_path)] == ["heap"]
    assert Page(found).get("/api/heap").json() == {"stones": 3}
    assert Page(Subject()).get("/api/heap").status_code == 404


@pytest.mark.usefixtures("heaps")
def test_an_error_names_what_such_pages_show(tmp_path: Path) -> None:
    with pytest.raises(HeadgateError, match="the folder of a study or of a heap, or a heap: one of heap"):
        subject_of(Path("heep"))
    with pytest.raises(
        HeadgateError, match=r"of a study, with manifest\.json, or of a heap, with stones\.txt; found neither"
    ):
        subject_of(tmp_path)
