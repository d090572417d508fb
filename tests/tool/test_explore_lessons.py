"""The lessons: in each the run shows one answer to be right, and only that one."""

from __future__ import annotations

import re
import sys

import pytest

from headgate import _core
from headgate.explore.controls import controls, with_value
from headgate.explore.lesson import Lesson, lessons, made, ran
from headgate.results.sentences import unsettled
from headgate.scenario.scenario import Scenario

from ..conftest import ROOT
from ..explorer import Page
from ..explorer import page as page

NAMES = list(lessons())


def test_there_are_fourteen() -> None:
    assert len(NAMES) == 14
    assert len({x.title for x in lessons().values()}) == 14


def changed(lesson: Lesson) -> Scenario:
    """The scenario of a lesson with the value that the question is about."""
    return with_value(Scenario(lesson.scenario), lesson.change, lesson.to)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_one_answer_is_right_and_the_others_are_wrong(name: str, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    # What the answers rest on is asked below, once for each.
    monkeypatch.setattr(Lesson, "cautions", lambda *_: [])
    shown = page.get(f"/api/lessons/{name}").json()
    scenario = changed(lessons()[name]).data
    right = []
    for answer in shown["answers"]:
        done = page.lines(f"/api/lessons/{name}/answer", {"scenario": scenario, "answer": answer})[-1]["done"]
        right.append(done["right"])
        assert len(done["why"]) > 80
        assert done["cases"][0]["name"] == f"{shown['before']}, before"
        assert done["cases"][1]["name"] == f"{shown['after']}, after"
        assert (done["answer"] == answer) is done["right"]
    assert sum(right) == 1, right
    # The places of answers are as good as their texts.
    body = {"scenario": scenario, "answer": right.index(True)}
    assert page.lines(f"/api/lessons/{name}/answer", body)[-1]["done"]["right"]


def test_an_answer_speaks_of_what_was_asked_only(page: Page) -> None:
    body = {"scenario": changed(lessons()["game"]).data, "answer": 1}
    done = page.lines("/api/lessons/game/answer", body)[-1]["done"]
    assert done["columns"] == ["mean wait of `game`", "mean wait of `download`"]
    assert done["why"] == lessons()["game"].why
    before, after = (case["values"] for case in done["cases"])
    assert (before[0], after[0]) == ("215 ms", "292 µs")


def test_the_flood_is_shown_in_both_readings_of_fair_queueing(page: Page) -> None:
    body = {"scenario": changed(lessons()["flood"]).data, "answer": 2}
    done = page.lines("/api/lessons/flood/answer", body)[-1]["done"]
    cases = {case["name"]: case["values"] for case in done["cases"]}
    # As printed in 1989 a dropped packet is charged, and the flood pays for nearly all of the link.
    assert cases["`fq`, after"] == ["9.98 Mbit/s", "24 kbit/s"]
    for name in ("`fq` with `charge_drops` off", "`drr`", "`sfq`", "`wf2q_plus`"):
        assert cases[name] == ["5 Mbit/s", "5 Mbit/s"], name
    # The reason names two more.
    for kind in ("scfq", "virtual_clock"):
        assert f"`{kind}`" in lessons()["flood"].why
        shared = ran(with_value(changed(lessons()["flood"]), "topology.line.queue.kind", kind), _core.Control())
        assert [round(f["goodput_bps"], -5) for f in shared.done["flows"]] == [5e6, 5e6]


def shown(name: str, page: Page) -> dict[str, list[str]]:
    """The numbers that the answer of a lesson shows, by the name of the variant."""
    body = {"scenario": changed(lessons()[name]).data, "answer": 1}
    done = page.lines(f"/api/lessons/{name}/answer", body)[-1]["done"]
    return {case["name"]: case["values"] for case in done["cases"]}


def test_codel_keeps_its_delay_where_red_has_to_be_tuned(page: Page) -> None:
    cases = shown("codel", page)
    assert cases == {
        "`red`, before": ["87.5 ms", "85.3 ms", "2 Mbit/s"],
        "`codel`, after": ["12.2 ms", "11.8 ms", "1.98 Mbit/s"],
        "`codel` with 5000 packets of buffer": ["12.2 ms", "11.8 ms", "1.98 Mbit/s"],
        "`codel` with 20 Mbit/s to the end": ["2.23 ms", "2.25 ms", "19.2 Mbit/s"],
        "`red` with 20 Mbit/s to the end": ["3.83 ms", "3.89 ms", "18.2 Mbit/s"],
        "`red` with 2 and 6 packets": ["12.6 ms", "13.5 ms", "1.79 Mbit/s"],
        "the same with 20 Mbit/s to the end": ["493 µs", "470 µs", "13.8 Mbit/s"],
    }
    # The reason says that a third of the fast link is unused: 13.8 of 20 Mbit/s.
    # A packet of 1000 bytes takes 4 ms at 2 Mbit/s, and 20 of them 80 ms.
    assert 0.30 < 1 - 13.8 / 20 < 0.35
    assert "some 90 ms" in lessons()["codel"].question
    scenario = Scenario(lessons()["codel"].scenario).resolve()
    assert {flow["packet"] for flow in scenario["flows"]} == {"1000B"}
    codel = changed(lessons()["codel"]).resolve()["links"]
    queue = next(link["queue"] for link in codel if link["queue"]["kind"] == "codel")
    assert (queue["target"], queue["interval"]) == ("5ms", "100ms")


def test_l4s_keeps_its_promise_in_two_coupled_queues_alone(page: Page) -> None:
    cases = shown("l4s", page)
    assert cases == {
        "`codel`, before": ["35.6 Mbit/s", "4.41 Mbit/s", "7.71 ms"],
        "`dualpi2`, after": ["20.3 Mbit/s", "19.7 Mbit/s", "201 µs"],
        "Prague alone in `dualpi2`": ["40 Mbit/s", "0 bit/s", "656 µs"],
        "`pie` with marks": ["36.6 Mbit/s", "3.44 Mbit/s", "14.9 ms"],
        "`codel`, with Prague's fall-back": ["18.2 Mbit/s", "21.8 Mbit/s", "6.03 ms"],
        "`fcfs`": ["13.1 Mbit/s", "26.9 Mbit/s", "51.2 ms"],
        "`fq_codel`": ["20 Mbit/s", "20 Mbit/s", "6.6 ms"],
    }
    # The text says eight times as much.
    assert round(35.6 / 4.41) == 8


def test_reno_ends_where_the_formula_says_and_the_table_shows_it(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lesson, "cautions", lambda *_: [])
    cases = shown("reno-cubic", page)
    assert cases == {
        "10 ms, before": ["14 Mbit/s", "16 Mbit/s", "34.5 ms"],
        "50 ms, after": ["5.22 Mbit/s", "24.8 Mbit/s", "179 ms"],
        "15 ms, a BDP of 75 packets": ["12.6 Mbit/s", "17.4 Mbit/s", "51.3 ms"],
        "30 ms, a BDP of 150 packets": ["11 Mbit/s", "19 Mbit/s", "105 ms"],
        "75 ms, a BDP of 375 packets": ["3.4 Mbit/s", "26.6 Mbit/s", "270 ms"],
        "50 ms with 5 Mbit/s, a BDP of 42 packets": ["1.96 Mbit/s", "3.04 Mbit/s", "175 ms"],
    }
    # RFC 9438: K is the cube root of (1 - beta) W / C (figure 2), and the estimate grows by 3 (1 - beta) / (1 + beta) in a round trip until
    # it is back at W (section 4.3).
    beta, c = 0.7, 0.4
    seconds, trips = (1 - beta) / c, (1 + beta) / 3
    assert (round(seconds, 2), round(trips, 2)) == (0.75, 0.57)
    # W R^1.5 at which both are back at the same time: (seconds W)^(1/3) = trips W R.
    edge = (seconds ** (1 / 3) / trips) ** 1.5
    assert round(edge, 1) == 2.0
    # Two flows, a buffer of 1 BDP, and round trips 1.7 times as long: W is the BDP in packets, 30 Mbit/s R / 12000 bits.
    trip = (edge / (30e6 / 12_000 * 1.7**1.5)) ** (1 / 2.5)
    assert (round(1000 * trip), round(trip * 30e6 / 12_000 / 5)) == (42, 21)
    why = lessons()["reno-cubic"].why
    assert all(words in why for words in ("0.75 W", "0.57 W", "2 / R^1.5", "about 105 packets", "42 ms", "1.7 times"))
    assert all(1.6 < float(cases[name][2][:-3]) / (2 * delay) < 1.85 for name, delay in (
        ("10 ms, before", 10), ("15 ms, a BDP of 75 packets", 15), ("30 ms, a BDP of 150 packets", 30), ("50 ms, after", 50)))  # fmt: skip


def test_the_buffer_decides_between_cubic_and_bbr(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lesson, "cautions", lambda *_: [])
    assert shown("cubic-bbr", page) == {
        "1 BDP, before": ["17.7 Mbit/s", "1.88 Mbit/s", "30.7 ms"],
        "8 BDP, after": ["8.53 Mbit/s", "11.5 Mbit/s", "252 ms"],
        "0.5 BDP": ["18 Mbit/s", "1.64 Mbit/s", "13.1 ms"],
        "2 BDP": ["11.5 Mbit/s", "8.32 Mbit/s", "59.9 ms"],
        "4 BDP": ["9.26 Mbit/s", "10.7 Mbit/s", "120 ms"],
        "16 BDP": ["8.69 Mbit/s", "11.3 Mbit/s", "546 ms"],
        "1 BDP, BBR version 3": ["10.1 Mbit/s", "9.84 Mbit/s", "28.1 ms"],
        "8 BDP, BBR version 3": ["11.2 Mbit/s", "8.77 Mbit/s", "255 ms"],
    }


#: A lesson whose answer is a matter of chance: one of two alike flows has more.
CHANCE = {
    "title": "Chance", "text": ["Two flows."], "change": "topology.line.rate", "to": "2Mbit/s", "question": "Which one has more?",
    "view": "throughput", "shows": ["flows.a.goodput_bps"], "why": "Nothing decides.",
    "answers": [
        {"text": "The first.", "holds": [{"value": "flows.a.goodput_bps", "over": "flows.b.goodput_bps", "least": 1.0}]},
        {"text": "The second.", "holds": [{"value": "flows.b.goodput_bps", "over": "flows.a.goodput_bps", "least": 1.0}]},
    ],
    "scenario": {
        "duration": "12s", "warm_up": "2s", "hosts": {"noise": "1pkt"},
        "topology": {"kind": "dumbbell", "hosts": 2, "line": {"rate": "1Mbit/s", "delay": "10ms"}},
        "flows": [{"name": n, "from": f"s{i}", "to": f"d{i}", "control": "reno", "start_spread": "1s"} for i, n in ((1, "a"), (2, "b"))],
    },
}  # fmt: skip


def test_an_answer_that_is_chance_or_not_settled_says_so() -> None:
    lesson = made("chance", CHANCE)
    scenario = changed(lesson)
    said = lesson.response_to(scenario, 0, _core.Control())["cautions"]
    held = {seed: lesson.holding(ran(scenario.put("seed", seed), _core.Control())) for seed in (1, 2, 3)}
    # One of the three differs, whichever it is.
    assert len({tuple(found) for found in held.values()}) == 2
    texts = "; ".join(
        f"with {seed}, “{CHANCE['answers'][found[0]]['text']}” holds"
        for seed, found in held.items()
        if seed == 1 or found != held[1]
    )
    assert said[0] == f"The answer depends on the seed of the random numbers: {texts}."
    # The sentences of `headgate quick` about the same run.
    assert said[1:] == [*unsettled(scenario.run())]


def test_switches_are_on_and_off_and_names_are_marked() -> None:
    assert lessons()["red"].task() == ("link: mark", "off", "on")
    assert lessons()["game"].task() == ("link: discipline", "`fcfs`", "`fq`")


def test_a_value_may_be_written_in_any_way() -> None:
    lesson = lessons()["two-flows"]
    for text, is_it in (("20 Mbit/s", True), ("20000kbit/s", True), ("21Mbit/s", False)):
        assert lesson.changed(with_value(Scenario(lesson.scenario), lesson.change, text)) is is_it, text
    buffers = lessons()["buffers"]
    assert buffers.changed(with_value(Scenario(buffers.scenario), buffers.change, "4 BDP"))


@pytest.mark.parametrize("name", NAMES)
def test_before_the_value_is_changed_no_answer_is_right(name: str, page: Page) -> None:
    lesson = lessons()[name]
    assert not lesson.changed(Scenario(lesson.scenario))
    for i in range(len(lesson.answers)):
        body = {"scenario": lesson.scenario, "answer": i}
        done = page.lines(f"/api/lessons/{name}/answer", body)[-1]["done"]
        assert done["right"] is None
        assert done["cases"] == []
        assert done["why"] == f"The question is about “{lesson.task()[0]}” at {lesson.task()[2]}."


@pytest.mark.parametrize("name", NAMES)
def test_what_is_to_be_changed_is_a_control_of_the_page(name: str) -> None:
    lesson = lessons()[name]
    control = next(c for c in controls(Scenario(lesson.scenario)) if c["path"] == lesson.change)
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
        assert not re.search(r"\b(Turn|line|way)\b", text), text
        assert not re.search(r"\\b([Tt]urn|line|way)\\b", text), text


def test_a_page_does_not_give_the_answer_away(page: Page) -> None:
    for name in NAMES:
        text = page.get(f"/api/lessons/{name}").text
        assert '"holds"' not in text
        assert lessons()[name].why[:40] not in text


def test_unknown_lessons_and_answers_are_named(page: Page) -> None:
    answer = page.get("/api/lessons/gam")
    assert answer.status_code == 404
    assert 'Did you mean "game"' in answer.json()["error"]["message"]
    assert page.get("/api/lessons/..%2f..%2fserver").status_code == 404
    for wrong in (3, -1, True, None, "no such answer", []):
        answer = page.post("/api/lessons/game/answer", {"scenario": lessons()["game"].scenario, "answer": wrong})
        assert answer.status_code == 400, wrong


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "docs" / "lessons.py").is_file(), reason="the documentation is not part of this tree")
def test_the_page_of_the_documentation_says_what_the_runs_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    monkeypatch.delitem(sys.modules, "lessons", raising=False)
    import lessons as pages  # type: ignore[import-not-found]

    told = [pages.ToldLesson(x) for x in lessons().values()]
    text = (ROOT / "docs" / "lessons.md").read_text("utf-8")
    # No answer is another one with another seed, and none rests on few events, on a share that changes, or on the phase of arrivals.
    assert [(each.lesson.name, each.cautions) for each in told if each.cautions] == []
    assert pages.page(told) == text, "docs/lessons.md is stale: run `python docs/lessons.py`"
    for each in told:
        size = (ROOT / "docs" / "images" / pages.image(each)).stat().st_size
        assert size < 150_000, f"docs/images/{each.image} has {size} bytes"
