"""What `headgate matrix` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.markup import escape

from ...base.counts import counted
from ...cli.tables.plans import MOST, print_end, print_transports, time_text
from ...cli.terminal import console
from . import MEASURES, Condition, Matrix, MatrixResult
from .cell_text import cell_text

#: Spaces between two columns.
_GAP = 2


def print_plan(matrix: Matrix, expected: float) -> None:
    """The cells, and how long their runs are expected to take."""
    out = console()
    for cell in matrix.cells[:MOST]:
        out.print(escape(str(cell)), soft_wrap=True)
    if len(matrix.cells) > MOST:
        out.print(f"and {len(matrix.cells) - MOST} more; --json has them all")
    print_transports(matrix.controls)
    out.print(
        f"{counted(len(matrix.cells), 'cell')}, {counted(matrix.runs, 'run')}, about {time_text(expected)} of processor time, "
        "one core"
    )
    out.print("nothing was run")


def print_matrix(result: MatrixResult, measures: Sequence[str], folder: Path, page: Path | None) -> None:
    """A table for each measure and condition, and what stands out."""
    out = console()
    runs = len(result.study.runs)
    out.print(
        f"[bold]matrix[/]  {counted(len(result.cells), 'cell')}, {counted(runs, 'run')}, seed {result.study.manifest['seed']}"
    )
    out.print(
        "rows are A, columns B; mean ± half of its 95 % interval, or the ends of that where values have bounds within it"
    )
    print_transports(result.controls)
    for name in measures:
        for condition in result.conditions:
            out.print()
            out.print(f"[bold]{escape(MEASURES[name].heading)}[/]")
            out.print(escape(str(condition)), soft_wrap=True)
            for line in table_lines(result, name, condition, out.width):
                out.print(line, markup=False, soft_wrap=True)
    for name, found in result.surprises.items():
        if found:
            furthest = "furthest from 0.5" if name == "share" else "largest"
            out.print()
            out.print(f"[bold]{furthest}[/]: {escape(MEASURES[name].heading)}")
            for s in found:
                # Short first: in 80 columns names of cells may take a second line.
                text = cell_text(s.value, MEASURES[name])
                out.print(f"  {text:<13} {escape(str(s.cell))}", soft_wrap=True)
                out.print(f"    headgate explore {escape(str(folder / result.file_of(s.cell)))}", soft_wrap=True)
    out.print()
    print_end(result.study, folder, "cells.parquet, matrix.json and the study")
    if page is not None:
        out.print(f"report: {escape(str(page))}", soft_wrap=True)


def table_lines(result: MatrixResult, measure: str, condition: Condition, width: int) -> list[str]:
    """The lines of a table; where its columns do not fit, the rest of them stands below."""
    known = MEASURES[measure]
    others: list[str | None] = [*result.controls]
    if known.of not in ("share", "harm"):
        others.append(None)
    cells = {(a, b): cell_text(result.at(measure, condition, a, b), known) for a in result.controls for b in others}
    first = max(map(len, result.controls))
    columns = {b: [b or "alone", *(cells[a, b] for a in result.controls)] for b in others}
    widths = {b: max(map(len, texts)) for b, texts in columns.items()}
    out: list[str] = []
    while others:
        part: list[str | None] = []
        used = first
        while others and (not part or used + _GAP + widths[others[0]] <= width):
            part.append(others.pop(0))
            used += _GAP + widths[part[-1]]
        for i, name in enumerate(["", *result.controls]):
            out.append((f"{name:<{first}}" + "".join(f"{columns[b][i]:>{_GAP + widths[b]}}" for b in part)).rstrip())
        if others:
            out.append("")
    return out
