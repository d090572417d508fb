"""The lessons: a page each with two sentences, a question that is answered before its run is seen, a value to change, and the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core
from ..base.documents import loads
from ..base.errors import cut, nearest
from ..scenario.scenario import Scenario
from .controls import controls, value_at, with_value
from .engine import run
from .lesson_cautions import cautions
from .number_paths import NumberOfRun, measured
from .page_scenario import prepared
from .runs import finished
from .store import Finished
from .wire import RequestError

FOLDER = Path(__file__).parent / "lessons"


@dataclass(frozen=True)
class Lesson:
    """A lesson as its file has it; docs/how-to/lessons.md says what each key means.

    Each of `answers` has a text and conditions (`holds`) on what the run gave: a value, over another one if that is given, that is at least
    `least` and at most `most`. The right one is the one whose conditions hold when the value at `change` is `to`. `shows` are the paths of
    the numbers that the answer speaks of, and `also` further variants of the changed scenario: a `text`, and the values that are `set`.
    """

    name: str
    title: str
    text: list[str]
    change: str
    to: Any
    question: str
    view: str
    shows: list[str]
    why: str
    answers: list[dict[str, Any]]
    scenario: dict[str, Any]
    also: list[dict[str, Any]]

    def page(self) -> dict[str, Any]:
        """What the page shows; it does not say which answer is right."""
        label, before, after = self.task()
        return {
            "name": self.name, "title": self.title, "text": self.text, "change": self.change, "label": label, "before": before,
            "after": after, "view": self.view, "question": self.question, "answers": [a["text"] for a in self.answers],
            "scenario": self.scenario,
        }  # fmt: skip

    def task(self) -> tuple[str, str, str]:
        """What is changed, in words: the label of the control, its value in the file, and the one that the question is about."""
        control = next(c for c in controls(Scenario(self.scenario)) if c["path"] == self.change)
        before, after = (
            f"`{value}`" if control["kind"] == "choice" else words(value) for value in (control["value"], self.to)
        )
        return control["label"], before, after

    def changed(self, scenario: Scenario) -> bool:
        """Whether a scenario has the value that the question is about, however that is written."""
        value = value_at(scenario, self.change)
        return bool(value == self.to) or (isinstance(value, str) and _canonical(value) == _canonical(str(self.to)))

    def number(self, answer: object) -> int:
        """The place of an answer, given as its place or its text.

        Raises:
            RequestError: the lesson has no such answer.
        """
        texts = [a["text"] for a in self.answers]
        if isinstance(answer, int) and not isinstance(answer, bool) and 0 <= answer < len(texts):
            return answer
        if isinstance(answer, str) and answer in texts:
            return texts.index(answer)
        raise RequestError(400, f"answer: found {cut(repr(answer))}; expected a number from 0 to {len(texts) - 1}")

    def holding(self, run: Finished) -> list[int]:
        """The places of the answers that a run shows to be true.

        Raises:
            HeadgateError: a condition names a number that the run does not have.
        """
        return [i for i, a in enumerate(self.answers) if all(_holds(h, run) for h in a["holds"])]

    def variants(self, changed: Scenario) -> list[tuple[str, Scenario]]:
        """The scenarios that an answer shows, each with its name: before the change, after it, and those of `also`.

        Raises:
            HeadgateError: a path of `also` names no entry.
            ScenarioError: a value of `also` does not fit.
        """
        _, before, after = self.task()
        found = [(f"{before}, before", Scenario(self.scenario)), (f"{after}, after", changed)]
        for each in self.also:
            variant = changed
            for path, value in each["set"].items():
                variant = with_value(variant, path, value)
            found.append((each["text"], variant))
        return found

    def numbers(self, run: Finished) -> list[NumberOfRun]:
        """The numbers of a run that the answer speaks of.

        Raises:
            HeadgateError: the run does not have one of them.
        """
        return [measured(path, run) for path in self.shows]

    def response_to(self, scenario: Scenario, answer: int, control: _core.Control) -> dict[str, Any]:
        """Whether an answer is right, why, and the numbers that the question is about in all variants.

        Returns:
            `right` (None if the scenario has another value than the one that the question is about), the `answer` that holds, `why`,
            `columns` (what was measured), `cases`: of each variant its name and its values, as texts, and `cautions`: sentences about what
            the answer rests on, none where it is certain.

        Raises:
            StoppedError: the control stopped a run.
        """
        if not self.changed(scenario):
            label, _, after = self.task()
            return {
                "right": None,
                "answer": None,
                "why": f"The question is about “{label}” at {after}.",
                "columns": [],
                "cases": [],
                "cautions": [],
            }
        runs = [(name, ran(variant, control)) for name, variant in self.variants(scenario)]
        held = self.holding(runs[1][1])
        shown = self.answers[held[0]]["text"] if held else None
        return {
            "right": answer in held, "answer": shown, "why": self.why, **self.table(runs),
            "cautions": self.cautions(scenario, control),
        }  # fmt: skip

    def cautions(self, changed: Scenario, control: _core.Control) -> list[str]:
        """Sentences about what the answer rests on, in runs of the changed scenario; none where it is certain.

        Raises:
            StoppedError: the control stopped a run.
        """
        return cautions(changed, [a["text"] for a in self.answers], self.holding, control)

    def table(self, runs: list[tuple[str, Finished]]) -> dict[str, Any]:
        """The numbers of the runs of `variants`: `columns` and `cases`, as `response_to` gives them."""
        return {
            "columns": [each.label for each in self.numbers(runs[0][1])],
            "cases": [{"name": name, "values": [each.text for each in self.numbers(run)]} for name, run in runs],
        }


def ran(scenario: Scenario, control: _core.Control) -> Finished:
    """A run as the explorer shows it.

    Raises:
        ScenarioError: something in the scenario is wrong.
        StoppedError: the control stopped it.
    """
    ready = prepared(scenario)
    return finished(scenario, ready, run(ready, None, control), 0.0, None)


def made(stem: str, data: Mapping[str, Any]) -> Lesson:
    """The lesson of a file: `stem` is its name without the ending, and the number that it begins with is no part of the lesson's name."""
    return Lesson(re.sub(r"^\d+-", "", stem), **{"also": [], **data})


