"""headgate attack: the scenario in which a scheme fails, found and made small."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..base.errors import HeadgateError
from . import completing, signals
from .changes import parameters_of
from .engines import engine_options
from .numbers import Number
from .show import print_json

if TYPE_CHECKING:
    from ..referee.subjects import Judged


@click.command(
    epilog="""\b
Examples:
  headgate attack bbr1 --out out/bbr1
  headgate attack copa --objective starvation --preset wifi
  headgate attack --queue red --objective victim-delay
  headgate attack mine.py --queue fq_codel --against reno,cubic
  headgate attack reno --objective share --noise 0 --findings 1
  headgate attack --list"""
)
@click.argument("control", required=False, metavar="CONTROL", shell_complete=completing.controls)
@click.option("--queue", metavar="QUEUE", help="Attack this queue; with CONTROL, attack the control behind this queue.")
@click.option("--objective", default="", metavar="NAME", help="What is to fail; goodput or victim-delay unless given.")
@click.option(
    "--preset",
    default="internet",
    show_default=True,
    metavar="NAME",
    help="Bounds of the scenarios, or a file (.toml).",
)
@click.option("--against", metavar="NAMES", help="References in the same place, between commas.")
@click.option("--absolute", is_flag=True, help="Only the limit counts, whatever references get in the same place.")
@click.option("--limit", type=Number(0, min_open=True), help="The value from which on it has failed.")
@click.option(
    "--margin",
    type=Number(1),
    default=2.0,
    show_default=True,
    help="How many times better the best reference is.",
)
@click.option(
    "--candidates", type=click.IntRange(50, 10_000_000), default=3000, show_default=True, help="Candidates, at most."
)
@click.option("--budget", type=Number(0, min_open=True), metavar="MINUTES", help="Processor time, at most.")
@click.option(
    "--findings", type=click.IntRange(1, 100), default=3, show_default=True, help="Breaks after which it ends."
)
@click.option("--times", type=click.IntRange(0, 20), help="Times at which a delay may change; 3 unless given.")
@click.option("--noise", default="1pkt", show_default=True, metavar="TIME", help="Noise of the hosts; 0 for none.")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of the search.")
@click.option("--random", is_flag=True, help="Draw all candidates at random: what the search has to be better than.")
@click.option("--control", "own_name", default="", metavar="NAME", help="The scheme in the file, if there are several.")
@click.option("--set", "changes", metavar="NAME=VALUE", multiple=True, help="Set a parameter of what is attacked.")
@click.option("--out", metavar="DIR", help="Write each break with its figure there; a second call goes on there.")
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@engine_options
@click.option("--list", "listed", is_flag=True, help="List the objectives, and the numbers of a scenario.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def attack(
    control: str | None,
    queue: str | None,
    objective: str,
    preset: str,
    against: str | None,
    absolute: bool,
    limit: float | None,
    margin: float,
    candidates: int,
    budget: float | None,
    findings: int,
    times: int | None,
    noise: str,
    seed: int,
    random: bool,
    own_name: str,
    changes: tuple[str, ...],
    out: str | None,
    workers: int | None,
    engine: str,
    address: str | None,
    listed: bool,
    as_json: bool,
) -> int:
    """Search for a scenario in which the flow control CONTROL fails, and make it small.

    CONTROL, QUEUE and the references are names of the list, files (mine.py, libmine.so), module:Class, or tables in TOML or JSON; a flow
    control may be a program, as a list of its arguments. A scenario counts as a break if the scheme is beyond the limit
    there, the best reference in the same place is better by the margin, and most runs with seeds that the search has not seen fail as
    well. Exit code 1 if there is a break.
    """
    with signals.loading():
        from ..attacks.outputs import write
        from ..attacks.run import Budget
        from ..attacks.run import attack as search
        from ..referee.subjects import named
        from ..scenario.subjects import several
        from .tables.attack import print_lists, print_result
        from .terminal import progress

    if listed:
        print_lists(as_json)
        return 0
    if control is None and queue is None:
        raise HeadgateError("CONTROL: missing; expected a flow control, or --queue with a queueing discipline")
    if against is not None and absolute:
        raise HeadgateError("--absolute: expected no --against beside it")
    parameters = parameters_of(changes, "beta=0.5")
    judges = "control" if control is not None else "aqm"
    attacked = named(str(control or queue), judges, own_name, parameters)
    behind = named(queue, "aqm") if control is not None and queue is not None else None
    others: list[Judged] | None = [] if absolute else None
    if against is not None:
        others = [named(text, judges) for text in several(against, "--against")]
    if engine == "local" and address is not None:
        raise HeadgateError("--address: expected --engine dask beside it")
    dask = None
    if engine == "dask":
        from ..attacks import work
        from ..sweep.engines import Dask

        dask = Dask(address, workers, work.do)
    with progress("searching") as callback:
        found = search(
            attacked if judges == "control" else None,
            behind if judges == "control" else attacked,
            objective_name=objective,
            bounds=preset,
            against=others,
            limit=limit,
            margin=margin,
            budget=Budget(candidates, cpu_s=math.inf if budget is None else 60 * budget, findings=findings),
            times=times,
            noise=noise,
            seed=seed,
            random=random,
            out=out,
            workers=workers,
            dask=dask,
            progress=callback,
        )
    files = [] if out is None else write(found, Path(out))
    if as_json:
        print_json(found.to_dict())
    else:
        print_result(found, files)
    return 1 if found.findings else 0
