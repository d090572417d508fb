"""headgate contract: the rate of a flow control as a function of delay and of loss, and what follows."""

from __future__ import annotations

import click

from . import completing, signals
from .changes import parameters_of
from .numbers import Number
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate contract vegas
  headgate contract cubic --quick
  headgate contract copa --set competes=false --out copa.svg
  headgate contract mine.py --ratio 5 --json"""
)
@click.argument("control", shell_complete=completing.controls)
@click.option(
    "--ratio",
    type=Number(),
    default=10.0,
    show_default=True,
    help="Ratio of two goodputs from which on one flow is starved: above 1, at most 19.",
)
@click.option("--seeds", type=click.IntRange(1, 20), default=3, show_default=True, help="Runs of each place.")
@click.option("--quick", is_flag=True, help="Use a third of the places, and shorter runs.")
@click.option(
    "--control", "own_name", default="", metavar="NAME", help="The control in the file, if there are several."
)
@click.option("--set", "changes", metavar="NAME=VALUE", multiple=True, help="Set a parameter of the control.")
@click.option("--out", metavar="FILE", help="Draw the contract into this file (.svg, .png or .pdf).")
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def contract(
    control: str,
    ratio: float,
    seeds: int,
    quick: bool,
    own_name: str,
    changes: tuple[str, ...],
    out: str | None,
    workers: int | None,
    as_json: bool,
) -> int:
    """Measure the contract of the flow control CONTROL: which rate it has at which delay, and at which loss rate.

    From that follows by which delay of one flow alone one of two equal flows is starved, and runs confirm or refute it. CONTROL is a
    name of the list, a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, or a program as a list of its arguments.
    Exit code 1 if the prediction, or a law of theory, does not hold.
    """
    with signals.loading():
        from ..contracts import contract as measure
        from ..contracts.result import FAILED
        from ..referee.subjects import named
        from .tables.contract import print_contract
        from .terminal import progress

        if out is not None:
            from ..plots.canvas import require

            require(out)
    parameters = parameters_of(changes, "beta=0.5")
    subject = named(control, "control", own_name, parameters)
    with progress("measuring") as callback:
        found = measure(subject, ratio=ratio, seeds=seeds, quick=quick, workers=workers, progress=callback)
    if as_json:
        print_json(found.to_dict())
    else:
        print_contract(found)
    # Last: what was measured is on the screen if the file cannot be written.
    if out is not None:
        from ..contracts.picture import draw

        draw(found).save(out)
    return int(found.keeps_law is False or found.verdict in FAILED)
