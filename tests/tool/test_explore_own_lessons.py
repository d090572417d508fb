"""Lessons of a user's own: they stand beside those of the package, and whatever is wrong in a file is named before the page begins."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headgate.explore.lesson import FOLDER, lessons
from headgate.explore.lesson_files import check, with_own
from headgate.explore.subject import Subject

from ..conftest import ROOT, Cli
from ..explorer import Page

PAGE = ROOT / "docs" / "how-to" / "lessons.md"

LESSON = """
title = "A slow link"
text = ["One flow sends through a link of 1 Mbit/s."]
change = "topology.line.rate"
to = "2Mbit/s"
question = "What does the flow get when the rate is 2 Mbit/s?"
view = "throughput"
shows = ["flows.only.goodput_bps"]
why = "The flow has the link for itself."

[[answers]]
text = "1 Mbit/s."
holds = [{ value = "flows.only.goodput_bps", most = 1.2e6 }]

[[answers]]
text = "2 Mbit/s."
holds = [{ value = "flows.only.goodput_bps", least = 1.5e6 }]

[scenario]
duration = "10s"
warm_up = "2s"
topology = { kind = "dumbbell", line = { rate = "1Mbit/s", delay = "10ms" } }
flows = [{ name = "only", from = "s1", to = "d1", control = "newreno" }]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "01-slow-link.toml").write_text(LESSON)
    return tmp_path / "course"


def test_an_own_lesson_comes_after_ours_and_is_answered(folder: Path) -> None:
    page = Page(Subject(lessons=with_own(folder)))
    names = [each["name"] for each in page.get("/api/start").json()["lessons"]]
    assert names == [*lessons(), "slow-link"]
    shown = page.get("/api/lessons/slow-link").json()
    assert (shown["before"], shown["after"]) == ("1 Mbit/s", "2 Mbit/s")
    scenario = page.post(
        "/api/set", {"scenario": shown["scenario"], "path": shown["change"], "value": "2Mbit/s"}
    ).json()["scenario"]
    done = page.lines("/api/lessons/slow-link/answer", {"scenario": scenario, "answer": "2 Mbit/s."})[-1]["done"]
    assert done["right"] is True
    assert [case["name"] for case in done["cases"]] == ["1 Mbit/s, before", "2 Mbit/s, after"]
    page.explorer.runs.close()
    # A page without the folder does not know it.
    other = Page()
    assert other.get("/api/lessons/slow-link").status_code == 404
    other.explorer.runs.close()


def test_a_file_of_the_same_name_takes_the_place_of_ours(folder: Path) -> None:
    (folder / "game.toml").write_text(LESSON.replace("A slow link", "Another game"))
    found = with_own(folder)
    assert list(found) == [*lessons(), "slow-link"]
    assert found["game"].title == "Another game"
    assert lessons()["game"].title == "A game beside a download"


def test_an_answer_may_show_more_variants_and_completion_times(folder: Path) -> None:
    text = LESSON.replace(
        'shows = ["flows.only.goodput_bps"]', 'shows = ["transfers.only.mean_s", "ports.bottleneck.utilisation"]'
    )
    text = text.replace(
        "why =", 'also = [{ text = "with losses", set = { "topology.line.loss.kind" = "bernoulli" } }]\nwhy ='
    )
    text = text.replace(
        'control = "newreno"', 'control = "newreno", workload = { kind = "transfer", bytes = "500KB" }, start = "3s"'
    )
    text = text.replace("most = 1.2e6", "most = 0.1").replace("least = 1.5e6", "least = 0.2e6")
    (folder / "01-slow-link.toml").write_text(text)
    lesson = with_own(folder)["slow-link"]
    assert len(lesson.also) == 1


# What is asked of all of them is in test_explore_lessons: every third is read once more as one of a user's own.
@pytest.mark.slow
@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml"))[::3], ids=lambda f: f.stem)
def test_the_lessons_of_the_package_pass_the_check_of_own_ones(file: Path, folder: Path) -> None:
    (folder / file.name).write_text(file.read_text())
    with_own(folder)


