"""headgate attack: the scenario in which a scheme fails, found and made small."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.errors import HeadgateError
from .. import completing, shared, signals
from ..changes import parameters_of
from ..command import Command, argument, option
from ..show import print_json

if TYPE_CHECKING:
    from ...referee.subjects import Judged


class AttackCommand(Command):
    """Search for a scenario in which the flow control CONTROL fails, and make it small.

    CONTROL, QUEUE and the references are names of the list, files (mine.py, libmine.so), module:Class, or tables in TOML or JSON; a flow
    control may be a program, as a list of its arguments. A scenario counts as a break if the scheme is beyond the limit
    there, the best reference in the same place is better by the margin, and most runs with seeds that the search has not seen fail as
    well. Exit code 1 if there is a break.
    """

    group = "Judge a control or a queue"
    page = "how-to/attack"
    examples = """\
headgate attack bbr1 --out out/bbr1
headgate attack copa --objective starvation --preset wifi
headgate attack --queue red --objective victim-delay
headgate attack mine.py --queue fq_codel --against reno,cubic
headgate attack reno --objective share --noise 0 --findings 1
headgate attack --list
"""

    control: str | None = argument(metavar="CONTROL", complete=completing.controls)
    queue: str | None = option(
        "Attack this queue; with CONTROL, attack the control behind this queue.", metavar="QUEUE"
    )
    objective: str = option("Property that must fail; unless given, goodput or victim-delay.", "", metavar="NAME")
    preset: str = option("Bounds of the scenarios, or a file (.toml).", "internet", metavar="NAME")
    against: str | None = option("References in the same place, between commas.", metavar="NAMES")
    absolute: bool = option("Judge by the limit alone, whatever references get.")
    limit: float | None = option("Value at which the property counts as failed.", above=0)
    margin: float = option("How many times better the best reference is.", 2.0, least=1)
    candidates: int = option("Maximum number of candidates.", 3000, least=50, most=10_000_000)
    budget: float | None = option("Maximum processor time.", above=0, metavar="MINUTES")
    findings: int = option("End after this number of breaks.", 3, least=1, most=100)
    times: int | None = option("Number of times at which a delay may change; 3 unless given.", least=0, most=20)
    noise: str = option("Noise of the hosts; 0 for none.", "1pkt", metavar="TIME")
    seed: int = shared.seed("Seed of the search.", most=None)
    random: bool = option("Draw all candidates at random, which a search has to beat.")
    own_name: str = shared.own_name("scheme")
    changes: tuple[str, ...] = shared.parameters("what is attacked")
    out: str | None = option("Write each break with its figure there; a second call goes on there.", metavar="DIR")
    workers: int | None = shared.workers()
    engine: str = shared.engine()
    address: str | None = shared.address()
    listed: bool = option("List the objectives, and the numbers of a scenario.", False, "--list")
    as_json: bool = shared.as_json("everything")
    max_memory: None = shared.memory_limit()

    def run(self) -> int:
        with signals.loading():
            from ...attacks.outputs import write
            from ...attacks.run import Budget
            from ...attacks.run import attack as search
            from ...referee.subjects import named
            from ...scenario.subjects import several
            from ..tables.attack import print_lists, print_result
            from ..terminal import progress

        if self.listed:
            print_lists(self.as_json)
            return 0
        if self.control is None and self.queue is None:
            raise HeadgateError("CONTROL: missing; expected a flow control, or --queue with a queueing discipline")
        if self.against is not None and self.absolute:
            raise HeadgateError("--absolute: expected no --against beside it")
        parameters = parameters_of(self.changes, "beta=0.5")
        judges = "control" if self.control is not None else "aqm"
        attacked = named(str(self.control or self.queue), judges, self.own_name, parameters)
        behind = named(self.queue, "aqm") if self.control is not None and self.queue is not None else None
        others: list[Judged] | None = [] if self.absolute else None
        if self.against is not None:
            others = [named(text, judges) for text in several(self.against, "--against")]
        if self.engine == "local" and self.address is not None:
            raise HeadgateError("--address: expected --engine dask beside it")
        dask = None
        if self.engine == "dask":
            from ...attacks import work
            from ...sweep.engines import Dask

            dask = Dask(self.address, self.workers, work.do)
        with progress("searching") as callback:
            found = search(
                attacked if judges == "control" else None,
                behind if judges == "control" else attacked,
                objective_name=self.objective,
                bounds=self.preset,
                against=others,
                limit=self.limit,
                margin=self.margin,
                budget=Budget(
                    self.candidates, cpu_s=math.inf if self.budget is None else 60 * self.budget, findings=self.findings
                ),
                times=self.times,
                noise=self.noise,
                seed=self.seed,
                random=self.random,
                out=self.out,
                workers=self.workers,
                dask=dask,
                progress=callback,
            )
        files = [] if self.out is None else write(found, Path(self.out))
        if self.as_json:
            print_json(found.to_dict())
        else:
            print_result(found, files)
        return 1 if found.findings else 0