@cache
def lessons() -> dict[str, Lesson]:
    """The lessons of the package by name, in their order.

    >>> list(lessons())[:2]
    ['two-flows', 'window']
    """
    found = (made(file.stem, loads(file.read_text("utf-8"))) for file in sorted(FOLDER.glob("*.toml")))
    return {lesson.name: lesson for lesson in found}


def lesson(name: str, known: Mapping[str, Lesson] | None = None) -> Lesson:
    """A lesson by its name, of the package unless others are given.

    Raises:
        RequestError: there is none.
    """
    known = lessons() if known is None else known
    if name not in known:
        raise RequestError(404, f"lesson {cut(repr(name))}: there is none of this name.{nearest(name, known)}")
    return known[name]


def words(value: Any) -> str:
    """A value as people write it.

    >>> words("20Mbit/s"), words("0ps"), words(True), words("fq"), words(2)
    ('20 Mbit/s', '0 s', 'on', 'fq', '2')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    text = str(value)
    unit = text.lstrip("0123456789.")
    if text == unit or not unit:
        return text
    number = text[: len(text) - len(unit)]
    return f"{number} {'s' if float(number) == 0 and unit.endswith('s') else unit.strip()}"


def _canonical(text: str) -> object:
    """What a text of a scenario means: `20000kbit/s` and `20 Mbit/s` are the same."""
    try:
        return _core.quantity(text)[2]
    except ValueError:
        return text.replace(" ", "")


def _holds(condition: dict[str, Any], run: Finished) -> bool:
    value = measured(condition["value"], run).value
    if condition.get("over"):
        below = measured(condition["over"], run).value
        value = value / below if below > 0 else float("inf")
    return bool(condition.get("least", -np.inf) <= value <= condition.get("most", np.inf))
