"""headgate course: lessons on paper, a sheet and a key."""

from __future__ import annotations

from pathlib import Path

import click

from . import completing, signals
from .scenario_files import allow_code, permitted


@click.command(
    epilog="""\b
Examples:
  headgate course --out course
  headgate course two-flows buffers game --out course
  headgate course reno-cubic cubic-bbr --minutes 30 --out course
  headgate course far --lessons own --minutes 20 --out course"""
)
@click.argument("names", nargs=-1, metavar="[LESSON]...", shell_complete=completing.lessons)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", required=True, help="Folder for sheet.html and key.html."
)
@click.option(
    "--lessons",
    "own",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with lessons of your own, one TOML file each, whose names may be given too.",
)
@allow_code
@click.option(
    "--minutes",
    type=click.IntRange(1, 600),
    default=45,
    show_default=True,
    help="Time that the course takes; the key says what is done when.",
)
def course(names: tuple[str, ...], out: Path, own: Path | None, code: bool, minutes: int) -> None:
    """Write a course on paper: a sheet for everybody, and a key with the answers and a timetable.

    The course has the LESSONs that are named, in their order; unless some are, three of 45 minutes: how large a buffer should be, CUBIC
    beside Reno, and BBR beside CUBIC. Open both files in a browser and print them.
    """
    with signals.loading():
        from ..explore.course.write import chosen, schedule, write
        from ..explore.lesson import lessons
        from .terminal import progress, warn

    known = lessons()
    if own is not None:
        from ..explore.lesson_files import with_own

        known = dict(permitted(lambda: with_own(own, code, warn)))
    taken = chosen(names, known)
    schedule(len(taken), minutes)
    with progress("running the lessons") as callback:
        written = write(taken, out, minutes, "" if own is None else str(own), callback)
    for file in written:
        click.echo(f"wrote {file}")
