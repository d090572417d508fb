"""The files of a matrix: its page, its figures, and the whole as JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...base.atomic import write_text
from ...base.errors import HeadgateError
from ...plots.canvas import to_svg
from ...plots.pages import render, require_extras
from .cell_text import cell_text
from .figures import draw
from .measures import MEASURES

if TYPE_CHECKING:
    from .result import MatrixResult

__all__ = ["require_extras", "write_json", "write_report"]

#: Measures that have figures, where the matrix has them.
DRAWN = ("share", "harm", "sparse_p95", "utilisation", "web_p95")


def write_json(result: MatrixResult, folder: str | os.PathLike[str]) -> Path:
    """Writes `matrix.json`, as `--json` prints it.

    Raises:
        HeadgateError: it cannot be written.
    """
    path = Path(folder) / "matrix.json"
    _write(path, json.dumps(result.to_dict(), indent=1, allow_nan=False) + "\n")
    return path


def write_report(result: MatrixResult, folder: str | os.PathLike[str]) -> Path:
    """Writes `index.html` and the figures into `figures`; gives the path of the page.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
        HeadgateError: the folder cannot be written.
    """
    require_extras()
    from markupsafe import Markup

    place = Path(folder)
    figures = []
    for name in DRAWN:
        if name in result.measures:
            picture = draw(result, name)
            for form in ("svg", "png"):
                (place / "figures").mkdir(parents=True, exist_ok=True)
                picture.save(place / f"figures/{name}.{form}")
            figures.append((MEASURES[name].heading, Markup(to_svg(picture.matplotlib, MEASURES[name].heading))))
    page = render(
        "matrix.html.j2",
        __package__,
        result=result,
        version=__version__,
        folder=str(place),
        figures=figures,
        tables=[
            (MEASURES[name], [(str(c), _rows(result, name, c)) for c in result.conditions]) for name in result.measures
        ],
        surprises=[
            (
                MEASURES[name].heading,
                [(cell_text(s.value, MEASURES[name]), s.cell, result.file_of(s.cell)) for s in found],
            )
            for name, found in result.surprises.items()
        ],
        cells=[(str(cell), result.file_of(cell)) for cell in result.cells],
    )
    _write(place / "index.html", page)
    return place / "index.html"


def _rows(result: MatrixResult, name: str, condition: Any) -> list[tuple[str, list[tuple[str, str]]]]:
    """The rows of a table: each cell with the file of its scenario."""
    out = []
    for a in result.controls:
        cells = []
        for b in result.controls:
            cell, _ = result.cell(condition, a, b)
            assert cell is not None
            cells.append((cell_text(result.at(name, condition, a, b), MEASURES[name]), result.file_of(cell)))
        out.append((a, cells))
    return out


def _write(path: Path, text: str) -> None:
    try:
        write_text(path, text)
    except OSError as e:
        raise HeadgateError(f"{path}: cannot be written; {e.strerror or e}") from None
