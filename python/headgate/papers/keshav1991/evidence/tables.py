"""The two tables: conclusions of section 6.7, requirements of section 7.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....parallel import Progress
from ...claims import Runs
from ...model import Figure, unknown
from ...study import Section
from .conclusions import CONCLUSIONS
from .requirements import REQUIREMENTS
from .rows import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

_WORDS = {True: "holds", False: "does not hold", None: "open"}


@dataclass(frozen=True)
class Evidence:
    """The tables; there are no figures."""

    sections: tuple[Section, ...]

    def draw(self, figure: Figure) -> Drawing:
        """There is nothing to draw."""
        raise unknown("figure of the evidence", figure.name, ())


def study(runs: Runs, _progress: Progress | None) -> Evidence:
    """Tests every row on the item's runs."""
    return Evidence(
        (
            _section("section 6.7: conclusions", CONCLUSIONS, runs),
            _section("section 7.3: requirements re-examined", REQUIREMENTS, runs),
        )
    )


def _section(title: str, rows: Sequence[Row], runs: Runs) -> Section:
    found = [row.test(runs) for row in rows]
    verdicts = tuple(None if holds is None else bool(holds) for holds, _ in found)
    lines = tuple(
        (row.statement, row.measure, measured, _WORDS[holds])
        for row, (_, measured), holds in zip(rows, found, verdicts, strict=True)
    )
    return Section(title, ("statement", "measure", "measured", "verdict"), lines, verdicts=verdicts)
