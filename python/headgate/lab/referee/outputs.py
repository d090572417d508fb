"""The files of a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from ...base.atomic import is_stream, require_place, write_text
from ...base.errors import HeadgateError, cut
from ..frame.subjects import Judged
from . import badge as badges
from . import evidence, junit, page
from .report import RefereeReport

#: Called with (share done, files done, files in all).
Progress = Callable[[float, int, int], object]


def require(out: str | None, html: str | None, junit: str | None, badge: str | None) -> None:
    """Checks that the files can be written, before anything is run.

    Raises:
        HeadgateError: one cannot.
    """
    for option, name, ending in (("--html", html, ".html"), ("--junit", junit, ".xml"), ("--badge", badge, ".svg")):
        if name is None:
            continue
        # A page has files beside it; the others may go to a pipe or to /dev/stdout.
        if not name.endswith(ending) and (name == html or not is_stream(name)):
            raise HeadgateError(f"{option}: found {cut(repr(name))}; expected a name that ends with {ending}")
        if out is None or Path(name).parent != Path(out):
            require_place(name)
    if html is not None or out is not None:
        from ...plots.pages import require_extras

        require_extras()


def write(
    report: RefereeReport,
    subject: Judged,
    out: str | None = None,
    html: str | None = None,
    junit_file: str | None = None,
    badge: str | None = None,
    captures: bool = False,
    progress: Progress | None = None,
) -> None:
    """Writes those that are asked for. A folder gets all of them: report.json, index.html, junit.xml and badge.svg."""
    pages = [Path(html)] if html is not None else []
    if out is not None:
        folder = Path(out)
        write_text(folder / "report.json", json.dumps(report.to_dict(), indent=1, allow_nan=False) + "\n")
        pages.append(folder / "index.html")
    for path in dict.fromkeys(pages):
        files = evidence.write(report, subject, path.parent, f"{path.stem}-files", captures, progress)
        page.write(report, path, files)
    for file, name, text in ((junit_file, "junit.xml", junit.text), (badge, "badge.svg", badges.svg)):
        for path in ([Path(file)] if file is not None else []) + ([Path(out) / name] if out is not None else []):
            write_text(path, text(report))
