"""headgate gather: joins parts that were made on many machines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ...base.errors import HeadgateError, cut
from ...base.parts import MARK, read_mark
from ...cli import shared, signals
from ...cli.command import Command, argument, option
from ...cli.commands.sweep import SweepJson
from ...cli.finding import class_of, own_names
from ...cli.printed import GatheredJson, RunsJson
from .game import GameJson, SelfishGameJson
from .matrix import MatrixJson


class GatherCommand(Command):
    """Join the parts in folders DIR..., which a command made with --part.

    The folder OUT is then what the command makes without --part: equal to the byte, except for files that hold times. Parts may be given
    in any order, and one that was made twice counts once. Exit code 1 if runs failed.
    """

    group = "Compare"
    at_once = True
    page = "how-to/cluster"
    notes = """It is an error if a part is missing or was not finished, or is one of something else; nothing is written then. The
error has the commands that make what is missing. With --incomplete, what is there is joined, and the command itself with --resume makes
the rest in the folder OUT. Of evaluate, referee, attack, contract, conform and buffer the runs are joined, and the
command itself gives the answer."""
    examples = """\
headgate gather parts/* --out out/queues
headgate gather parts/* --out out/queues --incomplete
"""
    prints = {
        "Of `headgate sweep`": SweepJson,
        "Of `headgate matrix`": MatrixJson,
        "Of `headgate game`": GameJson,
        "Of `headgate game --selfish`": SelfishGameJson,
        "Where the command makes the rest": GatheredJson,
        "Of judges: `evaluate`, `referee`, `attack`, `contract`, `conform`, `buffer`": RunsJson,
    }

    folders: tuple[Path, ...] = argument(metavar="DIR...")
    out: Path = option("Folder of the whole.", required=True)
    incomplete: bool = option("Join what is there although parts are missing or not finished.")
    as_json: bool = shared.as_json("what the command itself prints")

    def run(self) -> int:
        if not self.folders:
            raise HeadgateError("DIR...: found none; expected the folders of parts, such as parts/*")
        marks = [read_mark(folder) for folder in self.folders]
        kind = marks[0].part.kind
        made_by = class_of(kind) if kind in own_names() else None
        if not hasattr(made_by, "part"):
            raise HeadgateError(
                f"{marks[0].folder / MARK}: found parts of {cut(repr(kind))}; expected a command with --part"
            )
        # Of judges it joins the runs, of which they make their answer.
        found = getattr(made_by, "gathered", None) or _of_judges()
        return int(found(marks, self.out, self.incomplete, self.as_json))


def _of_judges() -> Callable[..., int]:
    with signals.loading():
        from ..frame.judging import gathered
    return gathered
