"""headgate replay: a recorded trace through queueing disciplines."""

from __future__ import annotations

import os
from pathlib import Path

import click

from . import signals
from .changes import parameters_of
from .line_options import DEFAULT, line_options, parse_queue
from .scenario_files import plugin_files
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate replay scenarios/office.csv --rate 2Mbit/s --buffer 64KB
  headgate replay link.pcap.gz --queue fcfs --queue cake:rate=9Mbit/s \\
    --rate 10Mbit/s
  tcpdump -w - | headgate replay - --rate 10Mbit/s
  headgate replay link.pcapng --rate cell.trace --lenient --sort 10ms
  headgate replay scenarios/office.csv --queue fcfs --queue fq \\
    --rate 2Mbit/s --out packets.csv
  headgate replay link.pcapng --queue '{kind = "fq", delta = "1000B"}' \\
    --rate 10Mbit/s --classify pair --out after.pcapng"""
)
@click.argument("trace", type=click.Path(path_type=Path))
@line_options(required=True)
@click.option(
    "--sort",
    metavar="WINDOW",
    help="Put packets in the order of time, as far as each is at most this time earlier than one before it, such as 10ms.",
)
@plugin_files
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE",
    help="Write a row per packet (.csv, .parquet) or the packets that are sent (.pcapng).",
)  # fmt: skip
@click.option(
    "--segment", metavar="SIZE",
    help="Cut packets whose IP packet is longer, such as 1500B: captures have them where the network card segments.",
)  # fmt: skip
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw delay and drops over time (.png, .svg, .pdf).",
)
@click.option(
    "--max-memory", metavar="SIZE", help="Memory that the replay may take, such as 4GB; three quarters of the machine's unless given."
)  # fmt: skip
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    default=10,
    show_default=True,
    help="List the N flows with most bytes.",
)
@click.option("--wide", is_flag=True, help="Print all columns, even if lines are longer than the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def replay(
    trace: Path,
    queues: tuple[str, ...],
    rate: str,
    buffer: str | None,
    changes: tuple[str, ...],
    classify: str | None,
    out: Path | None,
    segment: str | None,
    figure: Path | None,
    seed: int,
    in_service: str,
    ties: str,
    at_departure: str,
    ecn: str,
    max_memory: str | None,
    lenient: bool,
    sort: str | None,
    top: int,
    wide: bool,
    as_json: bool,
) -> None:
    """Replay TRACE (CSV, Parquet, pcap or pcapng) through queueing disciplines and compare the results.

    TRACE may be compressed with gzip or zstd; - is standard input.
    """
    with signals.loading():
        from rich.markup import escape

        from ..replays import replay as replay_trace
        from .tables.replay import print_replay
        from .terminal import console, rows_progress

    parameters = parameters_of(changes, "delta=1000B")
    if figure is not None:
        from ..plots.canvas import require

        require(figure)
    # Arrow's own allocator keeps what it was given: a stream in little memory is better served by the system's.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with rows_progress(f"replaying {trace.name}") as callback:
        result = replay_trace(
            trace, [parse_queue(q) for q in queues or DEFAULT], rate, buffer,
            parameters=parameters, classify=classify, out=out, seed=seed, in_service=in_service, ties=ties,
            at_departure=at_departure, ecn=ecn, lenient=lenient, sort=sort, segment=segment,
            packets=False, series=figure is not None, progress=callback,
            max_memory=max_memory,
        )  # fmt: skip
        if figure is not None:
            result.figure(figure)
    if as_json:
        print_json(result.to_dict())
        return
    print_replay(result, top, wide)
    for written in [*result.outputs, *([figure] if figure is not None else [])]:
        console().print(f"written: {escape(str(written))}", soft_wrap=True)
