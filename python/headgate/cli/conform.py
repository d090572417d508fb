"""headgate conform: whether a flow control or discipline keeps the contract."""

from __future__ import annotations

import click

from . import signals
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate conform mine.py
  headgate conform mine.py --name my_codel
  headgate conform package.module:Class --json
  headgate conform '["./mine", "--fast"]'"""
)
@click.argument("subject", metavar="SUBJECT")
@click.option(
    "--name", default="", metavar="NAME", help="Test only this one of the flow controls and disciplines in the file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def conform(subject: str, name: str, as_json: bool) -> int:
    """Test the flow controls and disciplines of SUBJECT as those of headgate are tested.

    SUBJECT is a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, a program as a list of its arguments, or a name of
    the list.

    They run over many paths, with losses, marks, pauses and changes of the network, with their parameters at their bounds, and twice
    with the same result. Exit code 1 if a test fails.
    """
    with signals.loading():
        from ..conformance import conform as test
        from .tables.conform import print_report
        from .terminal import progress

    with progress("testing") as callback:
        report = test(subject, name, callback)
    if as_json:
        print_json(report.to_dict())
    else:
        print_report(report)
    return 0 if report.passed else 1
