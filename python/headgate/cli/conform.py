"""headgate conform: whether a flow control or discipline of one's own keeps the contract."""

from __future__ import annotations

import click

from . import signals
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate conform mine.py
  headgate conform mine.py --name my_codel
  headgate conform package.module:Class --json"""
)
@click.argument("file", metavar="FILE")
@click.option(
    "--name", default="", metavar="NAME", help="Test only this one of the flow controls and disciplines in FILE."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def conform(file: str, name: str, as_json: bool) -> int:
    """Test the flow controls and disciplines in FILE, in Python, as those of headgate are tested.

    They run over many paths, with losses, marks, pauses and changes of the network, with their parameters at their bounds, and twice
    with the same result. Exit code 1 if a test fails.
    """
    with signals.loading():
        from ..conformance import conform as test
        from .tables.conform import print_report
        from .terminal import progress

    with progress("testing") as callback:
        report = test(file, name, callback)
    if as_json:
        print_json(report.to_dict())
    else:
        print_report(report)
    return 0 if report.passed else 1
