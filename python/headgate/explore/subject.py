"""What the page begins with: a scenario, a study, papers, or the lessons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import HeadgateError
from ..scenario import Scenario
from ..sweep import open_study
from .papers import Shelf, shelf_of, unknown
from .study import Points


@dataclass
class Subject:
    """What the page begins with."""

    kind: str = "lessons"
    title: str = "headgate"
    file: str | None = None
    scenario: Scenario | None = None
    points: Points | None = None
    shelf: Shelf | None = None


def subject_of(file: Path | None) -> Subject:
    """What a file or a folder holds, or the paper of that name; the lessons if there is none.

    Raises:
        HeadgateError: the file cannot be read, the folder holds neither a study nor a report, or there is no paper of that name.
        ScenarioError: something in the scenario is wrong.
    """
    if file is None:
        return Subject(title="Lessons")
    shelf = shelf_of(file)
    if shelf is not None:
        return Subject("papers", _title(shelf), file.name, shelf=shelf)
    if not file.suffix and not file.exists():
        raise unknown(file)
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


def _title(shelf: Shelf) -> str:
    names = list(shelf.papers)
    return (
        f"{'Paper' if shelf.here else 'Report of'} {names[0]}" if len(names) == 1 else f"Report of {len(names)} papers"
    )
