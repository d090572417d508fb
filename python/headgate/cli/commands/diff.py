"""headgate diff: the first event in which two runs differ, or where two qlogs part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from ...base.counts import counted
from ...base.errors import HeadgateError
from .. import shared, signals
from ..command import Command, argument, option
from ..printed import Shape, key
from ..scenario_files import allow_code, permit
from ..show import print_json

if TYPE_CHECKING:
    from ...scenario.scenario import Scenario


class DiffJson(Shape):
    """Two runs, event by event."""

    equal: bool = key("Whether all events were the same.")
    digests: list[str] = key("Digests of both.")
    versions: list[str] = key("Versions of headgate that made them.")
    event: int | None = key("Number of the first event that differs.")
    events: list[str | None] = key("Its text in both runs.")


class DiffQlogsJson(Shape):
    """Two traces in qlog, over the time that both have."""

    equal: bool = key("Whether nothing parts.")
    names: list[str] = key("Their names.")
    span_s: float = key("The common time.", "s")
    tolerance: float = key("Share up to which a difference is ignored.")
    lasting_s: float = key("For how long a difference has to last.", "s")
    first: str | None = key("Name of what parts first; null if nothing does.")
    quantities: list[PartingJson] = key(
        "Window, in flight, round trip, rate sent and losses, as far as both have them."
    )
    notes: list[str] = key("Texts for people.")


class PartingJson(Shape):
    """A quantity of both."""

    name: str = key("Its name.")
    unit: str = key("Its unit.")
    mean: list[float] = key("Mean of both over the common time; of losses the numbers.")
    at_s: float | None = key("Where they part; null if they do not.", "s")
    there: list[float] | None = key("Both values then.")
    by: float | None = key("The difference in parts of the larger one.")


class DiffCommand(Command):
    """Compare two runs: folders written by `run --out`, or scenario files, which are run first.

    Two qlogs (.qlog, .sqlog), such as that of a QUIC stack and one of `run --qlog`, are compared by their windows, round trips, rates and
    losses from the first packet on: where they part first, and by how much. Exit code 1 if they differ.
    """

    group = "Compare"
    page = "how-to/export-a-run"
    examples = """\
headgate diff out/monday out/tuesday
headgate diff before.toml after.toml
headgate diff stack.sqlog two-qlog/jk_tahoe1.sqlog --tolerance 5%
"""
    prints = {"": DiffJson, "Of two qlogs": DiffQlogsJson}

    run_a: Path = argument()
    run_b: Path = argument()
    number: int = option("Replication to compare.", 0, "--run", least=0)
    tolerance: str = option("Ignore differences of two qlogs up to this share, such as 5%.", "10%", metavar="SHARE")
    code: bool = allow_code()
    as_json: bool = shared.as_json("the comparison")
    max_memory: str | None = shared.memory_limit()

    def run(self) -> None:
        with signals.loading():
            from rich.markup import escape

            from ...checks.diff import compare, load
            from ...exports.qlogs import is_qlog
            from ..terminal import console, progress

        context = click.get_current_context()
        given = {
            name
            for name in ("number", "tolerance")
            if context.get_parameter_source(name) is not ParameterSource.DEFAULT
        }
        if is_qlog(self.run_a) or is_qlog(self.run_b):
            if "number" in given:
                raise HeadgateError("--run: expected none beside a qlog, which is of one run")
            context.exit(_of_qlogs(self.run_a, self.run_b, self.tolerance, self.as_json))
        if "tolerance" in given:
            raise HeadgateError("--tolerance: expected two qlogs beside it; runs are equal to the event, or not")

        def asked(scenario: Scenario) -> None:
            permit(scenario, self.code)

        with progress("comparing"):
            found = compare(load(self.run_a, self.number, asked), load(self.run_b, self.number, asked), asked)
        if self.as_json:
            print_json(found.to_dict())
        else:
            out = console()
            if found.equal:
                out.print(f"equal: digest {found.a.digest}, {counted(found.a.events, 'event')}")
            else:
                out.print(
                    f"different: digests {found.a.digest} and {found.b.digest}; they diverge at event {found.event}",
                    soft_wrap=True,
                )
                for source, text in ((found.a, found.first), (found.b, found.second)):
                    out.print(
                        f"  {escape(source.name)}: {escape(text or 'no event shown: only contents of packets differ')}",
                        soft_wrap=True,
                    )
        context.exit(0 if found.equal else 1)


def _of_qlogs(a: Path, b: Path, tolerance: str, as_json: bool) -> int:
    """Compares two qlogs; the exit code."""
    with signals.loading():
        from ...exports.divergence import compare_qlogs
        from ...exports.qlogs import is_qlog, read_qlog
        from ...quick.amounts import share
        from ..tables.qlogs import print_qlogs

    part = share("--tolerance", tolerance)
    for path in (a, b):
        if path.is_dir():
            raise HeadgateError(f"{path}: found a folder; expected one qlog, such as a file .sqlog in it")
        if not is_qlog(path):
            raise HeadgateError(f"{path}: expected a qlog (.qlog, .sqlog) as the other file is")
    found = compare_qlogs(read_qlog(a), read_qlog(b), part)
    if as_json:
        print_json(found.to_dict())
    else:
        print_qlogs(found)
    return 0 if found.first is None else 1
