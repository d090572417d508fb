"""A course on paper: the sheet shows what is asked and has room to write, the key has the answers and a timetable."""

from __future__ import annotations

import html
import re
from itertools import pairwise
from pathlib import Path

import pytest

from headgate.explore.course import write as course
from headgate.explore.course.lesson_runs import GREYS, ToldLesson
from headgate.explore.lesson import lessons

from ..conftest import Cli
from .test_explore_own_lessons import LESSON

#: Lessons whose runs are short.
SHORT = ("window", "weights")


def text_of(file: Path) -> str:
    """The words of a page, without its pictures."""
    page = re.sub(r"<(svg|style|title)\b.*?</\1>", " ", file.read_text("utf-8"), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</?code>", "", page))).split())


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("course") / "new"
    return course.write([lessons()[name] for name in SHORT], folder, 30)


def test_the_sheet_asks_and_has_room_and_does_not_tell(pages: list[Path]) -> None:
    sheet, _ = pages
    page, text = sheet.read_text("utf-8"), text_of(sheet)
    assert page.count("<section>") == 2
    assert text.count("Name Date") == 2
    assert page.count('class="line"') == 2 * 7
    for name in SHORT:
        lesson = lessons()[name]
        for words in (lesson.title, *lesson.text, lesson.question, *(a["text"] for a in lesson.answers)):
            assert words.replace("`", "") in text
        assert lesson.why[:40] not in text
    assert page.count('class="box"') == sum(len(lessons()[name].answers) for name in SHORT)
    # Nothing that belongs to a screen: no control, no link, no script.
    assert not re.search(r"<(button|input|select|script|a|form|link|img)\b", page)
    assert not re.search(r"\b(click|choose|button|browser|screen|tick)\b", text, re.IGNORECASE)


def test_the_key_has_the_answers_the_numbers_and_the_times(pages: list[Path]) -> None:
    _, key = pages
    page, text = key.read_text("utf-8"), text_of(key)
    assert re.findall(r'<li class="right">(.*?) ✓', page) == [
        "The goodput stays, and packets wait some 40 ms longer.",
        next(a["text"] for a in lessons()["weights"].answers if a["text"] in page and f"{a['text']} ✓" in page),
    ]
    for name in SHORT:
        assert lessons()[name].why.replace("`", "") in text
    # As on the page of the documentation: the window of 100 packets.
    assert re.search(r"100, after</td>.*?10 Mbit/s.*?39 ms", page, re.DOTALL)
    assert text.index("0 to 3") < text.index("27 to 30")
    # Of 30 minutes, 3 at either end: 12 for each lesson.
    assert [line for line in re.findall(r"\d+ to \d+", text) if "40" not in line][:8] == [
        "0 to 3", "3 to 7", "7 to 10", "10 to 15", "15 to 19", "19 to 22", "22 to 27", "27 to 30"]  # fmt: skip


def test_the_prediction_is_drawn_on_axes_that_fit_the_answer() -> None:
    told = ToldLesson(lessons()["window"])
    with_it, without = (told.picture(answer=answer, colours=answer) for answer in (True, False))
    left, right = without.axes
    assert len(left.lines) == 1
    assert len(right.lines) == 0
    assert left.get_ylim() == right.get_ylim() == with_it.axes[0].get_ylim()
    # The wait of 39 ms is within the axes, which the run before the change, without any wait, would not need.
    assert right.get_ylim()[1] > 35
    assert {line.get_color() for line in left.lines} <= set(GREYS)


@pytest.mark.parametrize(("lessons_", "minutes"), [(3, 45), (1, 12), (5, 90), (4, 31)])
def test_a_timetable_has_no_gap_and_ends_in_time(lessons_: int, minutes: int) -> None:
    parts = course.schedule(lessons_, minutes)
    assert (parts[0][0], parts[-1][1]) == (0, minutes)
    assert all(a[1] == b[0] for a, b in pairwise(parts))
    assert all(end > start for start, end, _, _ in parts)
    assert len(parts) == 3 * lessons_ + 2


def test_the_command_writes_both_and_takes_lessons_of_ones_own(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "slow-link.toml").write_text(LESSON)
    done = cli("course", "slow-link", "--lessons", "own", "--minutes", 20, "--out", "paper")
    assert done.returncode == 0, done.stderr
    assert [Path(line.removeprefix("wrote ")).as_posix() for line in done.stdout.splitlines()] == [
        "paper/sheet.html",
        "paper/key.html",
    ]
    assert "headgate explore --lessons own" in text_of(tmp_path / "paper" / "key.html")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["bufers"], "LESSON: found 'bufers'; expected one of two-flows, window, buffers,"),
        (["game", "game"], "LESSON: found 'game' twice; expected each lesson once"),
        (["game", "red", "--minutes", "17"], "--minutes: found 17; expected at least 18 for 2 lessons"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_run(args: list[str], said: str, tmp_path: Path, cli: Cli) -> None:
    done = cli("course", *args, "--out", "paper")
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "paper").exists()


def test_a_course_that_names_none_has_lessons_that_there_are() -> None:
    assert [lesson.name for lesson in course.chosen([], lessons())] == ["buffers", "reno-cubic", "cubic-bbr"]
