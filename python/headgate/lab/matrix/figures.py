"""Heat maps of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...plots.canvas import Picture
from ...plots.grids import Panel, grids
from .cell_text import cell_text
from .cells import Condition
from .measures import MEASURES

if TYPE_CHECKING:
    from .result import MatrixResult


def draw(result: MatrixResult, measure: str, conditions: Sequence[Condition] | None = None) -> Picture:
    """A measure, a panel for each condition: A is the row, B the column, and the mean and half of its interval stand in the cell.

    Raises:
        HeadgateError: there is no such measure.
        MissingExtraError: matplotlib is not installed.
    """
    known = MEASURES[measure]
    chosen = result.conditions if conditions is None else list(conditions)
    panels = []
    for condition in chosen:
        grid = result.grid(measure, condition)
        values = [[mean.mean * known.scale for mean in row] for row in grid]
        texts = [[cell_text(mean, known, "\n") for mean in row] for row in grid]
        panels.append(Panel(str(condition), values, texts))
    limits = (0.0, 1.0) if known.of in ("share", "harm") else None
    return grids(panels, result.controls, result.controls, known.heading, ("A", "B"), limits)
