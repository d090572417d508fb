"""headgate quick: a common question without a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..base.errors import HeadgateError, cut, nearest
from . import signals
from .scenario_files import plugin_files
from .show import output, print_json


@click.command(
    epilog="""A flow is NAME[:KEY=VALUE,...], and NAME*COUNT stands for COUNT flows. NAME is a flow control (headgate list
controls), with endless data, a workload (headgate list workloads), or a short name such as bulk, web, video, call, game
or bbr (headgate list short-names). A workload with a rate, such as cbr, is sent as it comes; others have the first modern
flow control of the list, or cubic where there is none. NAME may be a file (mine.py,
libmine.so), module:Class, a table, or a program too. KEY is a parameter of NAME, or rtt, name, or a key of flows such
as packet, weight, start or control.window. The main parameter needs no key: cbr:64kbit/s, transfer:100KB. Commas separate
both flows and parameters; quote the list, because the shell expands asterisks.

\b
Examples:
  headgate quick --preset home --flows bulk,game,call
  headgate quick --preset home --flows bulk,game,call --queue fq
  headgate quick --rate 20Mbit/s --rtt 30ms --flows 'cubic*2,cbr:64kbit/s'
  headgate quick --rate 50Mbit/s --up 5Mbit/s --rtt 20ms --flows web,video \\
    --up-flows bulk
  headgate quick --rate 20Mbit/s --rtt 30ms --flows cubic,bbr --loss 1% \\
    --figure shares.png
  headgate quick --rate 10Mbit/s --rtt 20ms --flows cubic,cubic:rtt=200ms \\
    --buffer 1.5BDP
  headgate quick --rate 2Mbit/s --rtt 50ms --queue red:gentle=true \\
    --flows 'jk_tahoe*4:window=20,packet=500B,telnet:1s'
  headgate quick --rate 20Mbit/s --rtt 30ms --flows reno --print > reno.toml"""
)
@click.argument("words", metavar="[PRESET | RATE RTT] [FLOW]...", nargs=-1)
@click.option(
    "--preset", "sort", metavar="NAME", help="Values of a known sort of path, see --presets; options change them."
)
@click.option("--presets", "list_presets", is_flag=True, help="List the sorts of paths with their values.")
@click.option("--rate", help="Rate of the link, such as 20Mbit/s. The links of hosts are ten times as fast.")
@click.option(
    "--up",
    metavar="RATE",
    help="Rate in the other direction, in which acknowledgements return; as --rate unless given.",
)
@click.option("--rtt", metavar="TIME", help="Round-trip time without queueing and transmission, such as 30ms.")
@click.option("--flows", metavar="LIST", multiple=True, help="Flows by their names, see below.")
@click.option("--up-flows", metavar="LIST", multiple=True, help="Flows in the other direction, such as uploads.")
@click.option("--loss", metavar="SHARE", help="Packets and acknowledgements that the link loses, such as 1% or 0.01.")
@click.option(
    "--queue", metavar="NAME[:KEY=VALUE,...]", default="fcfs", show_default=True, help="Discipline of the link."
)
@click.option(
    "--buffer", metavar="SIZE", help="Buffer of the link, such as 100pkt, 64KB, 50ms or 1.5BDP; 1BDP unless given."
)
@click.option(
    "--duration",
    metavar="TIME",
    help="Simulated time; 1000 round trips, and at least 10s, or 70s with web or video, unless given.",
)
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
@plugin_files
@click.option("--top", type=click.IntRange(1), metavar="N", help="List the N flows with the highest goodput.")
@click.option("--wide", is_flag=True, help="Print all columns, even if lines are longer than the terminal.")
@click.option("--print", "as_file", is_flag=True, help="Print the scenario file instead of running it.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def quick(
    words: tuple[str, ...],
    sort: str | None,
    list_presets: bool,
    flows: tuple[str, ...],
    up_flows: tuple[str, ...],
    phase: bool,
    replications: int,
    figure: Path | None,
    top: int | None,
    wide: bool,
    as_file: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Simulate flows over one link between two gateways, without a file.

    The tables of `headgate run` come first, and then a summary in sentences: the share of each flow, and the waiting times of its packets.
    """
    with signals.loading():
        from ..base.toml import file_text
        from ..quick import PRESETS, finely, is_flow, notes, placed, preset
        from ..quick import scenario as of

    if list_presets:
        if as_json:
            print_json([{"name": p.name, **p.values, "description": p.what} for p in PRESETS.values()])
            return
        with signals.loading():
            from .tables.lists import print_presets

        print_presets(list(PRESETS.values()))
        return
    chosen = {name: value for name, value in {"preset": sort, **options}.items() if value is not None}
    given, more = placed(words, chosen)
    flows += tuple(more)
    sort = given.pop("preset", None)
    given = ({} if sort is None else preset(sort)) | given
    if "rate" not in given and more and not is_flow(more[0]):
        raise HeadgateError(
            f"found {cut(repr(more[0]))} where a sort of path or a rate comes first; expected one of {', '.join(PRESETS)}, or a rate and a "
            f"round trip: headgate quick home bulk game, or headgate quick 20Mbit/s 30ms cubic bbr.{nearest(more[0], PRESETS)}"
        )
    for name, example in (("rate", "20Mbit/s"), ("rtt", "30ms")):
        if name not in given:
            raise HeadgateError(
                f"--{name}: expected one, such as {example}, or a sort of path: headgate quick 20Mbit/s 30ms cubic bbr, or "
                "headgate quick home bulk game"
            )
    scenario = of(flows=flows, up_flows=up_flows, **given)
    if as_file:
        scenario.resolve()
        with output():
            click.echo(file_text(scenario.data), nl=False)
        return
    with signals.loading():
        from ..checks.phase import check as phase_check
        from ..checks.phase import in_step
        from ..results.sentences import sentences
        from ..scenario.effects import warnings
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
    messages = warnings(results.scenario)
    warn_all(messages)
    if as_json:
        print_json(results.to_dict() | {"warnings": messages} | ({} if found is None else {"phase": found.to_dict()}))
        return
    print_results(results, top, wide)
    out = console()
    if found is not None:
        print_phase(found)
    out.print()
    for note in notes(given["rtt"], flows, up_flows):
        out.print(note, markup=False)
    for sentence in sentences(results):
        out.print(sentence, markup=False)
    if figure is not None:
        out.print(f"figure: {figure}", markup=False, soft_wrap=True)
