"""The sheet and the key of a course, as pages of HTML with their pictures in them, made for paper."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..._core import __version__
from ...base.atomic import write_text
from ...base.errors import HeadgateError, cut, nearest
from ...plots.canvas import to_svg
from ...plots.pages import render, require_extras
from ..lesson import Lesson
from .lesson_runs import ToldLesson

#: The lessons of a course that names none: how large a buffer should be, and who gets how much of a link.
DEFAULT = ("buffers", "reno-cubic", "cubic-bbr")

#: Minutes of a course that come before the first lesson and after the last one.
FIRST, LAST = 3, 3

#: The parts of the time of a lesson: to predict, to run, and to talk about it.
PARTS = (("Predict, alone, on the sheet", 0.3), ("Run it, and write down what it shows", 0.3), ("Talk about why", 0.4))

#: Minutes that a lesson needs.
LEAST = 6


def chosen(names: Sequence[str], known: Mapping[str, Lesson]) -> list[Lesson]:
    """The lessons of a course by their names, or those of `DEFAULT`.

    Raises:
        HeadgateError: there is none of a name, or one is named twice.
    """
    for i, name in enumerate(names):
        if name not in known:
            raise HeadgateError(
                f"LESSON: found {cut(repr(name))}; expected one of {', '.join(known)}.{nearest(name, known)}"
            )
        if name in names[:i]:
            raise HeadgateError(f"LESSON: found {cut(repr(name))} twice; expected each lesson once")
    return [known[name] for name in names or DEFAULT]


def schedule(lessons: int, minutes: int) -> list[tuple[int, int, str, int]]:
    """The parts of a course: their first and last minute, what is done, and the number of the lesson; 0 for the beginning and the end.

    Raises:
        HeadgateError: the time is too short for so many lessons.

    >>> [(a, b, n) for a, b, _, n in schedule(1, 26)]
    [(0, 3, 0), (3, 9, 1), (9, 15, 1), (15, 23, 1), (23, 26, 0)]
    """
    least = FIRST + LAST + LEAST * lessons
    if minutes < least:
        raise HeadgateError(
            f"--minutes: found {minutes}; expected at least {least} for {lessons} lesson{'s' * (lessons != 1)}"
        )
    each = (minutes - FIRST - LAST) / lessons
    found = [(0, FIRST, "Say what is on the sheet: what the link is, and who sends", 0)]
    for number in range(lessons):
        done = 0.0
        for what, part in PARTS:
            start, end = (round(FIRST + each * (number + at)) for at in (done, done + part))
            found.append((start, end, what, number + 1))
            done += part
    found.append((minutes - LAST, minutes, "Say what stays: a sentence of each lesson", 0))
    return found


def write(
    lessons: Sequence[Lesson],
    folder: str | os.PathLike[str],
    minutes: int = 45,
    own: str = "",
    report: Callable[[float, int, int], None] | None = None,
) -> list[Path]:
    """Writes `sheet.html` and `key.html` into a folder, which need not exist; returns their paths.

    Args:
        lessons: in the order of the course.
        folder: where both go.
        minutes: that the course takes.
        own: the folder with lessons of one's own, as the command that shows the lessons names it.
        report: called with (share done, lessons done, lessons in all).

    Raises:
        HeadgateError: the time is too short, or the folder cannot be written.
        MissingExtraError: matplotlib or jinja2 is not installed.
    """
    require_extras()
    from markupsafe import Markup

    parts = schedule(len(lessons), minutes)
    told = []
    for i, lesson in enumerate(lessons):
        told.append(ToldLesson(lesson))
        if report is not None:
            report((i + 1) / len(lessons), i + 1, len(lessons))
    values = {
        "told": told,
        "minutes": minutes,
        "parts": parts,
        "command": "headgate explore" + (f" --lessons {shlex.quote(own)}" if own else ""),
        "version": __version__,
        "sheets": [Markup(to_svg(each.picture(answer=False, colours=False), each.lesson.title)) for each in told],
        "keys": [Markup(to_svg(each.picture(), each.seen)) for each in told],
    }
    pages = [
        (Path(folder) / f"{name}.html", render(f"{name}.html.j2", __package__, **values)) for name in ("sheet", "key")
    ]
    try:
        for file, text in pages:
            write_text(file, text)
    except OSError as e:
        raise HeadgateError(f"{folder}: cannot be written; {e.strerror or e}") from None
    return [file for file, _ in pages]
