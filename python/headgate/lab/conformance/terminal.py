"""The report of `headgate conform`."""

from __future__ import annotations

import textwrap

from rich.markup import escape

from ...cli.terminal import console
from . import Report


def print_report(report: Report) -> None:
    """A line for each test, and below a failed one what was found."""
    out = console()
    last = ""
    for check in report.checks:
        if check.plugin != last:
            out.print(f"[bold]{escape(check.plugin)}[/]")
            last = check.plugin
        word = "passed" if check.passed else "[bold red]FAILED[/]"
        out.print(f"  {word}  {escape(check.name)}")
        for line in textwrap.wrap(check.found, 70):
            out.print(f"          {escape(line)}", highlight=False)
        for line in check.traceback.splitlines():
            out.print(f"          {escape(line)}", highlight=False, soft_wrap=True)
    failed = sum(not check.passed for check in report.checks)
    out.print(f"{len(report.checks) - failed} of {len(report.checks)} tests passed")
