"""headgate course: lessons on paper, a sheet and a key."""

from __future__ import annotations

from pathlib import Path

import click

from .. import completing, signals
from ..command import Command, argument, option
from ..scenario_files import allow_code, permitted


class CourseCommand(Command):
    """Write a course on paper: a sheet for everybody, and a key with the answers and a timetable.

    The course has the LESSONs that are named, in their order; unless some are, three of 45 minutes: how large a buffer should be, CUBIC
    beside Reno, and BBR beside CUBIC. Open both files in a browser and print them.
    """

    group = "Look up"
    page = "how-to/lessons"
    examples = """\
headgate course --out course
headgate course two-flows buffers game --out course
headgate course reno-cubic cubic-bbr --minutes 30 --out course
headgate course far --lessons own --minutes 20 --out course
"""

    names: tuple[str, ...] = argument(metavar="[LESSON]...", complete=completing.lessons)
    out: Path = option("Folder for sheet.html and key.html.", metavar="DIR", required=True)
    own: Path | None = option(
        "Folder with lessons of your own, one TOML file each, whose names may be given too.",
        None,
        "--lessons",
        metavar="DIR",
    )
    code: bool = allow_code()
    minutes: int = option("Time that the course takes; the key says what is done when.", 45, least=1, most=600)

    def run(self) -> None:
        with signals.loading():
            from ...explore.course.write import chosen, schedule, write
            from ...explore.lesson import lessons
            from ..terminal import progress, warn

        known = lessons()
        own = self.own
        if own is not None:
            from ...explore.lesson_files import with_own

            known = dict(permitted(lambda: with_own(own, self.code, warn)))
        taken = chosen(self.names, known)
        schedule(len(taken), self.minutes)
        with progress("running the lessons") as callback:
            written = write(taken, self.out, self.minutes, "" if own is None else str(own), callback)
        for file in written:
            click.echo(f"wrote {file}")
