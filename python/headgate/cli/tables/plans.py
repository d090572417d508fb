"""What commands that make a study of cells print of it before its runs."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from ...base.counts import counted
from ..terminal import console

#: Cells that a plan lists.
MOST = 20

#: What is listed, by its key in the plan, with its singular.
_LISTED = {"cells": "cell", "mixes": "mix", "strategies": "strategy"}


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


def print_plan(asked: Any, expected: float) -> None:
    """The cells of a matrix, or the mixes or strategies of a game, and how long their runs are expected to take."""
    out, plan = console(), asked.to_dict()
    several = next(name for name in _LISTED if name in plan)
    named = plan[several]
    for text in named[:MOST]:
        out.print(escape(text), soft_wrap=True)
    if len(named) > MOST:
        out.print(f"and {len(named) - MOST} more: the same command with --json has all")
    if asked.transports:
        out.print(asked.transports, markup=False)
    out.print(
        f"{counted(len(named), _LISTED[several], several)}, {counted(asked.runs, 'run')}, about {time_text(expected)} of processor "
        "time, one core"
    )
    out.print("nothing was run")
