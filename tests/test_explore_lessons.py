"""The lessons: in each the run shows one answer to be right, and only that one."""

from __future__ import annotations

import re
import sys

import pytest

from headgate import _core
from headgate.explore.controls import controls, turned
from headgate.explore.engine import run
from headgate.explore.lesson import lessons
from headgate.explore.prepared import prepared
from headgate.explore.runs import finished
from headgate.scenario import Scenario

from .conftest import ROOT
from .explorer import Page
from .explorer import page as page

NAMES = list(lessons())


def test_there_are_ten() -> None:
    assert len(NAMES) == 10
    assert len({x.title for x in lessons().values()}) == 10


@pytest.mark.parametrize("name", NAMES)
def test_one_answer_is_right_and_the_others_are_wrong(name: str, page: Page) -> None:
    lesson = page.get(f"/api/lessons/{name}").json()
    body = {"scenario": lesson["scenario"], "path": lesson["turn"], "value": lesson["to"]}
    changed = page.post("/api/set", body).json()["scenario"]
    right = []
    for answer in lesson["answers"]:
        done = page.lines(f"/api/lessons/{name}/answer", {"scenario": changed, "answer": answer})[-1]["done"]
        right.append(done["right"])
        assert len(done["why"]) > 100
        assert lesson["view"] in [v["name"] for v in done["views"]]
    assert sum(right) == 1, right
    # The places of answers are as good as their texts.
    body = {"scenario": changed, "answer": right.index(True)}
    assert page.lines(f"/api/lessons/{name}/answer", body)[-1]["done"]["right"]


@pytest.mark.parametrize("name", NAMES)
def test_another_seed_gives_the_same_answer(name: str) -> None:
    lesson = lessons()[name]
    scenario = turned(Scenario(lesson.scenario), lesson.turn, lesson.to)
    ready = prepared(scenario)
    held = [
        lesson.holding(finished(scenario, ready, run(ready, seed, _core.Control()), 0.0, None)) for seed in (1, 2, 3)
    ]
    assert held == [held[0]] * 3
    assert len(held[0]) == 1


@pytest.mark.parametrize("name", NAMES)
def test_before_anything_is_turned_no_answer_is_right(name: str, page: Page) -> None:
    lesson = lessons()[name]
    assert not lesson.turned(Scenario(lesson.scenario))
    for i in range(len(lesson.answers)):
        body = {"scenario": lesson.scenario, "answer": i}
        done = page.lines(f"/api/lessons/{name}/answer", body)[-1]["done"]
        assert not done["right"]
        assert done["why"].startswith("Turn ")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_to_be_turned_is_a_control_of_the_page(name: str) -> None:
    lesson = lessons()[name]
    control = next(c for c in controls(Scenario(lesson.scenario)) if c["path"] == lesson.turn)
    assert control["main"]
    if control["kind"] == "choice":
        assert lesson.to in [c["value"] for c in control["choices"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_short_and_in_sentences(name: str) -> None:
    lesson = lessons()[name]
    assert len(lesson.text) == 2
    assert len(lesson.answers) == 3
    for text in (*lesson.text, lesson.question, lesson.why, *(a["text"] for a in lesson.answers)):
        assert re.fullmatch(r"[A-Z0-9].*[.?]", text), text


def test_a_page_does_not_give_the_answer_away(page: Page) -> None:
    for name in NAMES:
        text = page.get(f"/api/lessons/{name}").text
        assert '"holds"' not in text
        assert lessons()[name].why not in text


def test_unknown_lessons_and_answers_are_named(page: Page) -> None:
    answer = page.get("/api/lessons/gam")
    assert answer.status_code == 404
    assert 'Did you mean "game"' in answer.json()["error"]["message"]
    assert page.get("/api/lessons/..%2f..%2fserver").status_code == 404
    for wrong in (3, -1, True, None, "no such answer", []):
        answer = page.post("/api/lessons/game/answer", {"scenario": lessons()["game"].scenario, "answer": wrong})
        assert answer.status_code == 400, wrong


@pytest.mark.skipif(not (ROOT / "docs" / "lessons.py").is_file(), reason="the documentation is not part of this tree")
def test_the_page_of_the_documentation_says_what_the_runs_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    monkeypatch.delitem(sys.modules, "lessons", raising=False)
    import lessons as pages  # type: ignore[import-not-found]

    told = [pages.Told(x) for x in lessons().values()]
    text = (ROOT / "docs" / "lessons.md").read_text("utf-8")
    assert pages.page(told) == text, "docs/lessons.md is stale: run `python docs/lessons.py`"
    for each in told:
        size = (ROOT / "docs" / "images" / each.image).stat().st_size
        assert size < 150_000, f"docs/images/{each.image} has {size} bytes"
