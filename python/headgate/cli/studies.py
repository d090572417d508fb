"""What commands that make many runs have in common: the limit, progress, and after Ctrl-C how to go on."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..base.counts import counted
from ..base.errors import HeadgateError
from . import signals
from .show import print_json

if TYPE_CHECKING:
    from ..sweep.driver import Progress

#: Processor time in s above which it is said before the runs start.
LONG_S = 60


def of_cells(command: Any) -> dict[str, Any]:
    """The options that the matrix and the games have in common, by their names."""
    names = ("flows", "rate", "rtt", "buffer", "duration", "warm_up", "noise", "runs", "seed")
    return {name: getattr(command, name) for name in names}


def ran(
    command: Any, asked: Any, what: str, most_s: float, fewer: str, print_plan: Callable[[Any, float], object]
) -> Any:
    """The result of the matrix or the game that a command asked for; None after `--dry-run`, which prints what would be run.

    Args:
        command: its options `limit`, `dry_run`, `as_json` and those of a study are read.
        asked: the matrix or the game.
        what: what the progress is of.
        most_s: the processor time in s that `limit` has.
        fewer: what would make it shorter.
        print_plan: prints the plan, with the processor time that it is expected to take.

    Raises:
        HeadgateError: a variant is wrong, or all is expected to take longer than the limit.
    """
    from .tables.plans import time_text
    from .terminal import print_error

    for check in asked.sweep().check():
        if check.error is not None:
            raise HeadgateError(check.error)
    expected_s = asked.estimate()
    if command.dry_run:
        if command.as_json:
            print_json({**asked.to_dict(), "expected_cpu_s": expected_s})
        else:
            print_plan(asked, expected_s)
        return None
    text = f"{counted(asked.runs, 'run')}, expected to take {time_text(expected_s)} of processor time"
    if expected_s > most_s:
        raise HeadgateError(f"{text}; expected at most --limit {command.limit}: a higher limit, or {fewer}")
    if expected_s > LONG_S:
        print_error(text)
    c = command
    with study_progress(what, c.out) as callback:
        how = {"engine": c.engine, "address": c.address, "resume": c.resume, "max_memory": c.max_memory}
        return asked.run(c.out, c.workers, progress=callback, **how)


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
