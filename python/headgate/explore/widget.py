"""The explorer in a notebook."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import missing_extra
from ..scenario.scenario import Scenario

if TYPE_CHECKING:
    from .embedded import Widget


def widget(
    scenario: Scenario | Mapping[str, Any] | str | os.PathLike[str] | None = None, allow_code: bool = False
) -> Widget:
    """The explorer in a notebook (Jupyter, marimo): the last line of a cell shows it.

    Args:
        scenario: a scenario, a table of one, a file of one, a trace to replay or the folder of a study; the lessons unless given.
        allow_code: whether the plugins and programs that it names may be run, as for `Scenario`.

    Raises:
        HeadgateError: the file cannot be read, or the folder holds no study.
        ScenarioError: something in the scenario is wrong.
        CodeError: the scenario names code that was not allowed to run.
        MissingExtraError: anywidget or Starlette is not installed.
    """
    for library in ("anywidget", "starlette"):
        if importlib.util.find_spec(library) is None:
            raise missing_extra("the explorer in a notebook", library, "explore")
    from .embedded import Widget
    from .subject import Subject, subject_of

    if scenario is None or isinstance(scenario, str | os.PathLike):
        return Widget(subject_of(None if scenario is None else Path(scenario), allow_code=allow_code))
    given = (scenario if isinstance(scenario, Scenario) else Scenario(dict(scenario))).base()
    if allow_code:
        given.allow_code()
    given.require_code()
    given.resolve()
    # Errors that the page shows later are about what was changed there, not about a file.
    shown = Scenario(given.data)
    return Widget(Subject("scenario", str(shown.data.get("name") or "scenario"), None, shown))
