"""The options of commands that send a trace through disciplines: the link, its queue, and how the trace is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..base.choices import CLASSIFY, CLASSIFY_HELP, CONVENTION_HELP, CONVENTIONS

Command = Callable[..., Any]


#: The disciplines that are compared where none is given: what most links have, what newer ones have, and what routers at home can have.
DEFAULT = ("fcfs", "codel", "fq_codel", "cake")


def line_options(required: bool) -> Callable[[Command], Command]:
    """The options; `required`: the link's rate has to be given."""
    chosen = "" if required else " Chosen from the trace unless given."
    default = f" {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]} unless given." if required else ""
    recorded = ", or the file of a recorded link" if required else ""
    options = [
        click.option(
            "--queue", "queues", metavar="NAME[:KEY=VALUE,...]", multiple=True,
            help="Discipline as in headgate quick: a name, with parameters if wanted, a file such as mine.py; or a table in TOML or JSON. "
            f"Repeat it to compare several.{default}",
        ),
        click.option("--rate", required=required, help=f"Rate of the link, such as 10Mbit/s{recorded}.{chosen}"),
        click.option("--buffer", help=f"Buffer of every discipline that has one, such as 64KB or 100pkt.{chosen}"),
        click.option(
            "--set", "changes", metavar="[QUEUE.]NAME=VALUE", multiple=True,
            help="Set a parameter of every discipline that has it, or of one queue, e.g. delta=1000B or fq.delta=1000B.",
        ),
        click.option(
            "--classify", type=click.Choice(CLASSIFY), help=CLASSIFY_HELP
        ),
        click.option(
            "--seed", type=click.IntRange(0, 2**64 - 1), default=1, show_default=True,
            help="Seed of the random numbers of disciplines.",
        ),
        *(
            click.option(
                f"--{name.replace('_', '-')}", type=click.Choice(choices), default=choices[0], show_default=True,
                help=CONVENTION_HELP[name],
            )
            for name, choices in CONVENTIONS.items()
        ),
        click.option("--lenient", is_flag=True, help="Skip and count packets with faults."),
    ]  # fmt: skip

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def parse_queue(text: str) -> dict[str, Any]:
    """A discipline as `headgate quick` has it, or as a table.

    >>> parse_queue("fifo"), parse_queue('{kind = "fq", delta = "1000B"}'), parse_queue("cake:rate=9Mbit/s")
    ({'kind': 'fcfs'}, {'kind': 'fq', 'delta': '1000B'}, {'kind': 'cake', 'rate': '9Mbit/s'})

    Raises:
        HeadgateError: there is none.
    """
    from ..quick.queues import read_queue
    from ..scenario.subjects import divided, is_own, read

    if is_own(divided(text, "discipline")[0]):
        return read(text, "discipline", place="--queue").table
    return read_queue(text)
