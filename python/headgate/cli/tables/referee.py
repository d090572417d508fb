"""The matrix of `headgate referee`, and what failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from ...base.counts import counted
from ...lab.referee.report import SIGNS, sentence
from ..show import print_json
from ..terminal import console

if TYPE_CHECKING:
    from ...lab.referee.case import Case
    from ...lab.referee.report import CaseVerdict, RefereeReport

_STYLES = {
    "fail": "bold red",
    "invalid": "bold red",
    "worse": "red",
    "pass": "green",
    "better": "green",
    "open": "yellow",
}


def print_cases(cases: Sequence[Case], as_json: bool) -> None:
    """The cases, one a line."""
    if as_json:
        keys = ("name", "family", "title", "source", "rules")
        print_json([{**{key: getattr(case, key) for key in keys}, "cells": len(case.grid())} for case in cases])
        return
    rows = Table(box=None, pad_edge=False)
    for column in ("case", "what", "source"):
        rows.add_column(column)
    for case in cases:
        rows.add_row(escape(case.name), escape(case.title), escape(case.source))
    out = console()
    out.print(rows)
    out.print(
        f"{counted(len(cases), 'case')}, {counted(sum(len(case.grid()) for case in cases), 'cell')}", highlight=False
    )


def print_report(report: RefereeReport) -> None:
    """A row for each case with a sign for each verdict, the counts, and what failed."""
    out = console()
    out.print(f"[bold]{escape(report.subject)}[/]", highlight=False)
    for family, cases in report.families():
        rows = Table(box=None, pad_edge=False, title=escape(family), title_justify="left", show_header=False)
        rows.add_column("case", no_wrap=True)
        rows.add_column("verdicts", overflow="fold")
        rows.add_column("what")
        for case in cases:
            signs = "".join(_sign(entry) for entry in report.of(case.name))
            rows.add_row(escape(case.name), signs, escape(case.title))
        out.print(rows)
    signs = ", ".join(f"{sign} {name}" for name, sign in SIGNS.items() if sign.strip())
    out.print(f"{signs}; w: a pass that trivial senders have as well", highlight=False)
    counts = Table(box=None, pad_edge=False)
    counts.add_column("line from")
    names = [name for name in SIGNS if any(name in found for found in report.counts().values())]
    for name in names:
        counts.add_column(name, justify="right")
    counts.add_column("weak", justify="right")
    for group, found in report.counts().items():
        counts.add_row(escape(group), *(str(found.get(name, "")) for name in names), str(found.get("weak", "")))
    out.print(counts)
    if weak := [case.name for case in report.cases if report.weak(case.name)]:
        out.print(escape(f"trivial senders pass the whole of {', '.join(weak)}"), highlight=False)
    shown = report.worst()
    for entry in shown:
        out.print(escape(sentence(entry)), highlight=False, soft_wrap=True)
    if more := len(report.worst(len(report.entries))) - len(shown):
        out.print(f"and {more} more: --json and --html have all", highlight=False)


def _sign(entry: CaseVerdict) -> str:
    sign = "w" if entry.weak and entry.verdict == "pass" else SIGNS[entry.verdict]
    style = _STYLES.get(entry.verdict)
    return f"[{style}]{sign}[/]" if style else sign
