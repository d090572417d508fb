"""headgate game: which mixes of flow controls are equilibria, and what a selfish source gains."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import click

from ..base.counts import counted
from ..base.errors import HeadgateError
from . import signals
from .engines import engine_options
from .scenario_files import plugin_files
from .show import print_json


@click.command(
    epilog="""A mix is an equilibrium if no flow gains by changing its flow control alone. A gain of at most --tolerance of a fair share
is none; a mix is undecided where the 95 % interval of a gain has the tolerance within. With --selfish one source among honest ones does
as it likes: it sends without flow control, grows faster, never cuts its window, opens several connections, or claims a priority. Then the
first of --controls is that of the honest ones, and the others are strategies, too. Controls, queues, rates, round trips and buffers are
lists with commas between.

\b
Examples:
  headgate game --controls cubic,bbr3 --flows 10 --dry-run
  headgate game --controls cubic,bbr3 --flows 10 --buffer 0.5bdp,1bdp,5bdp \\
    --rtt 20ms,80ms --queues fcfs,fq_codel --out out/game
  headgate game --controls cubic,bbr3,copa --flows 4 --payoff power
  headgate game --selfish --controls reno --queues fcfs,fq,drr"""
)
@click.option(
    "--controls", required=True, metavar="LIST", help="Flow controls: names, files such as mine.py, tables, programs."
)
@click.option("--flows", type=click.IntRange(2, 1000), default=10, show_default=True, help="Flows on the line.")
@click.option(
    "--queues",
    "--queue",
    "queues",
    metavar="LIST",
    help="Disciplines of the line; fcfs,fq_codel unless given, and all with --selfish.",
)
@click.option("--rate", default="20Mbit/s", show_default=True, metavar="LIST", help="Rates of the line.")
@click.option("--rtt", default="40ms", show_default=True, metavar="LIST", help="Round trips without queueing.")
@click.option(
    "--buffer", default="1bdp", show_default=True, metavar="LIST", help="Buffers, such as 0.5bdp, 64KB or 50ms."
)
@click.option(
    "--payoff",
    type=click.Choice(["goodput", "power", "delay"]),
    default="goodput",
    show_default=True,
    help="What a flow wants: goodput, goodput over delay, or less delay.",
)
@click.option(
    "--tolerance", default="2%", show_default=True, metavar="SHARE", help="Part of a fair share that is no gain."
)
@click.option("--selfish", is_flag=True, help="One selfish source among honest ones, in every discipline.")
@click.option(
    "--strategies",
    metavar="LIST",
    help="With --selfish: what the source may do, such as flood,aimd4; all unless given.",
)
@click.option(
    "--classify",
    metavar="LIST",
    help="With --selfish: what a queue calls one conversation: pair (unless given), source, destination or flow.",
)
@click.option("--runs", type=click.IntRange(1, 100_000), default=5, show_default=True, help="Runs of each mix.")
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
@click.option("--resume", is_flag=True, help="Continue the game in the folder, if there is one.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/game"), show_default=True, help="Folder.")
@click.option("--no-figures", is_flag=True, help="Without figures (needs no matplotlib).")
@plugin_files
@click.option("--dry-run", is_flag=True, help="Print what would be run, and the expected processor time.")
@click.option("--json", "as_json", is_flag=True, help="Print the game, or with --dry-run its mixes, as JSON.")
def game(
    controls: str,
    flows: int,
    queues: str | None,
    rate: str,
    rtt: str,
    buffer: str,
    payoff: str,
    tolerance: str,
    selfish: bool,
    strategies: str | None,
    classify: str | None,
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
    no_figures: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Find which mixes of flow controls are equilibria, or what a selfish source gains.

    Some flows on one line choose between flow controls, in every queue, at every round trip and buffer. Exit code 1 if runs failed.
    """
    with signals.loading():
        from ..games import MixGame, SelfishGame
        from ..quick.amounts import quantity, share
        from ..sweep.driver import Interrupted
        from .sweep import _progress
        from .tables.game import print_mixes, print_plan, print_selfish
        from .tables.matrix import time_text
        from .terminal import print_error

    most = quantity("--limit", limit, "s") / 1e12
    common: dict[str, Any] = {
        "flows": flows, "rate": rate, "rtt": rtt, "buffer": buffer, "payoff": payoff, "tolerance": share("--tolerance", tolerance),
        "duration": duration, "warm_up": warm_up, "noise": noise, "runs": runs, "seed": seed,
    }  # fmt: skip
    asked: MixGame | SelfishGame
    if selfish:
        asked = SelfishGame(
            controls, queues=queues or "all", strategies=strategies or "all", classify=classify or "pair", **common
        )
    else:
        for name, value in (("--strategies", strategies), ("--classify", classify)):
            if value is not None:
                raise HeadgateError(f"{name}: found {value}; expected --selfish beside it")
        asked = MixGame(controls, queues=queues or "fcfs,fq_codel", **common)
    drawn = isinstance(asked, MixGame) and len(asked.controls) == 2 and not no_figures
    if drawn and not dry_run:
        from ..plots.canvas import require

        require(None)
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
            f"a higher limit, or fewer flows, controls, queues, buffers or runs, or a shorter duration"
        )
    if expected > 60:
        print_error(f"{counted(asked.runs, 'run')}, expected to take {time_text(expected)} of processor time")
    try:
        with _progress("running the game") as callback:
            result = asked.run(out, workers, engine, address, resume, callback, max_memory)
    except Interrupted as e:
        from rich.markup import escape

        signals.note(e.number)
        again = ["headgate", *(a for a in sys.argv[1:] if a != "--resume"), "--resume"]
        signals.mark_reported()
        print_error(f"stopped; what is finished is in {escape(str(out))}. Go on with:\n  {escape(shlex.join(again))}")
        raise click.exceptions.Exit(signals.code()) from None
    from ..games.report import write_figures, write_json
    from ..games.result import MixResult

    write_json(result, out)
    if drawn and isinstance(result, MixResult):
        write_figures(result, out)
    if as_json:
        print_json(result.to_dict())
    elif isinstance(result, MixResult):
        print_mixes(result, out, drawn)
    else:
        print_selfish(result, out)
    return 1 if len(result.study.failures) else 0
