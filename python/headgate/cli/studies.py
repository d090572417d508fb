"""What commands that make many runs have in common: the limit, progress, and after Ctrl-C how to go on."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from ..base.counts import counted
from ..base.errors import HeadgateError, ScenarioError
from ..base.parts import PartMark, Share, read_part
from ..base.parts import command as line_of
from . import signals
from .finding import name_of
from .show import print_json

if TYPE_CHECKING:
    from ..sweep import Study, Sweep
    from ..sweep.driver import Progress

#: Processor time in s above which it is said before the runs start.
LONG_S = 60

#: Seconds after which lines of progress are prepared, and between looks at how far it is.
LOADED_S = 0.5


def of_cells(command: Any) -> dict[str, Any]:
    """The options that the matrix and the games have in common, by their names."""
    names = ("flows", "rate", "rtt", "buffer", "duration", "warm_up", "noise", "runs", "seed")
    return {name: getattr(command, name) for name in names}


def ran(command: Any, asked: Any, what: str, most_s: float, fewer: str) -> Any:
    """The result of the matrix or the game that a command asked for; None after `--dry-run`, which prints what would be run.

    Args:
        command: its options `limit`, `dry_run`, `as_json` and those of a study are read.
        asked: the matrix or the game.
        what: what the progress is of.
        most_s: the processor time in s that `limit` has.
        fewer: what would make it shorter.

    Raises:
        HeadgateError: a variant is wrong, or all is expected to take longer than the limit.
    """
    from .tables.plans import print_plan, time_text
    from .terminal import print_error

    for check in asked.sweep().check():
        if check.error is not None:
            raise HeadgateError(check.error)
    expected_s = asked.estimate()
    if command.dry_run:
        part = None if command.part is None else read_part(command.part)
        runs = asked.runs if part is None else sum(1 for _ in part.positions(asked.runs))
        if command.as_json:
            print_json({**asked.to_dict(), "runs": runs, "expected_cpu_s": expected_s * runs / asked.runs})
        else:
            print_plan(asked, expected_s)
            if part is not None:
                from .terminal import console

                console().print(f"part {part} has {counted(runs, 'run')} of them")
        return None
    text = f"{counted(asked.runs, 'run')}, expected to take {time_text(expected_s)} of processor time"
    if expected_s > most_s:
        raise HeadgateError(f"{text}; expected at most --limit {command.limit}: a higher limit, or {fewer}")
    if expected_s > LONG_S:
        print_error(text)
    with study_progress(what, command.out) as callback:
        return asked.run(command.out, command.workers, progress=callback, **_how(command))


def _how(c: Any) -> dict[str, Any]:
    return {"engine": c.engine, "address": c.address, "resume": c.resume, "max_memory": c.max_memory}


def run_part(command: Any, part: Share, study: Sweep, folder: Path, given: Mapping[str, Any] | None = None) -> int:
    """Makes a part of a study, and says what was made; gives the exit code.

    Args:
        command: its options `as_json` and those of a study are read.
        part: which.
        study: the whole.
        folder: of the part.
        given: what `gather_cells` needs to know of the command.
    """
    kind = name_of(type(command))
    words = tuple(sys.argv[1:]) if sys.argv[1:2] == [kind] else ()
    part = replace(part, kind=kind, words=words, given=given or {})
    with study_progress(f"running part {part}", folder) as callback:
        made = study.run(folder, command.workers, progress=callback, part=part, **_how(command))
    if command.as_json:
        print_json({**_numbers(made, folder), "complete": True, "part": part.number, "of": part.of})
    else:
        from .tables.sweep import print_part

        print_part(made, part)
    return 1 if len(made.failures) else 0


def _numbers(study: Study, folder: Path) -> dict[str, Any]:
    from ..sweep.summary import failures_of

    said = {"version": study.manifest["headgate"], "seed": study.manifest["seed"], "complete": study.complete}
    return {**said, "runs": len(study.runs), "failures": failures_of(study), "folder": str(folder)}


def part_folder(whole: Path, part: Share) -> Path:
    """The folder of a part unless another one is given: beside that of the whole.

    >>> str(part_folder(Path("out/queues"), read_part("3/64")))
    'out/queues-parts/03'
    """
    return whole.with_name(f"{whole.name}-parts") / f"{part.number:0{len(str(part.of))}}"


#: Options that say how runs are made, and not which, or what is made of them.
_HOW = ("address", "as_json", "dry_run", "engine", "limit", "max_memory", "out", "part", "resume", "workers")


def cells_part(command: Any, asked: Any) -> int:
    """Makes the part of a matrix or a game that `--part` asks for; its runs are not estimated first. Gives the exit code.

    Raises:
        HeadgateError: a variant is wrong.
    """
    part, study = read_part(command.part), asked.sweep()
    for check in study.check():
        if check.error is not None:
            raise HeadgateError(check.error)
    given = {f.name: getattr(command, f.name) for f in fields(command) if f.name not in _HOW}
    given.pop("plugin", None)
    # Its default is the folder of the whole.
    folder = part_folder(command.out, part) if command.out == type(command).out else command.out
    return run_part(command, part, study, folder, given)


def say_rest(part: Share, study: Study, out: Path) -> None:
    """Says what is not there yet of a study that was joined, and the command that makes it."""
    from .terminal import note

    if not study.complete:
        missing = study.missing
        what = f"{counted(missing, 'run')} not there yet" if missing else "its stopping rule asks for more runs"
        note(f"the study is not complete: {what}. Go on with:\n  {_rest(part, out)}")


def _rest(part: Share, out: Path) -> str:
    return line_of(part, "--out", str(out), "--resume")


def gather_cells(cls: Any, marks: Sequence[PartMark], out: Path, incomplete: bool, as_json: bool) -> int:
    """Joins the parts of a matrix or a game, and makes the files that the command makes of all; gives the exit code.

    What a folder says cannot make code run: where the command names some, its user calls it for the rest.
    """
    with signals.loading():
        from .. import plugins
        from ..sweep.parts import join, plan_of
        from .terminal import note

    new, part = not out.exists(), marks[0].part
    if out.is_dir() and any(file.name != ".study.gather" for file in out.iterdir()):
        raise HeadgateError(f"--out {out}: expected an empty or absent folder")
    try:
        study = join(marks, out / "study", incomplete)
        asked = None
        with suppress(HeadgateError, ScenarioError, TypeError, ValueError, AttributeError), plugins.sealed():
            command = cls(**part.given, out=out, as_json=as_json)
            asked = command.asked()
        if study.complete and asked is not None and plan_of(asked.sweep()._manifest()) == marks[0].plan:
            asked.write_cells(out)
            return int(command.finish(asked, asked.result_of(study, out)))
    except BaseException:
        if new:
            shutil.rmtree(out, ignore_errors=True)
        raise
    if as_json:
        print_json({**_numbers(study, out), "rest": _rest(part, out)})
    note(f"the runs are in {out}. What is made of them comes from:\n  {_rest(part, out)}")
    return 1 if len(study.failures) else 0


@contextmanager
def study_progress(what: str, folder: Path) -> Iterator[Progress | None]:
    """A progress bar with the rate and the time left; a study that is stopped says how to go on."""
    from ..sweep.driver import Interrupted

    try:
        with bar(what) as callback:
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
def _lines(what: str) -> Iterator[Progress | None]:
    """As `bar` where there is no terminal: what prints the lines is loaded when the first runs have begun."""
    if os.environ.get("HEADGATE_PROGRESS") == "off":
        yield None
        return
    ended, seen = threading.Event(), [0, 0]

    def update(done: int, total: int, failed: int) -> None:
        seen[:] = [done + failed, total]

    def tell() -> None:
        if ended.wait(LOADED_S):
            return
        from .terminal import bar_of

        with bar_of() as bar:
            task = None if bar is None else bar.add_task(what, total=None)
            while bar is not None and task is not None and not ended.wait(LOADED_S):
                bar.update(task, completed=seen[0], total=seen[1] or None)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield update
    finally:
        ended.set()
        thread.join()


@contextmanager
def bar(what: str) -> Iterator[Progress | None]:
    """A progress bar with the rate and the time left, in a terminal; lines elsewhere."""
    if sys.stderr is None or not sys.stderr.isatty():
        with _lines(what) as late:
            yield late
        return
    from rich.progress import MofNCompleteColumn, TextColumn, TimeRemainingColumn

    from ..results.results import digits
    from .terminal import Lines, bar_of

    failures = TextColumn("[red]{task.fields[failed]}")
    columns = [MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn(), failures]
    with bar_of(lambda: columns) as bar:
        if bar is None or isinstance(bar, Lines):
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
