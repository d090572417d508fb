"""The options of commands that send a trace through disciplines: the link, its queue, and how the trace is read."""

from __future__ import annotations

from typing import Any

from ..base.choices import CLASSIFY, CLASSIFY_HELP, CONVENTION_HELP, CONVENTIONS
from ..scenario.baselines import baselines
from . import shared
from .command import gathered, option

#: The disciplines that are compared where none is given.
DEFAULT = baselines("replay")["queue"]


def line_options(required: bool) -> Any:
    """The options, in one field; `required`: the link's rate has to be given."""
    chosen = "" if required else " Chosen from the trace unless given."
    default = f" {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]} unless given." if required else ""
    recorded = ", or the file of a recorded link" if required else ""
    many = {"multiple": True}
    return gathered(
        queues=option(
            "Discipline as in headgate quick: a name, with parameters if wanted, a file such as mine.py; or a table in TOML or JSON. "
            f"Repeat it to compare several.{default}",
            None, "--queue", metavar="NAME[:KEY=VALUE,...]", **many,
        ),
        rate=option(f"Rate of the link, such as 10Mbit/s{recorded}.{chosen}", required=required),
        buffer=option(f"Buffer of every discipline that has one, such as 64KB or 100pkt.{chosen}"),
        changes=option(
            "Set a parameter of every discipline that has it, or of one queue, e.g. delta=1000B or fq.delta=1000B.",
            None, "--set", metavar="[QUEUE.]NAME=VALUE", **many,
        ),
        classify=option(CLASSIFY_HELP, choices=CLASSIFY),
        seed=shared.seed("Seed of the random numbers of disciplines."),
        **{name: option(CONVENTION_HELP[name], choices[0], choices=choices) for name, choices in CONVENTIONS.items()},
        lenient=option("Skip and count packets with faults.", False),
    )  # fmt: skip


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
