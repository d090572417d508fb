"""headgate evaluate: a flow control judged on a suite."""

from __future__ import annotations

import click

from . import completing, signals
from .changes import parameters_of
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate evaluate cubic
  headgate evaluate mine.py --suite internet-1
  headgate evaluate mine.py --key 'a secret of mine'
  headgate evaluate mine.py --set gain=0.5 --json"""
)
@click.argument("control", shell_complete=completing.controls)
@click.option(
    "--suite", default="internet-1", show_default=True, metavar="NAME", help="internet-1 has 40 cases, smoke has 4."
)
@click.option(
    "--key",
    default="",
    metavar="TEXT",
    help="Judge on the hidden suite: its numbers and seeds are drawn from this text.",
)
@click.option("--name", default="", metavar="NAME", help="The flow control in the file, if there are several.")
@click.option("--set", "changes", metavar="NAME=VALUE", multiple=True, help="Set a parameter of the flow control.")
@click.option(
    "--rounds", type=click.IntRange(1, 99), help="Runs of each case; 3 to 5 unless given, as the interval asks for."
)
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@click.option(
    "--trusted",
    is_flag=True,
    help="Run the file within the simulator: faster, and with no protection against cheating.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def evaluate(
    control: str,
    suite: str,
    key: str,
    name: str,
    changes: tuple[str, ...],
    rounds: int | None,
    workers: int | None,
    trusted: bool,
    as_json: bool,
) -> int:
    """Judge the flow control CONTROL: the name of one of the list, or a file in Python.

    It runs on the cases of a suite: alone, beside others, beside itself, with losses, changes and short transfers. A file runs in
    processes of its own, which may use memory and nothing else. Exit code 1 if runs failed.
    """
    with signals.loading():
        from ..evaluation import evaluate as judge
        from .tables.evaluate import print_scores
        from .terminal import progress

    parameters = parameters_of(changes, "gain=0.5")
    with progress("judging") as callback:
        found = judge(
            control, suite, key, name=name, parameters=parameters, rounds=rounds, workers=workers, trusted=trusted,
            progress=callback,
        )  # fmt: skip
    if as_json:
        print_json(found)
    else:
        print_scores(found)
    return 1 if found["faults"] else 0
