"""headgate diff: the first event in which two runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..base.counts import counted
from . import signals
from .scenario_files import allow_code, permit
from .show import print_json

if TYPE_CHECKING:
    from ..scenario.scenario import Scenario


@click.command(
    epilog="""\b
Examples:
  headgate diff out/monday out/tuesday
  headgate diff before.toml after.toml"""
)
@click.argument("run_a", type=click.Path(path_type=Path))
@click.argument("run_b", type=click.Path(path_type=Path))
@click.option("--run", "number", type=click.IntRange(0), default=0, show_default=True, help="Replication to compare.")
@allow_code
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.pass_context
def diff(context: click.Context, run_a: Path, run_b: Path, number: int, code: bool, as_json: bool) -> None:
    """Compare two runs: folders written by `run --out`, or scenario files, which are run first. Exit code 1 if they differ."""
    with signals.loading():
        from rich.markup import escape

        from ..checks.diff import compare, load
        from .terminal import console

    def asked(scenario: Scenario) -> None:
        permit(scenario, code)

    found = compare(load(run_a, number, asked), load(run_b, number, asked), asked)
    if as_json:
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
