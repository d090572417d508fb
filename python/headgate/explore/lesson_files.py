"""Lessons of a user's own: files of a folder, checked as a whole before the page begins.

The lessons of the package need no such check when the page starts: tests/tool/test_explore_lessons.py makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from .. import _core
from ..base.data_folder import DataFolder
from ..base.errors import HeadgateError, ScenarioError
from ..base.forms import ClosedForm, Name, Table, checked, one_of, wrong
from ..scenario.scenario import Scenario
from .controls import controls, with_value
from .lesson import Lesson, lessons, made, ran
from .number_paths import measured
from .store import Finished


@dataclass(frozen=True)
class ConditionForm(ClosedForm):
    """A condition on what the run gave."""

    value: Name
    over: str = ""
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class AnswerForm(ClosedForm):
    """An answer, and when it is right."""

    text: Name
    holds: tuple[ConditionForm, ...]


@dataclass(frozen=True)
class VariantForm(ClosedForm):
    """A further variant that the answer shows."""

    text: Name
    set: Table


@dataclass(frozen=True)
class LessonForm(ClosedForm):
    """The keys of the file of a lesson."""

    title: Name
    text: tuple[Name, ...]
    change: Name
    to: bool | int | float | str
    question: Name
    view: Name
    shows: tuple[Name, ...]
    why: Name
    answers: tuple[AnswerForm, ...]
    scenario: Table
    also: tuple[VariantForm, ...] = field(default_factory=tuple)


def with_own(
    folder: Path, allow_code: bool = False, warn: Callable[[str], object] = lambda text: None
) -> Mapping[str, Lesson]:
    """The lessons of the package and those of a folder, by name; one of the same name takes the place of ours.

    Each is run, so that exactly one of its answers is known to be right; `allow_code` says whether code that they name may run. `warn` is
    called with each sentence about what such an answer rests on, such as a seed.

    Raises:
        HeadgateError: there is no such folder, it has no file `*.toml`, or something in a file is wrong; the text names the file, the
            place in it, what was found and what was expected.
        ScenarioError: the same, in the scenario of a lesson.
    """
    if not folder.is_dir():
        raise HeadgateError(f"--lessons: found {folder}; expected a folder with lessons, files *.toml")
    names = sorted(file.name for file in folder.glob("*.toml"))
    if not names:
        raise HeadgateError(f"--lessons: {folder} has no file *.toml; expected a file for each lesson")
    own = [_read(DataFolder(folder, str(folder), "a lesson"), name, allow_code, warn) for name in names]
    return lessons() | {lesson.name: lesson for lesson in own}


def _read(folder: DataFolder, name: str, allow_code: bool, warn: Callable[[str], object]) -> Lesson:
    data, origin = folder.toml(name), folder.origin(name)
    form = checked(LessonForm, data, origin)
    for key, least in (("text", 1), ("shows", 1), ("answers", 2)):
        if len(getattr(form, key)) < least:
            found = "an empty list" if not getattr(form, key) else "a list of 1"
            entries = "entry" if least == 1 else "entries"
            raise HeadgateError(f"{origin}: {key}: found {found}; expected at least {least} {entries}")
    for i, answer in enumerate(form.answers):
        if not answer.holds:
            raise wrong(origin, f"answers[{i}].holds", "expected at least one condition, a table with the key `value`")
        for k, condition in enumerate(answer.holds):
            if condition.least is None and condition.most is None:
                raise wrong(origin, f"answers[{i}].holds[{k}]", "expected the key `least`, the key `most`, or both")
    lesson = made(Path(name).stem, data)
    Scenario(lesson.scenario, f"{origin}: scenario", allow_code).require_code()
    check(lesson, origin)
    changed = with_value(Scenario(lesson.scenario), lesson.change, lesson.to)
    for sentence in lesson.cautions(changed, _core.Control()):
        warn(f"{origin}: {sentence}")
    return lesson


def check(lesson: Lesson, origin: str) -> None:
    """Runs a lesson in all its variants and looks at whatever its file names.

    Raises:
        HeadgateError: something is wrong; `origin` is the name of the file.
        ScenarioError: the same, in its scenario.
    """
    Scenario(lesson.scenario, f"{origin}: scenario").resolve()
    before = Scenario(lesson.scenario)
    one_of(origin, "change", lesson.change, [c["path"] for c in controls(before)], "controls of the scenario")
    if lesson.changed(before):
        raise wrong(
            origin, "to", f"expected another value than the one that the scenario has at {lesson.change}", lesson.to
        )
    try:
        after = with_value(before, lesson.change, lesson.to)
    except (HeadgateError, ScenarioError) as e:
        raise HeadgateError(f"{origin}: to: {e}") from None
    try:
        variants = lesson.variants(after)
    except (HeadgateError, ScenarioError) as e:
        raise HeadgateError(f"{origin}: also: {e}") from None
    for i, (_, variant) in enumerate(variants):
        run = ran(variant, _core.Control())
        for k, path in enumerate(lesson.shows):
            _measure(origin, f"shows[{k}]", path, run)
        if i == 1:
            one_of(origin, "view", lesson.view, [view.name for view in run.views], "views of the run")
            for k, answer in enumerate(lesson.answers):
                for n, condition in enumerate(answer["holds"]):
                    for key in ("value", "over"):
                        if condition.get(key):
                            _measure(origin, f"answers[{k}].holds[{n}].{key}", condition[key], run)
            held = len(lesson.holding(run))
            if held != 1:
                values = "; ".join(f"{each.label}: {each.text}" for each in lesson.numbers(run))
                raise HeadgateError(
                    f"{origin}: answers: {f'{held} hold' if held else 'none holds'}; expected one. The run gave: {values}"
                )


def _measure(origin: str, place: str, path: str, run: Finished) -> None:
    try:
        measured(path, run)
    except HeadgateError as e:
        raise HeadgateError(f"{origin}: {place}: {e}") from None
