"""headgate replay: a recorded trace through queueing disciplines."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from ..columns import columns, shown
from ..errors import HeadgateError, cut
from ..replay import Replay
from ..replay import replay as replay_trace
from ..replay.result import GATHERED
from ..replay.run import CLASSIFY, CONVENTIONS
from ..results import digits
from .run import MOST, parse_value
from .show import console, print_json, rows_progress

#: Columns of drops and of delays.
DROPS, DELAYS = (tuple(GATHERED[key].values()) for key in ("drops", "delay_s"))


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
    help="Discipline: its name, or a TOML or JSON table with its kind and parameters; several are compared.",
)  # fmt: skip
@click.option("--rate", required=True, help="Of the line, such as 10Mbit/s.")
@click.option("--buffer", help="For every discipline that has one, such as 64KB or 100pkt.")
@click.option(
    "--set", "changes", metavar="[QUEUE.]NAME=VALUE", multiple=True,
    help="A parameter of every discipline that has it, or of one queue, e.g. delta=1000B or fq.delta=1000B.",
)  # fmt: skip
@click.option(
    "--classify", type=click.Choice(CLASSIFY), help="Which packets of a capture are one flow; 5tuple by default."
)
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="FILE",
    help="A row per packet (.csv, .parquet) or the packets that get through (.pcapng).",
)  # fmt: skip
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Draw delay and drops over time (.png, .svg, .pdf).",
)
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, help="Of random disciplines.")
@click.option(
    "--in-service", type=click.Choice(CONVENTIONS["in_service"]), default="extra", show_default=True,
    help="Whether the packet in transmission counts against the buffer.",
)  # fmt: skip
@click.option(
    "--ties", type=click.Choice(CONVENTIONS["ties"]), default="first", show_default=True,
    help="Packets at one instant at an idle line: the first starts, or the discipline chooses among them together.",
)  # fmt: skip
@click.option(
    "--at-departure", type=click.Choice(CONVENTIONS["at_departure"]), default="departures-first", show_default=True,
    help="What comes first when a packet arrives as a transmission ends.",
)  # fmt: skip
@click.option(
    "--ecn", type=click.Choice(CONVENTIONS["ecn"]), default="not-capable", show_default=True,
    help="Whether the packets of a table without a column ecn can be marked; those of a capture say it themselves.",
)  # fmt: skip
@click.option(
    "--max-memory", metavar="SIZE", help="Memory that the replay may take, such as 4GB; three quarters of the machine's unless given."
)  # fmt: skip
@click.option("--lenient", is_flag=True, help="Skip and count packets with faults.")
@click.option("--json", "as_json", is_flag=True, help="Print the results for machines.")
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
    as_json: bool,
) -> None:
    """Replay TRACE (CSV, Parquet, pcap or pcapng) through queueing disciplines and compare what becomes of its packets."""
    parameters = {}
    for change in changes:
        path, sign, value = change.partition("=")
        if not sign:
            raise HeadgateError(f"--set {cut(change)}: expected NAME=VALUE, such as delta=1000B")
        parameters[path.strip()] = parse_value(value.strip())
    if figure is not None:
        from ..replay.figure import require

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
    print_replay(result)
    for written in [*result.outputs, *([figure] if figure is not None else [])]:
        console().print(f"written: {escape(str(written))}", soft_wrap=True)


def parse_queue(text: str) -> str | dict[str, Any]:
    """A discipline as a name or a table.

    >>> parse_queue("fq"), parse_queue('{kind = "fq", delta = "1000B"}'), parse_queue('{"kind": "fq"}')
    ('fq', {'kind': 'fq', 'delta': '1000B'}, {'kind': 'fq'})

    Raises:
        HeadgateError: it begins like a table and is none.
    """
    if not text.lstrip().startswith("{"):
        return text.strip()
    import json

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


def print_replay(result: Replay) -> None:
    """The tables in the terminal: the queues side by side, then the flows of each."""
    out, got = console(), result.to_dict(0)
    trace = got["trace"]
    flows = trace["flows"]
    out.print(
        f"[bold]{escape(trace['source'])}[/]  {trace['packets']} packets of {flows} flow{'s' * (flows != 1)}"
        f"  at {got['rate']}"
    )
    if trace["skipped"]:
        out.print("skipped: " + ", ".join(f"{n} {k.replace('_', ' ')}" for k, n in trace["skipped"].items()))
    out.print(
        "[dim]delay: from arrival to start of transmission; throughput over the span from first arrival to last departure[/]"
    )
    queues = list(result.summary.rows())
    _print("queues", "queue", ("sent", "throughput_bps", "utilisation", *DROPS, "marks", *DELAYS, "jain"), queues)
    for queue in result.queues:
        rows, title = result.largest(queue, MOST), f"flows under {escape(queue)}"
        _print(title, "flow", ("packets", "throughput_bps", *DROPS, "marks", *DELAYS), rows)
    if flows > MOST:
        out.print(f"[dim]the {MOST} largest flows; --json has the other {flows - MOST}[/]")


#: Headings of columns that are called otherwise than their stem.
HEADINGS = {
    "throughput_bps": "throughput {unit}",
    "utilisation": "utilisation %",
    **{name: f"drops {reason}" for reason, name in GATHERED["drops"].items()},
    **{name: "delay {unit} mean" if kind == "mean" else kind for kind, name in GATHERED["delay_s"].items()},
    "jain": "Jain",
}


def _print(title: str, key: str, names: Sequence[str], rows: list[dict[str, Any]]) -> None:
    """A table of these columns; of the reasons of drops, those that occur, or the first if none does."""
    known = columns("replay-summary" if key == "queue" else "replay-flows")
    some = [name for name in DROPS if any(row[name] for row in rows)] or DROPS[:1]
    table = Table(title=title, title_justify="left")
    table.add_column(key)
    cells: list[list[str]] = [[escape(row[key])] for row in rows]
    for name in names:
        if name in DROPS and name not in some:
            continue
        scale, unit = (100.0, "%") if name == "utilisation" else shown(known[name].unit)
        table.add_column(HEADINGS.get(name, name).format(unit=unit), justify="right")
        for line, row in zip(cells, rows, strict=True):
            value = row[name]
            line.append(digits(scale * value) if isinstance(value, float) else str(value))
    for line in cells:
        table.add_row(*line)
    console().print(table)
