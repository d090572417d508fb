"""The files of a matrix: its page, its figures, and the whole as JSON."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.atomic import require_folder
from ...base.counts import counted
from ...plots.canvas import to_svg
from ...plots.pages import require_extras
from ...quick.lists import transports_said
from ..frame import page
from ..frame.report import JudgeReport, Mark, ReportFigure, ReportPart, ReportTable, TableCell
from ..frame.study import failed_runs
from .cell_text import cell_text
from .cells import Condition
from .figures import draw
from .measures import MEASURES

if TYPE_CHECKING:
    from .result import MatrixResult

#: Measures that have figures, where the matrix has them, and those that are shown first.
DRAWN = ("share", "harm", "sparse_p95", "utilisation", "web_p95")

_HARM = (
    "Harm is what A loses because B is there (Ware, Mukerjee, Seshan, Sherry 2019): with x of A alone and y of A beside B it is "
    "(x - y)/x where more is better, and (y - x)/y where less is. The bar for B is the harm that A does to another A, which stands where "
    "A meets itself."
)


def answer(
    result: MatrixResult, folder: Path, shown: Sequence[str] = DRAWN[:3], asked: bool = False, again: str = ""
) -> JudgeReport:
    """A matrix in the form of all judges.

    Args:
        result: the matrix.
        folder: where its scenarios are.
        shown: the measures whose tables come first.
        asked: whether the user named these.
        again: the command that tries failed runs again.
    """
    names, study = ", ".join(result.controls), result.study
    pairs = result.surprises.get("share", [])
    first = f"Of all pairs of {names} none has runs of two different flow controls."
    if pairs:
        share = cell_text(pairs[0].value, MEASURES["share"])
        cell = pairs[0].cell
        first = f"The most unequal pair of {names}: {cell.a} gets {share} of the goodput beside {cell.b} in {cell.condition}."
    failed = failed_runs(study, folder)
    see = [("the failed runs again", again)] if failed and again else []
    for name, found in result.surprises.items():
        if found:
            what = "furthest from 0.5" if name == "share" else f"largest {MEASURES[name].heading}"
            text = cell_text(found[0].value, MEASURES[name])
            see.append((f"{what}, {text}", _explore(folder, result.file_of(found[0].cell))))
    tables = [
        _table(result, name, condition, folder)
        for name in shown
        for condition in result.conditions
        if name in result.measures
    ]
    said = transports_said(result.controls)
    return JudgeReport(
        "matrix",
        names,
        first,
        notes=[
            f"{counted(len(result.cells), 'cell')}, {counted(len(study.runs), 'run')}, seed {study.manifest['seed']}. Rows are A, "
            "columns B; mean ± half of its 95 % interval, or its ends where values have bounds within it.",
            *([said] if said else []),
        ],
        failed=failed,
        see=see,
        tables=tables,
        asked=len(tables) if asked else 0,
        parts=[_about(result)],
    )


def _about(result: MatrixResult) -> ReportPart:
    b = result.beside
    more = (f", a {b.sparse} beside" if b.sparse else "") + (", a web load beside" if b.web else "")
    text = f"Runs are of {b.duration}, of which the first {b.warm_up} are not measured, with "
    text += f"{counted(b.flows, 'flow')} of each control{more}."
    return ReportPart("What was run", [text, _HARM])


def write(result: MatrixResult, said: JudgeReport, folder: str | os.PathLike[str], drawn: bool = True) -> Path | None:
    """Writes `matrix.json`, as `--json` prints it, and unless nothing is drawn `index.html` and the figures into `figures`.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
        HeadgateError: the folder cannot be written, or has a page on another subject.
    """
    place = Path(folder)
    page.write_json(said, result.to_dict(), place / "matrix.json")
    if not drawn:
        return None
    # The tables that a terminal shows are among all of them.
    return page.write(replace(said, tables=(), parts=[*said.parts, *_parts(result, place)]), place / "index.html")


def _parts(result: MatrixResult, folder: Path) -> list[ReportPart]:
    """Figures, the tables of all other measures, and all cells."""
    require_extras()
    figures = []
    require_folder(folder / "figures", "the folder of the figures")
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    for name in (name for name in DRAWN if name in result.measures):
        picture, heading = draw(result, name), MEASURES[name].heading
        for form in ("svg", "png"):
            picture.save(folder / f"figures/{name}.{form}")
        figures.append(ReportFigure(f"{heading}: the darker, the more.", to_svg(picture.matplotlib, heading)))
    stand_out = [
        ReportTable(
            MEASURES[name].heading,
            ("value", "cell", "command"),
            [
                [cell_text(s.value, MEASURES[name]), str(s.cell), f"`{_explore(folder, result.file_of(s.cell))}`"]
                for s in found
            ],
            range(3),
        )
        for name, found in result.surprises.items()
    ]
    cells = [[str(cell), f"`{_explore(folder, result.file_of(cell))}`"] for cell in result.cells]
    tables = [_table(result, name, condition, folder) for name in result.measures for condition in result.conditions]
    return [
        ReportPart("What stands out", tables=stand_out),
        ReportPart("Figures", figures=figures),
        ReportPart(
            "All measures", ["A cell leads to its scenario; its tip has the command that runs and shows it."], tables
        ),
        ReportPart("Cells", tables=[ReportTable("", ("cell", "command"), cells, range(2))]),
    ]


def _explore(folder: Path, file: str) -> str:
    return f"headgate explore {shlex.quote(str(folder / file))}"


def _table(result: MatrixResult, measure: str, condition: Condition, folder: Path) -> ReportTable:
    known = MEASURES[measure]
    others: list[str | None] = [*result.controls]
    if known.of not in ("share", "harm"):
        others.append(None)
    rows = []
    for a in result.controls:
        row: list[TableCell] = [a]
        for b in others:
            cell, _ = result.cell(condition, a, b)
            assert cell is not None
            file = result.file_of(cell)
            row.append(Mark(cell_text(result.at(measure, condition, a, b), known), "", file, _explore(folder, file)))
        rows.append(row)
    return ReportTable(f"{known.heading}: {condition}", ["A", *(b or "alone" for b in others)], rows)
