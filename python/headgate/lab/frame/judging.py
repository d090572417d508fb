"""What commands that judge have in common: where runs are made and kept, progress, parts, and after Ctrl-C how to go on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.markup import escape

from ... import __version__
from ...base.counts import counted
from ...base.errors import HeadgateError
from ...base.parts import PartMark, read_part
from ...base.parts import command as line_of
from ...cli.finding import name_of
from ...cli.show import print_json
from ...cli.studies import kept_runs
from ...cli.terminal import console, progress
from .jobs import PartMade, Where
from .store import join


@contextmanager
def judging(command: Any, what: str, out: str | None, hint: str = "") -> Iterator[Where]:
    """Where the runs of a command are made and kept, for the judge, with a bar. With `--part` the command ends once its runs are there.

    Args:
        command: its options `resume`, `workers`, `engine`, `address`, `part` and `as_json` are read.
        what: what the progress is of.
        out: the folder of the runs; None to keep none.
        hint: stands behind the first estimate.
    """
    c = command
    if c.resume and out is None:
        raise HeadgateError("--resume: expected --out with the folder beside it")
    part = None
    if c.part is not None:
        kind = name_of(type(c))
        words = tuple(sys.argv[1:]) if sys.argv[1:2] == [kind] else ()
        part = replace(read_part(c.part), kind=kind, words=words)
    try:
        with kept_runs(None if out is None else Path(out)), progress(what, hint) as callback:
            yield {
                "out": out, "workers": c.workers, "engine": c.engine, "address": c.address, "part": part, "progress": callback,
            }  # fmt: skip
    except PartMade as made:
        _say(
            made.runs, made.folder, "headgate gather DIR... --out OUT", f"{made}; when all parts are there:", c.as_json
        )
        raise click.exceptions.Exit(0) from None


def gathered(marks: Sequence[PartMark], out: Path, incomplete: bool, as_json: bool) -> int:
    """Joins the runs of parts for `headgate gather`, and says which command makes the rest; gives the exit code."""
    runs = join(marks, out, incomplete)
    rest = line_of(marks[0].part, "--out", str(out), "--resume")
    _say(runs, out, rest, f"{counted(runs, 'run')} in {out}; the rest, and the answer, come from:", as_json)
    return 0


def _say(runs: int, folder: Path, rest: str, text: str, as_json: bool) -> None:
    if as_json:
        print_json({"version": __version__, "runs": runs, "folder": str(folder), "rest": rest})
    else:
        console().print(f"{escape(text)} {escape(rest)}", soft_wrap=True)
