"""What commands that make many runs have in common: the limit, progress, and after Ctrl-C how to go on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..base.counts import counted
from ..base.errors import HeadgateError
from . import signals

if TYPE_CHECKING:
    from ..sweep.driver import Progress

#: Processor time in s above which it is said before the runs start.
LONG_S = 60


def checked(asked: Any) -> float:
    """The processor time in s that a matrix or a game is expected to take, whose variants are checked before.

    Raises:
        HeadgateError: a variant is wrong.
    """
    for check in asked.sweep().check():
        if check.error is not None:
            raise HeadgateError(check.error)
    return float(asked.estimate())


def within_limit(runs: int, expected_s: float, limit: str, most_s: float, fewer: str) -> None:
    """Says how long runs will take, if that is long.

    Args:
        runs: their number.
        expected_s: the processor time that they are expected to take.
        limit: what `--limit` has, for the error.
        most_s: the same in s.
        fewer: what would make it shorter.

    Raises:
        HeadgateError: it is beyond the limit.
    """
    from .tables.matrix import time_text
    from .terminal import print_error

    text = f"{counted(runs, 'run')}, expected to take {time_text(expected_s)} of processor time"
    if expected_s > most_s:
        raise HeadgateError(f"{text}; expected at most --limit {limit}: a higher limit, or {fewer}")
    if expected_s > LONG_S:
        print_error(text)


@contextmanager
def study_progress(what: str, folder: Path) -> Iterator[Progress | None]:
    """A progress bar with the rate and the time left; a study that is stopped says how to go on."""
    from ..sweep.driver import Interrupted

    try:
        with _bar(what) as callback:
            yield callback
    except Interrupted as e:
        signals.note(e.number)
        again = [*(word for word in sys.argv[1:] if word != "--resume"), "--resume"]
        _stop(f"what is finished is in {folder}", again)


@contextmanager
def kept_runs(folder: Path | None) -> Iterator[None]:
    """After Ctrl-C, says where finished runs are and how to continue, if they were kept."""
    try:
        yield
    except KeyboardInterrupt:
        if folder is None:
            raise
        _stop(f"finished runs are in {folder}", sys.argv[1:])


def _stop(said: str, again: list[str]) -> NoReturn:
    from rich.markup import escape

    from .terminal import print_error

    signals.mark_reported()
    print_error(escape(f"stopped; {said}. Go on with:\n  {shlex.join(['headgate', *again])}"))
    raise click.exceptions.Exit(signals.code()) from None


@contextmanager
def _bar(what: str) -> Iterator[Progress | None]:
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from ..results.results import digits
    from .terminal import bar_of

    failures = TextColumn("[red]{task.fields[failed]}")
    with bar_of(MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), failures) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(what, total=None, rate="", failed="")

        def update(done: int, total: int, failed: int) -> None:
            speed = bar.tasks[0].speed
            rate = f"{digits(speed, 3)} runs/s" if speed else ""
            bar.update(
                task, completed=done + failed, total=total, rate=rate, failed=f"{failed} failed" if failed else ""
            )

        yield update
