"""What commands that judge have in common: where runs are made and kept, progress, and after Ctrl-C how to go on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...base.errors import HeadgateError
from ...cli.studies import kept_runs
from ...cli.terminal import progress
from .jobs import Where


@contextmanager
def judging(command: Any, what: str, out: str | None, hint: str = "") -> Iterator[Where]:
    """Where the runs of a command are made and kept, for the judge, with a bar.

    Args:
        command: its options `resume`, `workers`, `engine` and `address` are read.
        what: what the progress is of.
        out: the folder of the runs; None to keep none.
        hint: stands behind the first estimate.
    """
    c = command
    if c.resume and out is None:
        raise HeadgateError("--resume: expected --out with the folder beside it")
    with kept_runs(None if out is None else Path(out)), progress(what, hint) as callback:
        yield {"out": out, "workers": c.workers, "engine": c.engine, "address": c.address, "progress": callback}
