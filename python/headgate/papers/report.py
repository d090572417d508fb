"""The report of a reproduction: one HTML page, everything in it, its figures as files beside it, and the results as a file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .._core import __version__
from ..base.atomic import atomic, write_text
from ..base.errors import HeadgateError
from ..plots.canvas import to_png, to_svg
from ..plots.pages import render, require_extras
from .figures import draw
from .record import write_record
from .sentences import NULL_SAYS, base_text, best_starts, nulls_text, row_text, skill_text
from .terminal import ours_text, paper_text, published_by, seeds_text, tables, title_of

if TYPE_CHECKING:
    from .model import FigureEntry
    from .reproduction import ItemResult, Reproduction

#: What a note says that it is about, before its first colon or full stop.
_ABOUT = re.compile(r"\b(scenario|chapter|table)s? (\d+(?:\.\d+)?)(?: and (\d+))?", re.IGNORECASE)


def write_report(
    reproduction: Reproduction,
    folder: str | os.PathLike[str],
    above: str = "",
    failures: Sequence[tuple[str, str]] = (),
) -> Path:
    """Writes `index.html`, each figure as SVG and PNG, and `reproduction.json` into `folder`; gives the path of the page.

    Args:
        reproduction: while it still has its runs.
        folder: need not exist yet.
        above: a page that it leads back to.
        failures: items that could not be reproduced, and why.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
        HeadgateError: the folder cannot be written.
    """
    require_extras()
    from markupsafe import Markup

    place = Path(folder)
    try:
        figures = {
            item.item.name: [(f, Markup(svg)) for f, svg in _figures(reproduction, item, place)]
            for item in reproduction.items
        }
    except OSError as e:
        raise HeadgateError(f"{place}: cannot be written; {e.strerror or e}") from None
    page = render(
        "report.html.j2",
        __package__,
        above=above,
        paper=reproduction.paper,
        notes=_notes(reproduction),
        version=__version__,
        command=_command(reproduction),
        items=reproduction.items,
        counts={
            "Numbers that the paper prints": reproduction.counts(),
            "Numbers that it does not print": reproduction.counts_of_others(),
        },
        skill=reproduction.skill,
        others=reproduction.others,
        nulls=reproduction.nulls,
        null_says=NULL_SAYS,
        nulls_text=nulls_text,
        base_text=base_text,
        held=reproduction.held(),
        figures=figures,
        tables=tables,
        title_of=title_of,
        best_starts=best_starts,
        paper_text=paper_text,
        published_by=published_by,
        ours_text=ours_text,
        seeds_text=seeds_text,
        skill_text=skill_text,
        row_text=row_text,
    )
    path = place / "index.html"
    write_text(path, page)
    write_record(reproduction, place, _command(reproduction), failures)
    return path


def _notes(reproduction: Reproduction) -> list[str]:
    """What the paper leaves open: the introduction, and the notes that are not about items, or tables of items, that are not shown."""
    first, *notes = (" ".join(n.split()) for n in reproduction.paper.notes.split("\n- "))
    items = {i.item.name for i in reproduction.items}
    tables = {n.published.table for i in reproduction.items for n in i.numbers}

    def shown(note: str) -> bool:
        head = re.split(r"[:.] ", note, maxsplit=1)[0]
        about = [(m[1].lower(), number) for m in _ABOUT.finditer(head) for number in (m[2], m[3]) if number]
        return not about or any(
            number in tables if kind == "table" else any(re.match(rf"{kind}-{number}(?!\d)", name) for name in items)
            for kind, number in about
        )

    return [first, *filter(shown, notes)]


def _command(reproduction: Reproduction) -> str:
    """The command that makes the same report."""
    names = [i.item.name for i in reproduction.items]
    words = [] if names == [i.name for i in reproduction.paper.items] else names
    return " ".join(["headgate reproduce", reproduction.paper.name, *words, "--report FOLDER"])


def _figures(reproduction: Reproduction, item: ItemResult, place: Path) -> Iterator[tuple[FigureEntry, str]]:
    """Draws the figures of one item and writes their files."""
    for figure in reproduction.paper.figures:
        if figure.item != item.item.name or item.runs is None:
            continue
        drawing = draw(figure, item.runs, item.study)
        svg = to_svg(drawing, figure.title)
        stem = f"{reproduction.paper.name}-{figure.name}"
        write_text(place / f"{stem}.svg", svg)
        with atomic(place / f"{stem}.png") as file:
            file.write_bytes(to_png(drawing))
        yield figure, svg
