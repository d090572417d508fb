"""The report of several papers: a first page with what of each stands, a page per paper with its misses, and the papers' own reports."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.atomic import write_text
from ...base.errors import HeadgateError
from ...plots.pages import render
from ...sweep.engines import processors
from ..misses import missed
from ..report import write_report
from ..reproduction import Reproduction
from .run import PaperResult, Whole
from .summary import Counts, Summary, summary_of
from .systems import systems

#: The parts of a bar: what it counts, its sign, and its name in the style.
PARTS = (
    ("only_ours", "●", "match that only ours has"),
    ("shared", "○", "match that the trivial model or a wrong pair has too"),
    ("some_run", "~", "met in some run"),
    ("undecided", "?", "undecided"),
    ("miss", "✗", "miss"),
)


def write_paper(
    reproduction: Reproduction, folder: str | os.PathLike[str], failures: Sequence[tuple[str, str]] = ()
) -> None:
    """Writes the report of one paper and the page of its misses into a folder below `folder`.

    `failures` are its items that could not be reproduced, and why.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
        HeadgateError: the folder cannot be written.
    """
    place = Path(folder) / reproduction.paper.name
    write_report(reproduction, place, "../index.html", failures)
    items = list(missed(reproduction))
    every = [m for _, claims, numbers in items for m in (*claims, *numbers)]
    _write(
        place / "misses.html",
        render(
            "misses.html.j2",
            __package__,
            paper=reproduction.paper,
            items=items,
            summary=summary_of(reproduction.items),
            known=sum(m.known for m in every),
            every=len(every),
            version=__version__,
        ),
    )


def write_index(whole: Whole, folder: str | os.PathLike[str], engine: str) -> Path:
    """Writes the first page; gives its path. `engine` says in words where the runs were made.

    Raises:
        HeadgateError: the folder cannot be written.
    """
    path = Path(folder) / "index.html"
    reproductions = [p.reproduction for p in whole.papers]
    summaries = {p.paper.name: summary_of(p.reproduction.items) for p in whole.papers}
    page = render(
        "index.html.j2",
        __package__,
        whole=whole,
        papers=whole.papers,
        summaries=summaries,
        total=total(list(summaries.values())),
        bars={name: bar(s.printed) for name, s in summaries.items()},
        parts=PARTS,
        items_of=_items_of,
        systems={"disciplines": systems(reproductions, "queue"), "flow controls": systems(reproductions, "control")},
        seeds=_seeds(whole.papers),
        version=__version__,
        command=shlex.join(["headgate", *sys.argv[1:]]),
        engine=engine,
        machine=f"{platform.system()} {platform.machine()}, {processors()} processors, Python {platform.python_version()}",
        time_text=time_text,
    )
    _write(path, page)
    return path


def total(summaries: list[Summary]) -> Summary:
    """All of them added up."""
    return sum(summaries, Summary())


def bar(found: Counts) -> list[tuple[str, str, str, int, float]]:
    """The parts of a bar that are not empty: name, sign, meaning, count and share of the tested numbers in percent."""
    counts = {**asdict(found), "shared": found.match - found.only_ours}
    return [
        (key, sign, text, counts[key], 100 * counts[key] / found.tested) for key, sign, text in PARTS if counts[key]
    ]


def time_text(seconds: float) -> str:
    """A time in words.

    >>> time_text(0.4), time_text(75.2), time_text(3700)
    ('0.4 s', '1 min 15 s', '1 h 1 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def _items_of(paper: PaperResult) -> list[tuple[Any, Summary, Any]]:
    results = paper.reproduction.items
    return [(r, summary_of([r]), took) for r, took in zip(results, paper.items, strict=True)]


def _seeds(papers: tuple[PaperResult, ...]) -> str:
    """How many runs with random start phases verdicts rest on, by paper."""

    def of(paper: PaperResult) -> str:
        seeds = sorted({i.seeds for i in paper.paper.items})
        return str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"

    return ", ".join(f"{p.paper.name} {of(p)}" for p in papers)


def _write(path: Path, text: str) -> None:
    try:
        write_text(path, text)
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
