"""The options of commands that send a trace through disciplines: the link, its queue, and how the trace is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..base.choices import CLASSIFY, CLASSIFY_HELP, CONVENTION_HELP, CONVENTIONS

Command = Callable[..., Any]


def line_options(required: bool) -> Callable[[Command], Command]:
    """The options; `required`: the link's rate and a discipline have to be given."""
    chosen = "" if required else " Chosen from the trace unless given."
    options = [
        click.option(
            "--queue", "queues", metavar="NAME|TABLE", multiple=True, required=required,
            help="Discipline: its name, a file such as mine.py, or a TOML or JSON table. Repeat it to compare several.",
        ),
        click.option("--rate", required=required, help=f"Rate of the link, such as 10Mbit/s.{chosen}"),
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


def parse_queue(text: str) -> str | dict[str, Any]:
    """A discipline as a name or a table.

    >>> parse_queue("fq"), parse_queue('{kind = "fq", delta = "1000B"}'), parse_queue("fq:delta=1000B")
    ('fq', {'kind': 'fq', 'delta': '1000B'}, {'kind': 'fq', 'delta': '1000B'})

    Raises:
        HeadgateError: there is none.
    """
    from ..scenario.subjects import read

    found = read(text, "discipline", place="--queue")
    return found.table if len(found.table) > 1 else found.name
