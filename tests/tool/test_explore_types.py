"""The types of the explorer's answers: what the server really answers has them, and those of the page are made of them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from headgate.explore import answers
from headgate.explore.lesson import lessons
from headgate.explore.subject import subject_of

from ..explorer import Page, content, scenario
from ..explorer import page as page
from ..studies import run_here, sweep_of

ROOT = Path(__file__).parents[2]


def writer() -> Any:
    """web/write_types.py as a module."""
    spec = importlib.util.spec_from_file_location("write_types", ROOT / "web" / "write_types.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def held(form: type, value: Any) -> None:
    """Fails unless a value has the form."""
    try:
        TypeAdapter(form).validate_json(json.dumps(value), strict=True)
    except ValidationError as e:
        raise AssertionError(
            f"an answer is not as headgate/explore/answers says: correct it, and run `cargo xtask write`.\n{e}"
        ) from None


@pytest.mark.skipif(not (ROOT / "web").is_dir(), reason="the sources of the page are not part of this tree")
def test_the_types_of_the_page_are_those_of_the_schema_and_the_answers() -> None:
    module = writer()
    for name, make in module.FILES.items():
        text = (ROOT / "web" / "src" / "generated" / name).read_text()
        assert text == make(), f"web/src/generated/{name} is stale: run `cargo xtask write`"


def test_a_form_notices_what_is_missing_and_what_is_too_much() -> None:
    held(answers.Failure, {"error": {"message": "no", "path": None, "line": None}})
    for wrong in ({"message": "no", "path": None}, {"message": "no", "path": None, "line": None, "more": 1}):
        with pytest.raises(AssertionError, match=r"not as headgate/explore/answers says"):
            held(answers.Failure, {"error": wrong})


def test_answers_about_a_scenario(page: Page) -> None:
    asked = Page(content())
    held(answers.Start, asked.get("/api/start").json())
    given = {"scenario": scenario()}
    held(answers.Controls, asked.post("/api/controls", given).json())
    held(answers.Turned, asked.post("/api/set", {**given, "path": "links.slow.rate", "value": 1e6}).json())
    link = asked.post("/api/link", given).json()
    held(answers.Fragment, link)
    held(answers.Unlinked, asked.post("/api/unlink", link).json())
    asked.explorer.runs.close()
    for wrong in ("/api/nothing", "/api/run/none/network"):
        held(answers.Failure, page.get(wrong).json())
    held(answers.Failure, page.post("/api/set", {**given, "path": "links.slow.rate", "value": "fast"}).json())


@pytest.mark.parametrize("kind", ["fq", "csfq", "red"])
def test_answers_about_a_run(page: Page, kind: str) -> None:
    whole = scenario()
    whole["links"][1]["queue"] = {"kind": kind, "buffer": "15pkt"} if kind != "red" else {"kind": kind}
    lines = page.lines("/api/run", {"scenario": whole, "seed": None, "tab": "types"})
    for line in lines:
        held(answers.RunLine, line)
    done = lines[-1]["done"]
    run = f"/api/run/{done['run']}"
    for view in done["views"]:
        held(answers.SeriesData, page.get(f"{run}/series", view=view["name"], width=30).json())
    held(answers.NetworkState, page.get(f"{run}/network", at=30).json())
    for way in ("all", "drop"):
        found = page.get(f"{run}/packets", port="slow", kind=way, limit=20).json()
        held(answers.PacketList, found)
        for packet in found["packets"][-3:]:
            held(answers.PacketStory, page.get(f"{run}/packet/slow/{packet['id']}").json())


def test_answers_about_a_long_run_and_a_comparison(page: Page) -> None:
    lines = page.lines(
        "/api/run", {"scenario": scenario(duration="3000s", interval="100s"), "seed": None, "tab": "long"}
    )
    for line in lines:
        held(answers.RunLine, line)
    for seeds in (1, 2):
        given = {"a": {"scenario": scenario()}, "b": {"scenario": scenario(duration="60s")}, "seeds": seeds}
        held(answers.ComparisonDone, page.lines("/api/compare", given)[-1]["done"])


def test_answers_about_lessons(page: Page) -> None:
    held(answers.Start, page.get("/api/start").json())
    for name in lessons():
        held(answers.LessonInfo, page.get(f"/api/lessons/{name}").json())
    lesson = page.get("/api/lessons/two-flows").json()
    given = {"scenario": lesson["scenario"], "answer": lesson["answers"][0]}
    held(answers.LessonDone, page.lines("/api/lessons/two-flows/answer", given)[-1]["done"])
    changed = {"scenario": lesson["scenario"], "path": lesson["change"], "value": "20Mbit/s"}
    given["scenario"] = page.post("/api/set", changed).json()["scenario"]
    held(answers.LessonDone, page.lines("/api/lessons/two-flows/answer", given)[-1]["done"])


def test_answers_about_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    axes = {"links.slow.queue.kind": ["fcfs", "fq"], "links.slow.rate": ["40kbit/s", "80kbit/s"]}
    run_here(sweep_of({"axes": axes, "replications": 2}), monkeypatch, out=tmp_path / "study")
    asked = Page(subject_of(tmp_path / "study"))
    held(answers.Start, asked.get("/api/start").json())
    info = asked.get("/api/study").json()
    held(answers.StudyInfo, info)
    assert info["metrics"][0]["name"] == "goodput", "a study without transfers has no completion times"
    held(answers.StudyGrid, asked.get("/api/study/grid", metric="goodput", x="queue", y="rate").json())
    held(answers.StudyGrid, asked.get("/api/study/grid", metric="goodput", x="queue").json())
    held(answers.Variant, asked.get("/api/study/variant/1").json())
    asked.explorer.runs.close()
