"""The list of cases of `headgate referee`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from ...base.counts import counted
from ...cli.show import print_json
from ...cli.terminal import console

if TYPE_CHECKING:
    from .case import Case


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
