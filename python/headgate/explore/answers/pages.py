"""Comparisons, lessons and studies."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class PairDifference(TypedDict):
    """What differs between two variants; from two seeds on with its interval, corrected for all that are compared, if there is one."""

    metric: str
    flow: str | None
    a: float | None
    b: float | None
    difference: float | None
    low: float | None
    high: float | None
    unit: str | None


class Change(TypedDict):
    """A value in which two scenarios differ."""

    path: str
    a: Any
    b: Any


class ComparisonDone(TypedDict):
    """Two variants against each other."""

    differences: list[PairDifference]
    sentences: list[str]
    #: What chance has to do with it.
    notes: list[str]
    changed: list[Change]
    seeds: int
    #: Differences below this part of A's value are left out, and how many they are.
    least: float
    left_out: int
    #: Of replays: whether one of them drew random numbers; otherwise other seeds give the same.
    random: NotRequired[bool]


class LessonInfo(TypedDict):
    """A lesson's page."""

    name: str
    title: str
    text: list[str]
    #: The place in the scenario that is changed, its control's label, and its values in words: in `scenario`, and in the question.
    change: str
    label: str
    before: str
    after: str
    question: str
    answers: list[str]
    scenario: dict[str, Any]
    view: str


class LessonCase(TypedDict):
    """A variant of a lesson's scenario and what it gave, as texts."""

    name: str
    values: list[str]


class LessonDone(TypedDict):
    """The answer to the question of a lesson; `right` is null where the scenario has another value than the one that is asked about."""

    right: bool | None
    #: The text of the answer that holds.
    answer: str | None
    why: str
    #: What was measured, and the values in all variants.
    columns: list[str]
    cases: list[LessonCase]
    #: Sentences about what the answer rests on, such as a seed or a run that has not settled.
    cautions: list[str]


class StudyAxis(TypedDict):
    """An axis of a study."""

    name: str
    points: list[str]


class StudyMetric(TypedDict):
    """A metric of a study."""

    name: str
    label: str
    unit: str


class StudyInfo(TypedDict):
    """A study's axes and metrics."""

    axes: list[StudyAxis]
    metrics: list[StudyMetric]
    complete: bool
    flows: list[str]


class StudyGrid(TypedDict):
    """The means of a metric over two axes; `halves` are half the 95 % intervals, where there are any."""

    x: list[str]
    y: list[str]
    values: list[list[float | None]]
    halves: list[list[float | None]] | None
    #: Sentences on what was averaged, and why there may be no intervals.
    notes: list[str]
    #: The number of the variant behind each cell.
    variants: list[list[int | None]]


class Variant(TypedDict):
    """The scenario behind a point of a study."""

    scenario: dict[str, Any]
    seed: int
