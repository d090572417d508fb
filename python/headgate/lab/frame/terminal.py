"""The report of a judge in a terminal, or as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...cli.show import print_json
from ...cli.terminal import console
from .report import code, document, lines

if TYPE_CHECKING:
    from .report import JudgeReport


def print_report(
    report: JudgeReport, page: str | Path | None, everything: str, data: dict[str, Any] | None = None
) -> int:
    """Prints a report; gives its exit code.

    Args:
        report: what is said.
        page: its page, if one was written.
        everything: the command that writes a page, where there is none.
        data: all that was found, if JSON is printed.
    """
    if data is not None:
        print_json(document(report, data))
    else:
        out = console()
        for style, line in lines(report, "" if page is None else str(page), everything, out.width):
            # Paths and commands are copied: the terminal breaks a long one, not we.
            out.print(Text(line, style), soft_wrap=True)
    return code(report)
