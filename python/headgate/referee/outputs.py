"""The files of a report."""

from __future__ import annotations

import json
from pathlib import Path

from ..base.atomic import require_place, write_text
from ..base.errors import HeadgateError, cut
from .report import Report
from .subjects import Subject


def require(out: str | None, html: str | None, junit: str | None, badge: str | None) -> None:
    """Checks that the files can be written, before anything is run.

    Raises:
        HeadgateError: one cannot.
    """
    for option, name, ending in (("--html", html, ".html"), ("--junit", junit, ".xml"), ("--badge", badge, ".svg")):
        if name is None:
            continue
        if not name.endswith(ending):
            raise HeadgateError(f"{option}: found {cut(repr(name))}; expected a name that ends with {ending}")
        if out is None or Path(name).parent != Path(out):
            require_place(name)


def write(
    report: Report, subject: Subject, out: str | None, html: str | None, junit: str | None, badge: str | None
) -> None:
    """Writes those that are asked for; the folder gets the report as JSON."""
    if out is not None:
        write_text(Path(out) / "report.json", json.dumps(report.to_dict(), indent=1) + "\n")
