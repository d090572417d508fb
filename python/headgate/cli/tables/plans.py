"""What commands that make a study of cells print of it: before its runs, and after them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from ...base.counts import counted
from ...quick.lists import transports_said
from ..terminal import console

if TYPE_CHECKING:
    from ...sweep import Study

#: Cells that a plan lists.
MOST = 20


def time_text(seconds: float) -> str:
    """A time in words, as near as an estimate is.

    >>> [time_text(x) for x in (0.2, 34, 340, 34_000)]
    ['less than 1 s', '34 s', '6 min', '9.4 h']
    """
    if seconds < 1:
        return "less than 1 s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def print_transports(controls: Sequence[str]) -> None:
    """A sentence if flow controls differ in their transport, too."""
    said = transports_said(controls)
    if said:
        console().print(said, markup=False)


def print_end(study: Study, folder: Path, what: str) -> None:
    """What failed of a study of cells, and where `what` is."""
    out = console()
    failed = study.failures.to_pylist() if len(study.failures) else []
    for row in failed[:5]:
        out.print(f"[bold red]failed:[/] {escape(row['cell'])}: {escape(row['error'])}", soft_wrap=True)
    if failed:
        out.print(f"[bold red]{counted(len(failed), 'run')} failed[/]; --resume tries them again")
    out.print(f"{what} are in {escape(str(folder))}", soft_wrap=True)
