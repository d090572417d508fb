"""The page of a report. All judges have the same, and it never takes the place of a page on another subject."""

from __future__ import annotations

import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

from ... import __version__
from ...base.atomic import require_place, write_text
from ...base.errors import HeadgateError, cut
from .report import JudgeReport, document

#: Near the beginning of a page: of whom it is, and a hash of that with the parameters.
_OWNER = re.compile(r'<meta name="headgate-report" content="([^"]*)" data-key="([0-9a-f]*)">')

#: Characters within which it stands.
_BEGIN = 10_000


def require(path: Path, judge: str, subject: str, key: str = "") -> None:
    """Whether the page on a subject may be written there, asked before long work.

    Raises:
        HeadgateError: there is a page on another subject.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            found = _OWNER.search(file.read(_BEGIN))
    except OSError:
        return
    if found is not None and found[2] != _key(judge, key or subject):
        whose = html.unescape(found[1])
        other = " with other parameters" if whose == f"{judge} on {subject}" else ""
        raise HeadgateError(
            f"{path}: found the report of {cut(whose)}{other}; expected another name or folder, or none of this name"
        )


def write_json(report: JudgeReport, data: dict[str, Any], path: Path) -> None:
    """Writes what `--json` prints.

    Raises:
        HeadgateError: it cannot be written.
    """
    _write(path, json.dumps(document(report, data), indent=1, allow_nan=False) + "\n")


def write(report: JudgeReport, path: Path) -> Path:
    """Writes the page; gives its path.

    Raises:
        MissingExtraError: jinja2 is not installed.
        HeadgateError: it cannot be written, or there is a page on another subject.
    """
    from ...plots.pages import render

    require(path, report.judge, report.subject, report.key)
    owner, key = f"{report.judge} on {report.subject}", _key(report.judge, report.key or report.subject)
    _write(path, render("report.html.j2", __package__, report=report, version=__version__, owner=owner, key=key))
    return path


def _write(path: Path, text: str) -> None:
    try:
        write_text(path, text)
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None


def asked(html: str | None, folder: str | Path | None, judge: str, subject: str, key: str = "") -> Path | None:
    """The page that is asked for: what `--html` names, or else that of a folder. Asked before long work.

    Raises:
        HeadgateError: the name is none of a page, it cannot be written there, or there is a page on another subject.
        MissingExtraError: a library of pages is not installed.
    """
    if html is None and folder is None:
        return None
    # Loaded where there is a page: it brings all figures with it.
    from ...plots.pages import require_extras

    if html is not None:
        if not html.endswith(".html"):
            raise HeadgateError(f"--html: found {cut(repr(html))}; expected a name that ends with .html")
        require_place(html)
    require_extras()
    path = Path(html) if html is not None else Path(folder or "", "index.html")
    require(path, judge, subject, key)
    return path


def _key(judge: str, key: str) -> str:
    return hashlib.sha256(f"{judge}\n{key}".encode("utf-8", "replace")).hexdigest()[:16]
