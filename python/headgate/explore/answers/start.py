"""What the page begins with, controls, links and errors."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict


class ErrorBody(TypedDict):
    """Why a request was not answered."""

    message: str
    #: The place in the scenario that is wrong.
    path: str | None
    line: int | None


class Failure(TypedDict):
    """The form of all answers with a status from 400 on."""

    error: ErrorBody


class LessonName(TypedDict):
    """A lesson in the list of lessons."""

    name: str
    title: str


class ControlChoice(TypedDict):
    """One of the values that a control may have."""

    value: str | float | bool | None
    label: str
    help: str


# Functional, since `from` is a word of Python.
Control = TypedDict(
    "Control",
    {
        "path": str,
        "label": str,
        "group": Literal["Network", "Line", "Queue", "Flows", "Run"],
        "kind": Literal["number", "quantity", "choice", "bool", "text"],
        #: As the scenario has it: of a quantity a text such as "80kbit/s".
        "value": str | float | bool | None,
        #: The same in `unit`; null where it has none, such as "1.5BDP".
        "number": float | None,
        "unit": str | None,
        #: The limits; null where there is none.
        "low": float | None,
        "high": float | None,
        #: A range worth turning.
        "from": float | None,
        "to": float | None,
        "log": bool,
        "step": float | None,
        "choices": list[ControlChoice] | None,
        "help": str | None,
        "main": bool,
    },
)


class Start(TypedDict):
    """What the page begins with."""

    version: str
    kind: Literal["scenario", "study", "replay", "papers", "start"]
    title: str
    file: str | None
    scenario: dict[str, Any] | None
    controls: list[Control]
    lessons: list[LessonName]
    #: A second variant, if two were given, and sentences about values that were chosen because none were given.
    other: dict[str, Any] | None
    chosen: list[str]


class Controls(TypedDict):
    """The controls of a scenario."""

    controls: list[Control]


class Turned(TypedDict):
    """A scenario of which one value was turned."""

    scenario: dict[str, Any]
    controls: list[Control]


class Fragment(TypedDict):
    """The part of a link that holds a scenario."""

    fragment: str


class Unlinked(TypedDict):
    """The scenario of a link."""

    scenario: dict[str, Any]
