"""headgate quick: a common question without a file."""

from __future__ import annotations

from pathlib import Path

import click

from . import signals
from .show import output, print_json


@click.command(
    epilog="""\b
A flow is NAME[:KEY=VALUE,...], and NAME*COUNT stands for COUNT flows. NAME is a flow control (headgate list
flow-controls), with endless data, or a workload (headgate list workloads). A workload with a rate, such as cbr, is
sent as it comes; others have the first modern flow control of the list, or cubic where there is none. KEY is a
parameter of NAME, or rtt, name, or a key of flows such as packet, weight, start or control.window. The main parameter
needs no key: cbr:64kbit/s. Commas separate both flows and parameters; quote the list, because the shell expands
asterisks.

\b
Examples:
  headgate quick --rate 20Mbit/s --rtt 30ms --flows 'jk_reno*2,cbr:64kbit/s' --queue fq
  headgate quick --rate 20Mbit/s --rtt 30ms --flows 'cubic*2,cbr:64kbit/s' --figure shares.png
  headgate quick --rate 10Mbit/s --rtt 20ms --flows 'cubic,cubic:rtt=200ms' --buffer 1.5BDP
  headgate quick --rate 2Mbit/s --rtt 50ms --flows 'jk_tahoe*4:window=20,packet=500B,telnet:1s' --queue red:gentle=true
  headgate quick --rate 20Mbit/s --rtt 30ms --flows jk_reno --print > one-flow.toml"""
)
@click.option(
    "--rate", required=True, help="Rate of the line, such as 20Mbit/s. The lines of hosts are ten times as fast."
)
@click.option("--rtt", required=True, help="Round-trip time without queueing and transmission, such as 30ms.")
@click.option("--flows", metavar="LIST", multiple=True, required=True, help="Flows by their names, see below.")
@click.option(
    "--queue", metavar="NAME[:KEY=VALUE,...]", default="fcfs", show_default=True, help="Discipline of the line."
)
@click.option(
    "--buffer", metavar="SIZE", help="Buffer of the line, such as 100pkt, 64KB, 50ms or 1.5BDP; 1BDP unless given."
)
@click.option("--duration", help="Simulated time; 1000 round trips, and at least 10s, unless given.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Seed of all random streams; 1 unless given.")
@click.option(
    "--noise",
    metavar="N",
    default="1",
    show_default=True,
    help="Host noise: each packet leaves its host later by 0 to N packet times of the slowest link; 0 for none.",
)
@click.option(
    "--phase/--no-phase",
    "phase",
    default=True,
    help="Repeat the run with other host noise where the phase of arrivals could decide the shares. On unless given.",
)
@click.option(
    "--replications", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Number of independent runs."
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw goodput and queueing delay of each flow over time (.png, .svg, .pdf).",
)
@click.option("--top", type=click.IntRange(1), metavar="N", help="List the N flows with the highest goodput.")
@click.option("--wide", is_flag=True, help="Print all columns, even if lines are longer than the terminal.")
@click.option("--print", "as_file", is_flag=True, help="Print the scenario file instead of running it.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def quick(
    rate: str,
    rtt: str,
    flows: tuple[str, ...],
    queue: str,
    buffer: str | None,
    duration: str | None,
    seed: int | None,
    noise: str,
    phase: bool,
    replications: int,
    figure: Path | None,
    top: int | None,
    wide: bool,
    as_file: bool,
    as_json: bool,
) -> None:
    """Simulate flows over one line between two gateways, without a file.

    The tables of `headgate run` come first, and then a summary in sentences: the share of each flow, and the waiting times of its packets.
    """
    with signals.loading():
        from ..quick import finely, notes
        from ..quick import scenario as of
        from ..toml import file_text

    scenario = of(rate, rtt, flows, queue, buffer, duration, seed, noise)
    if as_file:
        scenario.resolve()
        with output():
            click.echo(file_text(scenario.data), nl=False)
        return
    with signals.loading():
        from ..effects import warnings
        from ..phase import check as phase_check
        from ..phase import in_step
        from ..sentences import sentences
        from .tables.phase import print_phase
        from .tables.run import print_results
        from .terminal import console, progress, warn_all
    if figure is not None:
        from ..plots.canvas import require

        require(figure)

    with progress("running") as callback:
        results = scenario.run(None, replications, None, callback)
    if figure is not None:
        from ..plots import shares

        shares(finely(scenario).run(), figure)
    found = None
    if phase and in_step(scenario):
        with progress("with other host noise") as callback:
            found = phase_check(scenario, results, progress=callback)
    said = warnings(results.scenario)
    warn_all(said)
    if as_json:
        print_json(results.to_dict() | {"warnings": said} | ({} if found is None else {"phase": found.to_dict()}))
        return
    print_results(results, top, wide)
    out = console()
    if found is not None:
        print_phase(found)
    out.print()
    for note in notes(rtt, flows):
        out.print(note, markup=False)
    for sentence in sentences(results):
        out.print(sentence, markup=False)
    if figure is not None:
        out.print(f"figure: {figure}", markup=False, soft_wrap=True)
