"""headgate contract: the rate of a flow control as a function of delay and of loss, and what follows."""

from __future__ import annotations

from .. import completing, shared, signals
from ..changes import parameters_of
from ..command import Command, argument, option
from ..show import print_json


class ContractCommand(Command):
    """Measure the contract of the flow control CONTROL: its sending rate as a function of delay and of loss.

    The contract predicts which delay of one flow alone starves one of two equal flows; runs confirm or refute it. CONTROL is a
    name of the list, a file (mine.py, libmine.so), module:Class, a table in TOML or JSON, or a program as a list of its arguments.
    Exit code 1 if the prediction, or a law of theory, does not hold.
    """

    group = "Judge a control or a queue"
    page = "how-to/contract"
    examples = """\
headgate contract vegas
headgate contract cubic --quick
headgate contract copa --set competes=false --out copa.svg
headgate contract mine.py --ratio 5 --json
"""

    control: str = argument(complete=completing.controls)
    ratio: float = option(
        "Ratio of two goodputs at which the slower flow counts as starved: above 1, at most 19.", 10.0
    )
    seeds: int = option("Runs of each place.", 3, least=1, most=20)
    quick: bool = option("Use a third of the places, and shorter runs.")
    own_name: str = shared.own_name("control")
    changes: tuple[str, ...] = shared.parameters("the control")
    out: str | None = option("Draw the contract into this file (.svg, .png or .pdf).", metavar="FILE")
    workers: int | None = shared.workers()
    as_json: bool = shared.as_json("everything")
    max_memory: None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...contracts import contract as measure
            from ...contracts.result import FAILED
            from ...referee.subjects import named
            from ..tables.contract import print_contract
            from ..terminal import progress

            if self.out is not None:
                from ...plots.canvas import require

                require(self.out)
        parameters = parameters_of(self.changes, "beta=0.5")
        subject = named(self.control, "control", self.own_name, parameters)
        with progress("measuring") as callback:
            found = measure(
                subject, ratio=self.ratio, seeds=self.seeds, quick=self.quick, workers=self.workers, progress=callback
            )
        if self.as_json:
            print_json(found.to_dict())
        else:
            print_contract(found)
        # Last: what was measured is on the screen if the file cannot be written.
        if self.out is not None:
            from ...contracts.picture import draw

            draw(found).save(self.out)
        return int(found.keeps_law is False or found.verdict in FAILED)
