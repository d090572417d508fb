"""What the page begins with: a scenario, a study, or the lessons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..scenario import Scenario


@dataclass
class Content:
    """What the page begins with."""

    kind: str = "lessons"
    title: str = "headgate"
    file: str | None = None
    scenario: Scenario | None = None


def content_of(file: Path | None) -> Content:
    """What a file or a folder holds; the lessons if there is none.

    Raises:
        HeadgateError: the file cannot be read.
        ScenarioError: something in the scenario is wrong.
    """
    if file is None:
        return Content(title="Lessons")
    scenario = Scenario.from_file(file).base()
    scenario.resolve()
    # Errors that the page shows later are about what was turned there, not about the file.
    given = Scenario(scenario.data)
    return Content("scenario", str(scenario.data.get("name") or file.name), file.name, given)
