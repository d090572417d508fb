"""The files of a report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ...base.atomic import is_stream, require_place, write_text
from ...base.errors import HeadgateError, cut
from ..frame import page
from ..frame.report import JudgeReport
from ..frame.subjects import Judged
from . import badge as badges
from . import evidence, junit
from .page import parts
from .report import RefereeReport

#: Called with (share done, files done, files in all).
Progress = Callable[[float, int, int], object]


def pages(out: str | None, html: str | None) -> list[Path]:
    """The pages that are asked for."""
    return [*([] if html is None else [Path(html)]), *([] if out is None else [Path(out) / "index.html"])]


def require(
    out: str | None, html: str | None, junit: str | None, badge: str | None, subject: str = "", key: str = ""
) -> None:
    """Checks that the files can be written, before anything is run.

    Raises:
        HeadgateError: one cannot, or there is a page on another subject.
    """
    for option, name, ending in (("--html", html, ".html"), ("--junit", junit, ".xml"), ("--badge", badge, ".svg")):
        if name is None:
            continue
        # A page has files beside it; the others may go to a pipe or to /dev/stdout.
        if not name.endswith(ending) and (name == html or not is_stream(name)):
            raise HeadgateError(f"{option}: found {cut(repr(name))}; expected a name that ends with {ending}")
        if out is None or Path(name).parent != Path(out):
            require_place(name)
    for path in pages(out, html):
        from ...plots.pages import require_extras

        require_extras()
        page.require(path, "referee", subject, key)


def write(
    report: RefereeReport,
    said: JudgeReport,
    subject: Judged,
    out: str | None = None,
    html: str | None = None,
    junit_file: str | None = None,
    badge: str | None = None,
    captures: bool = False,
    progress: Progress | None = None,
) -> None:
    """Writes those that are asked for. A folder gets all of them: report.json, index.html, junit.xml and badge.svg."""
    if out is not None:
        page.write_json(said, report.to_dict(), Path(out) / "report.json")
    for path in dict.fromkeys(pages(out, html)):
        files = evidence.write(report, subject, path.parent, f"{path.stem}-files", captures, progress)
        page.write(replace(said, parts=parts(report, files)), path)
    for file, name, make in ((junit_file, "junit.xml", junit.text), (badge, "badge.svg", badges.svg)):
        for path in ([Path(file)] if file is not None else []) + ([Path(out) / name] if out is not None else []):
            write_text(path, make(report))
