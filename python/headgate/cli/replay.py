"""headgate replay: a recorded trace through queueing disciplines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from ..choices import CLASSIFY, CONVENTIONS
from ..errors import HeadgateError, cut
from ..toml import parse_value
from . import signals
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate replay scenarios/office.csv --queue fq --rate 2Mbit/s --buffer 64KB
  headgate replay scenarios/office.csv --queue fcfs --queue fq --rate 2Mbit/s --out packets.csv
  headgate replay link.pcapng --queue '{kind = "fq", delta = "1000B"}' --rate 10Mbit/s --classify pair --out after.pcapng"""
)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--queue", "queues", metavar="NAME|TABLE", multiple=True, required=True,
    help="Discipline: its name, or a TOML or JSON table with its kind and parameters. Repeat it to compare several.",
)  # fmt: skip
@click.option("--rate", required=True, help="Rate of the line, such as 10Mbit/s.")
@click.option("--buffer", help="Buffer of every discipline that has one, such as 64KB or 100pkt.")
@click.option(
    "--set", "changes", metavar="[QUEUE.]NAME=VALUE", multiple=True,
    help="Set a parameter of every discipline that has it, or of one queue, e.g. delta=1000B or fq.delta=1000B.",
)  # fmt: skip
@click.option(
    "--classify", type=click.Choice(CLASSIFY), help="Which packets of a capture are one flow; 5tuple by default."
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE",
    help="Write a row per packet (.csv, .parquet) or the packets that are sent (.pcapng).",
)  # fmt: skip
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw delay and drops over time (.png, .svg, .pdf).",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    default=1,
    show_default=True,
    help="Seed of the random numbers of disciplines.",
)
@click.option(
    "--in-service", type=click.Choice(CONVENTIONS["in_service"]), default="extra", show_default=True,
    help="Whether the packet in transmission counts against the buffer.",
)  # fmt: skip
@click.option(
    "--ties", type=click.Choice(CONVENTIONS["ties"]), default="first", show_default=True,
    help="Several packets at one instant at an idle line: the first one is sent, or the discipline chooses.",
)  # fmt: skip
@click.option(
    "--at-departure", type=click.Choice(CONVENTIONS["at_departure"]), default="departures-first", show_default=True,
    help="Which comes first when a packet arrives at the instant at which a transmission ends.",
)  # fmt: skip
@click.option(
    "--ecn", type=click.Choice(CONVENTIONS["ecn"]), default="not-capable", show_default=True,
    help="Whether the packets of a table without a column ecn can be marked; in a capture, each packet says so.",
)  # fmt: skip
@click.option(
    "--max-memory", metavar="SIZE", help="Memory that the replay may take, such as 4GB; three quarters of the machine's unless given."
)  # fmt: skip
@click.option("--lenient", is_flag=True, help="Skip and count packets with faults.")
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
    figure: Path | None,
    seed: int,
    in_service: str,
    ties: str,
    at_departure: str,
    ecn: str,
    max_memory: str | None,
    lenient: bool,
    top: int,
    wide: bool,
    as_json: bool,
) -> None:
    """Replay TRACE (CSV, Parquet, pcap or pcapng) through queueing disciplines and compare the results."""
    with signals.loading():
        from rich.markup import escape

        from ..replay import replay as replay_trace
        from .tables.replay import print_replay
        from .terminal import console, rows_progress

    parameters = {}
    for change in changes:
        path, sign, value = change.partition("=")
        if not sign:
            raise HeadgateError(f"--set {cut(change)}: expected NAME=VALUE, such as delta=1000B")
        parameters[path.strip()] = parse_value(value.strip())
    if figure is not None:
        from ..plots.canvas import require

        require(figure)
    # Arrow's own allocator keeps what it was given: a stream in little memory is better served by the system's.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    with rows_progress(f"replaying {trace.name}") as callback:
        result = replay_trace(
            trace, [parse_queue(q) for q in queues], rate, buffer,
            parameters=parameters, classify=classify, out=out, seed=seed, in_service=in_service, ties=ties,
            at_departure=at_departure, ecn=ecn, lenient=lenient, packets=False, series=figure is not None, progress=callback,
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


def parse_queue(text: str) -> str | dict[str, Any]:
    """A discipline as a name or a table.

    >>> parse_queue("fq"), parse_queue('{kind = "fq", delta = "1000B"}'), parse_queue('{"kind": "fq"}')
    ('fq', {'kind': 'fq', 'delta': '1000B'}, {'kind': 'fq'})

    Raises:
        HeadgateError: it begins like a table but is not valid.
    """
    if not text.lstrip().startswith("{"):
        return text.strip()
    import json
    import tomllib

    try:
        value = json.loads(text)
    except RecursionError:
        raise _too_deep(text) from None
    except ValueError:
        try:
            value = tomllib.loads(f"x = {text}")["x"]
        except RecursionError:
            raise _too_deep(text) from None
        except tomllib.TOMLDecodeError as e:
            why = cut(str(e).splitlines()[0])
            raise HeadgateError(f"--queue {cut(text)}: expected a TOML or JSON table; {why}") from None
    if not isinstance(value, dict):
        raise HeadgateError(f"--queue {cut(text)}: expected a TOML or JSON table")
    return value


def _too_deep(text: str) -> HeadgateError:
    return HeadgateError(f"--queue {cut(text)}: expected a TOML or JSON table of a few levels")
