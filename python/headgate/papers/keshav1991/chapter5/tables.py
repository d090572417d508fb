"""The tables and figures of chapter 5."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ....base.parallel import Progress
from ...claims import Runs
from ...study import Shown
from . import diagrams, figures, run_tables, theory
from .walks import walks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing


def study(runs: Runs, progress: Progress | None) -> Shown:
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
        run_tables.step_table(runs, found),
        run_tables.setpoints(found),
        run_tables.practice(runs, found),
    )
    drawings: dict[str, Callable[[], Drawing]] = {
        "5.1": diagrams.time_diagram,
        "5.3": diagrams.prediction_system,
        "5-stability": figures.stability,
        "5-epochs": figures.epochs,
        "5-step": lambda: figures.step(runs),
        "5.2": figures.sets,
        "5-predictors": figures.predictors,
        "5-Kalman": figures.kalman,
        "5-set-point": lambda: figures.setpoints(found),
    }
    return Shown(sections, drawings, theory.values())
