"""The tables and figures of chapter 5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....parallel import Progress
from ...claims import Runs
from ...model import Figure, unknown
from ...study import Section
from . import diagrams, figures, measured, theory
from .walks import Walks, walks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


@dataclass(frozen=True)
class ControlStudy:
    """The runs of the bench, and those on walks."""

    runs: Runs
    walks: Walks
    sections: tuple[Section, ...]

    def draw(self, figure: Figure) -> Drawing:
        """Draws one of the chapter's figures."""
        drawings: dict[str, Callable[[], Drawing]] = {
            "5.1": diagrams.time_diagram,
            "5.3": diagrams.prediction_system,
            "5-stability": figures.stability,
            "5-epochs": figures.epochs,
            "5-step": lambda: figures.step(self.runs),
            "5.2": figures.sets,
            "5-predictors": figures.predictors,
            "5-Kalman": figures.kalman,
            "5-set-point": lambda: figures.setpoints(self.walks),
        }
        if figure.name not in drawings:
            raise unknown("figure of chapter 5", figure.name, drawings)
        return drawings[figure.name]()


def study(runs: Runs, progress: Progress | None) -> ControlStudy:
    """The theory as tables, then what the runs say."""
    found = walks(runs, progress)
    sections = (
        theory.mitra(),
        theory.rests(),
        theory.epochs(),
        theory.eigenvalues(),
        theory.kalman(),
        theory.kalman_epochs(),
        theory.ranks(),
        theory.fuzzy(),
        theory.contest_table(),
        theory.law_5_14_values(),
        measured.step_table(runs, found),
        measured.setpoints(found),
        measured.practice(runs, found),
    )
    return ControlStudy(runs, found, sections)
