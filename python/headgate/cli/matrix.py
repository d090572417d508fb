"""headgate matrix: every pair of flow controls against each other."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from ..base.counts import counted
from ..base.errors import HeadgateError, cut, nearest
from . import signals
from .engines import engine_options
from .scenario_files import plugin_files
from .show import print_json

#: Measures that are printed unless others are chosen.
SHOWN = "share,harm,sparse_p95"


@click.command(
    epilog="""Tables have a row for each A and a column for each B. Harm is what A loses because B is there, against A alone: 0 none,
1 all (Ware et al. 2019). Flow controls, queues, rates, round trips and buffers are lists with commas between; a flow control or a queue may
have parameters, as red:gentle=true. Scenarios of cells stand in the folder, for `headgate explore`.

\b
Examples:
  headgate matrix --controls cubic,reno,bbr1 --queues fcfs,fq_codel \\
    --rate 20Mbit/s --rtt 40ms --buffer 1bdp --dry-run
  headgate matrix --controls cubic,bbr1 --queues fcfs,fq,csfq --ratio 4 \\
    --web --out out/matrix
  headgate matrix --controls cubic,bbr1 --queues fcfs,fq,csfq --ratio 4 \\
    --web --out out/matrix --resume --show share,web_p95"""
)
@click.option(
    "--controls", required=True, metavar="LIST", help="Flow controls: names, files such as mine.py, tables, programs."
)
@click.option("--queues", default="fcfs,fq_codel", show_default=True, metavar="LIST", help="Disciplines of the line.")
@click.option("--rate", default="20Mbit/s", show_default=True, metavar="LIST", help="Rates of the line.")
@click.option("--rtt", default="40ms", show_default=True, metavar="LIST", help="Round trips without queueing.")
@click.option(
    "--buffer", default="1bdp", show_default=True, metavar="LIST", help="Buffers, such as 0.5bdp, 64KB or 50ms."
)
@click.option(
    "--ratio",
    default="",
    metavar="LIST",
    help="Also with B this number of times as far away as A, such as 4; both orders.",
)
@click.option("--flows", type=click.IntRange(1, 1000), default=1, show_default=True, help="Flows of each control.")
@click.option(
    "--sparse",
    type=click.Choice(["call", "game", "none"]),
    default="call",
    show_default=True,
    help="Sparse flow beside in every cell.",
)
@click.option("--web", is_flag=True, help="A web load beside: pages of 2 MB, every 5 s in the mean, under cubic.")
@click.option("--runs", type=click.IntRange(1, 100_000), default=5, show_default=True, help="Runs of each cell.")
@click.option("--duration", default="60s", show_default=True, metavar="TIME", help="Simulated time of a run.")
@click.option("--warm-up", metavar="TIME", help="What is not measured; a quarter of the duration unless given.")
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True, help="Of all random streams.")
@click.option(
    "--noise", default="1", show_default=True, metavar="N", help="Host noise in packet times of the line; 0 for none."
)
@click.option(
    "--limit",
    default="1h",
    show_default=True,
    metavar="TIME",
    help="Processor time that the runs may be expected to take; more is refused before they start.",
)
@click.option("--workers", type=click.IntRange(1), help="Number of processes; one per processor unless given.")
@engine_options
@click.option(
    "--max-memory", metavar="SIZE", help="Memory that the runs of all workers may take together, such as 4GB."
)
@click.option("--resume", is_flag=True, help="Continue the matrix in the folder, if there is one.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/matrix"), show_default=True, help="Folder.")
@click.option("--no-report", is_flag=True, help="Without the page with figures (needs no matplotlib).")
@click.option(
    "--show", default=SHOWN, show_default=True, metavar="LIST", help="Measures to print; all are in the files."
)
@plugin_files
@click.option("--dry-run", is_flag=True, help="Print the cells and the expected processor time.")
@click.option("--json", "as_json", is_flag=True, help="Print the matrix, or with --dry-run the cells, as JSON.")
def matrix(
    controls: str,
    queues: str,
    rate: str,
    rtt: str,
    buffer: str,
    ratio: str,
    flows: int,
    sparse: str,
    web: bool,
    runs: int,
    duration: str,
    warm_up: str | None,
    seed: int,
    noise: str,
    limit: str,
    workers: int | None,
    engine: str,
    address: str | None,
    max_memory: str | None,
    resume: bool,
    out: Path,
    no_report: bool,
    show: str,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Run every pair of flow controls against each other, and each alone.

    All pairs meet on one line, in every queue, at every rate, round trip and buffer, several times. Exit code 1 if runs failed.
    """
    with signals.loading():
        from ..matrix import Matrix
        from ..matrix.measures import MEASURES, picked
        from ..quick.amounts import quantity
        from ..sweep.driver import Interrupted
        from .sweep import _progress
        from .tables.matrix import print_matrix, print_plan, time_text
        from .terminal import print_error

    most = quantity("--limit", limit, "s") / 1e12
    asked = Matrix(
        controls,
        queues=queues,
        rate=rate,
        rtt=rtt,
        buffer=buffer,
        ratio=ratio,
        flows=flows,
        sparse=None if sparse == "none" else sparse,
        web=web,
        duration=duration,
        warm_up=warm_up,
        noise=noise,
        runs=runs,
        seed=seed,
    )
    known = picked(MEASURES, asked.beside.sparse is not None, web)
    shown = [name.strip() for name in show.split(",") if show != SHOWN or name in known]
    for name in shown:
        if name not in known:
            raise HeadgateError(
                f"--show: found {cut(repr(name))}; expected measures: of {', '.join(known)}.{nearest(name, known)}"
            )
    if not no_report and not dry_run:
        from ..matrix.report import require_extras

        require_extras()
    for check in asked.sweep().check():
        if check.error is not None:
            raise HeadgateError(check.error)
    expected = asked.estimate()
    if dry_run:
        if as_json:
            print_json({**asked.to_dict(), "expected_cpu_s": expected})
        else:
            print_plan(asked, expected)
        return 0
    if expected > most:
        raise HeadgateError(
            f"{counted(asked.runs, 'run')}, expected to take {time_text(expected)} of processor time; expected at most --limit {limit}: "
            f"a higher limit, or fewer controls, queues, rates or runs, or a shorter duration"
        )
    if expected > 60:
        print_error(f"{counted(asked.runs, 'run')}, expected to take {time_text(expected)} of processor time")
    try:
        with _progress("running the matrix") as callback:
            result = asked.run(out, workers, engine, address, resume, callback, max_memory)
    except Interrupted as e:
        from rich.markup import escape

        signals.note(e.number)
        again = ["headgate", *(a for a in sys.argv[1:] if a != "--resume"), "--resume"]
        signals.mark_reported()
        print_error(f"stopped; what is finished is in {escape(str(out))}. Go on with:\n  {escape(shlex.join(again))}")
        raise click.exceptions.Exit(signals.code()) from None
    from ..matrix.report import write_json, write_report

    write_json(result, out)
    page = None if no_report else write_report(result, out)
    if as_json:
        print_json(result.to_dict())
    else:
        print_matrix(result, shown, out, page)
    return 1 if len(result.study.failures) else 0
