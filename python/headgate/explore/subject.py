"""What the page begins with: a scenario, a study, or the lessons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import HeadgateError
from ..scenario import Scenario
from ..sweep import open_study
from .study import Points


@dataclass
class Subject:
    """What the page begins with."""

    kind: str = "lessons"
    title: str = "headgate"
    file: str | None = None
    scenario: Scenario | None = None
    points: Points | None = None


def subject_of(file: Path | None) -> Subject:
    """What a file or a folder holds; the lessons if there is none.

    Raises:
        HeadgateError: the file cannot be read, or the folder holds no study.
        ScenarioError: something in the scenario is wrong.
    """
    if file is None:
        return Subject(title="Lessons")
    if file.is_dir():
        study = open_study(file)
        if not len(study.runs):
            raise HeadgateError(f"{file}: no run of this study has ended yet; expected at least one")
        given = Scenario(study.manifest["scenario"])
        return Subject("study", f"Study {file.name}", file.name, given, Points(study))
    scenario = Scenario.from_file(file).base()
    scenario.resolve()
    # Errors that the page shows later are about what was turned there, not about the file.
    return Subject("scenario", str(scenario.data.get("name") or file.name), file.name, Scenario(scenario.data))
