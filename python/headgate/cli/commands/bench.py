"""headgate bench: speed and memory on this machine."""

from __future__ import annotations

from .. import shared, signals
from ..command import Command, option
from ..show import print_json


class BenchCommand(Command):
    """Measure the speed of the engine and of every discipline, and the memory of a flow."""

    group = "Look up"
    examples = """\
headgate bench
headgate bench --quick --json
"""

    quick: bool = option("Measure fewer workloads and flows.")
    repeats: int = option("Repeats of each measurement; the best is printed.", 3, least=1, most=100)
    as_json: bool = shared.as_json("the figures")

    def run(self) -> None:
        with signals.loading():
            from ...checks.bench import run
            from ..tables.bench import print_bench
            from ..terminal import progress

        with progress("measuring") as callback:
            found = run(
                self.quick, self.repeats, lambda done, total: callback(done / total, done, total) if callback else None
            )
        if self.as_json:
            print_json(found)
        else:
            print_bench(found)