def test_an_answer_that_rests_on_little_is_said_when_the_lesson_is_read(folder: Path) -> None:
    said: list[str] = []
    with_own(folder, warn=said.append)
    assert said == []
    # Two flows that take turns: 8 s are some 40 round trips of 200 ms.
    other = ' }, { name = "b", from = "s2", to = "d2", control = "newreno", start = "1s" }'
    text = LESSON.replace('kind = "dumbbell",', 'kind = "dumbbell", hosts = 2,').replace('"10ms"', '"100ms"')
    (folder / "01-slow-link.toml").write_text(text.replace('control = "newreno" }', f'control = "newreno"{other}'))
    with_own(folder, warn=said.append)
    (sentence,) = said
    assert sentence.startswith(f"{folder / '01-slow-link.toml'}: The goodput of only changes within the run: ")
    assert sentence.endswith(" A longer run shows where this leads.")


#: What is put into the lesson in whose place, and what the error says after the name of the file.
WRONG = [
    ('title = "A slow link"', "", ": expected the key `title`"),
    ("question =", "hint = 5\nquestion =", ': found "hint"; expected keys of title, text, '),
    ('text = ["One flow', 'text = [5, "One flow', ": text[0]: found 5; expected a text"),
    ('text = ["One flow sends through a link of 1 Mbit/s."]', "text = []", ": text: found an empty list; expected at least 1 entry"),
    ("line.rate", "line.rat", ': change: found "topology.line.rat"; expected one of '),
    ("2Mbit/s", "2Mbits", ': to: topology.line.rate: found "2Mbits"; expected a rate'),
    ("2Mbit/s", "1000kbit/s", ': to: found "1000kbit/s"; expected another value than '),
    ('"2Mbit/s"', "[2]", ": to"),
    ('view = "throughput"', 'view = "thruput"', ': view: found "thruput"; expected one of throughput, '),
    ("shows = [", 'shows = ["flows.onyl.lost", ', ': shows[0]: found "onyl"; expected a flow: only. Did you mean "only"?'),
    ("shows = [", 'shows = ["flows.only.goodput", ', ': shows[0]: found "goodput"; expected a column: goodput_bps, '),
    ("shows = [", 'shows = ["a.b", ', ': shows[0]: found "a.b"; expected a path that begins with flows, ports, '),
    ("shows = [", 'shows = ["transfers.w.mean_s", ', ': shows[0]: found "w"; expected a class of transfers: none'),
    ('"flows.only.goodput_bps", most', '"sum.x", most', ': answers[0].holds[0].value: found "x"; expected a column'),
    ("most = 1.2e6", 'most = 1, over = "early.rtt.x"', ': answers[0].holds[0].over: found "x"; expected a line of this view'),
    ("{ value = \"flows.only.goodput_bps\", most = 1.2e6 }", "", ": answers[0].holds: expected at least one condition"),
    (", most = 1.2e6", "", ": answers[0].holds[0]: expected the key `least`, the key `most`, or both"),
    ("most = 1.2e6", 'most = "much"', ': answers[0].holds[0].most: found "much"; expected a number'),
    ("most = 1.2e6", "most = 9e6", ": answers: 2 hold; expected one. The run gave: goodput of `only`: 1.81 Mbit/s"),
    ("least = 1.5e6", "least = 9e6", ": answers: none holds; expected one. The run gave: "),
    ("why =", 'also = [{ text = "x", set = { "topology.line.queue.kind" = "fqq" } }]\nwhy =', ": also: topology.line.queue"),
    ("newreno", "newrino", ': scenario: flows[0].control: found "newrino"'),
    ("[scenario]", "[scenario", ": expected a lesson in TOML; "),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after", "said"), WRONG)
def test_a_wrong_file_names_the_place_the_value_and_what_was_expected(
    before: str, after: str, said: str, folder: Path, cli: Cli
) -> None:
    assert before in LESSON
    (folder / "01-slow-link.toml").write_text(LESSON.replace(before, after, 1))
    done = cli("explore", "--no-browser", "--lessons", folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"01-slow-link.toml{said}" in " ".join(done.stderr.split()), done.stderr


def test_a_folder_without_lessons_is_an_error(tmp_path: Path, cli: Cli) -> None:
    for given, said in (
        (tmp_path / "none", "expected a folder with lessons"),
        (tmp_path, "has no file *.toml; expected a file for each lesson"),
    ):
        done = cli("explore", "--no-browser", "--lessons", given)
        assert done.returncode == 2
        assert said in " ".join(done.stderr.split())


def test_the_lesson_of_the_how_to_page_is_in_order(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "far.toml").write_text(text)
    assert list(with_own(tmp_path)) == [*lessons(), "far"]
    check(with_own(tmp_path)["far"], "far.toml")
