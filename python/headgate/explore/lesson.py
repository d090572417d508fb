"""The lessons: a page each with two sentences, one thing to turn, and a question that the run itself answers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import HeadgateError, cut, nearest
from ..scenario import Scenario
from ..toml import loads
from .controls import value_at
from .store import Finished
from .wire import RequestError

FOLDER = Path(__file__).parent / "lessons"


@dataclass(frozen=True)
class Lesson:
    """A lesson as its file has it.

    Each of `answers` has a text and conditions (`holds`) on what the run gave: a value, over another one if that is given, that is at least
    `least` and at most `most`. The right one is the one whose conditions hold when `turn` was turned to `to`.
    """

    name: str
    title: str
    text: list[str]
    turn: str
    to: Any
    question: str
    view: str
    why: str
    answers: list[dict[str, Any]]
    scenario: dict[str, Any]

    def page(self) -> dict[str, Any]:
        """What the page shows; it does not say which answer is right."""
        return {
            "name": self.name, "title": self.title, "text": self.text, "turn": self.turn, "to": self.to,
            "question": self.question, "answers": [a["text"] for a in self.answers], "scenario": self.scenario, "view": self.view,
        }  # fmt: skip

    def turned(self, scenario: Scenario) -> bool:
        """Whether a scenario has what the lesson asks to turn."""
        return bool(value_at(scenario, self.turn) == self.to)

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
        """The places of the answers that a run shows to be true."""
        return [i for i, a in enumerate(self.answers) if all(_holds(h, run) for h in a["holds"])]

    def judged(self, run: Finished, answer: int, scenario: Scenario) -> dict[str, Any]:
        """Whether an answer is right, and why, in the words of the run."""
        if not self.turned(scenario):
            return {"right": None, "why": f"Turn {self.turn} to {self.to} first: the question is about that run."}
        right = answer in self.holding(run)
        return {"right": right, "why": " ".join([*run.done["sentences"][:-1], self.why])}


@cache
def lessons() -> dict[str, Lesson]:
    """All lessons by name, in their order.

    >>> list(lessons())[:2]
    ['two-flows', 'window']
    """
    found = {}
    for file in sorted(FOLDER.glob("*.toml")):
        name = file.stem.partition("-")[2]
        found[name] = Lesson(name, **loads(file.read_text("utf-8")))
    return found


def lesson(name: str) -> Lesson:
    """A lesson by its name.

    Raises:
        RequestError: there is none.
    """
    known = lessons()
    if name not in known:
        raise RequestError(404, f"lesson {cut(repr(name))}: there is none of this name.{nearest(name, known)}")
    return known[name]


def _holds(condition: dict[str, Any], run: Finished) -> bool:
    value = _value(condition["value"], run)
    if "over" in condition:
        below = _value(condition["over"], run)
        value = value / below if below > 0 else float("inf")
    return bool(condition.get("least", -np.inf) <= value <= condition.get("most", np.inf))


def _value(path: str, run: Finished) -> float:
    """A number of a run: of a flow, of a port, the sum of all flows, or what a line mostly was in the first half of the run (`early`)."""
    what, name, *rest = path.split(".")
    if what in ("flows", "ports"):
        entry = next((e for e in run.done[what] if e["name"] == name), None)
        # A flow whose packets never came has no delay, which is no number.
        return float(entry[rest[0]]) if entry is not None and entry[rest[0]] is not None else float("nan")
    if what == "sum":
        return float(sum(f[name] for f in run.done["flows"]))
    if what == "early":
        line = next(x for x in run.view(name).lines if x.name == rest[0])
        # A line holds its value until the next point.
        held = np.searchsorted(line.t, np.linspace(run.until / 12, run.until / 2, 200, endpoint=False), "right") - 1
        return float(np.median(line.y[held[held >= 0]])) if (held >= 0).any() else float("nan")
    raise HeadgateError(f"{path}: expected flows, ports, sum or early")
