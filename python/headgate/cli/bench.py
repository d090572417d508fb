"""headgate bench: speed and memory on this machine."""

from __future__ import annotations

import click

from . import signals
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate bench
  headgate bench --quick --json"""
)
@click.option("--quick", is_flag=True, help="Measure fewer workloads and flows.")
@click.option(
    "--repeats",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Repeats of each measurement; the best is printed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def bench(quick: bool, repeats: int, as_json: bool) -> None:
    """Measure the speed of the engine and of every discipline, and the memory of a flow."""
    with signals.loading():
        from ..checks.bench import run
        from .tables.bench import print_bench
        from .terminal import progress

    with progress("measuring") as callback:
        found = run(quick, repeats, lambda done, total: callback(done / total, done, total) if callback else None)
    if as_json:
        print_json(found)
    else:
        print_bench(found)
