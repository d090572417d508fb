"""Options that several commands have: each stands here once, and a command names it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..base import memory
from ..base.choices import EXPORTS
from ..base.errors import HeadgateError, cut
from .command import gathered, option


def as_json(what: str) -> Any:
    """`--json`; `what`, such as "the results", is printed."""
    return option(f"Print {what} as JSON.", False, "--json")


def html() -> Any:
    """`--html`, of a judge."""
    return option("Write the report as a page, with everything.", metavar="FILE")


def seed(what: str = "Seed of all random streams.", default: int | None = 1, most: int | None = 2**64 - 1) -> Any:
    """`--seed`."""
    return option(what, default, least=0, most=most)


def workers() -> Any:
    """`--workers`."""
    return option("Number of processes; one per processor unless given.", least=1)


def threads(what: str = "Number of runs at a time; one per processor unless given.") -> Any:
    """`--threads`."""
    return option(what, least=1)


def engine() -> Any:
    """`--engine`."""
    return option("Where runs are executed.", "local", choices=["local", "dask"])


def address() -> Any:
    """`--address`, which belongs to `--engine`."""
    return option("Address of a Dask scheduler, such as tcp://host:8786; a cluster on this machine unless given.")


def max_memory(whose: str = "all runs may take together", unless: str = "three quarters of the machine's") -> Any:
    """`--max-memory`; `unless`: what holds where it is not given."""
    end = f"; {unless} unless given" if unless else ""
    return option(f"Memory that {whose}, such as 4GB{end}.", metavar="SIZE")


def memory_limit() -> Any:
    """`--max-memory` of a command that takes no other notice of it: it limits all that the command does."""
    help_text = "Memory that all runs may take together, such as 4GB; three quarters of the machine's unless given."
    return option(help_text, metavar="SIZE", callback=_limited)


def _limited(ctx: click.Context, _: click.Parameter, most: str | None) -> str | None:
    memory.limit_to(most)
    return most


def part() -> Any:
    """`--part`, of a command whose runs may be divided among machines; `read_part` reads it."""
    about = "Make only this part of the runs, such as 3/64, into a folder of its own; headgate gather joins all parts."
    return option(about, metavar="I/N")


def no_part(why: str) -> Any:
    """`--part` of a command whose runs cannot be shared out: it is refused with the reason and what there is instead."""

    def refused(_: click.Context, __: click.Parameter, text: str | None) -> None:
        if text is not None:
            raise HeadgateError(f"--part: found {cut(repr(text))}; {why}")

    return option(
        "Not of this command.", None, "--part", metavar="I/N", expose_value=False, hidden=True, callback=refused
    )


def resume(what: str) -> Any:
    """`--resume`, of a command that goes on in its folder; `what` goes on."""
    return option(f"Continue the {what} in the folder, if there is one.")


def kept_in(more: str = "") -> Any:
    """`--out DIR` of a command that keeps its runs there; `more` is written as well."""
    return option(f"Keep the runs{more} in this folder; a second call goes on there.", metavar="DIR")


def resume_there() -> Any:
    """`--resume`, of a command that goes on in the folder of `--out` in any case."""
    return option("Continue in the folder of --out, as a second call does in any case.")


def resume_in(more: str = "") -> Any:
    """`--resume DIR`, of a command that keeps runs in a folder of their own."""
    about = "Keep finished runs in this folder and use those in it: after an interruption the same command continues."
    return option(about + more, metavar="DIR")


def wide() -> Any:
    """`--wide`."""
    return option("Print all columns, even if lines are longer than the terminal.")


def top() -> Any:
    """`--top`."""
    return option("List the N flows with the highest goodput.", least=1, metavar="N")


def parameters(whose: str) -> Any:
    """`--set NAME=VALUE`."""
    return option(f"Set a parameter of {whose}.", None, "--set", metavar="NAME=VALUE")


def changes(example: str) -> Any:
    """`--set PATH=VALUE`, of a scenario."""
    return option(f"Change a value, e.g. {example}.", None, "--set", metavar="PATH=VALUE")


def own_name(whose: str) -> Any:
    """`--control`."""
    return option(f"The {whose} in the file, if there are several.", "", "--control", metavar="NAME")


def flow() -> Any:
    """`--flow`, of a study."""
    return option("Flows to use, such as telnet or `ftp*`; all unless given.", metavar="PATTERN")


def link() -> Any:
    """`--link`, of a study."""
    return option("Ports to use, for metrics of ports.", metavar="PATTERN")


def over() -> Any:
    """`--over`, of a study."""
    about = "How the values of several flows of a run are combined; by default rates and counts are summed and others averaged."
    return option(about, choices=["total", "mean", "least", "most", "jain"])


def wheres() -> Any:
    """`--where`, of a study."""
    return option("Use only these runs; a repeated axis adds values.", None, "--where", metavar="AXIS=VALUE")


def exports() -> Any:
    """An option for each format of other programs; the field has their places by format."""
    return gathered(
        **{
            name: option(about, metavar=what, type=click.Path(path_type=Path))
            for name, (what, about) in EXPORTS.items()
        }
    )


def controls_of_a_line() -> Any:
    """`--controls`, of commands that set flow controls beside each other."""
    return option("Flow controls: names, files such as mine.py, tables, programs.", metavar="LIST", required=True)


def rate() -> Any:
    """`--rate`, likewise."""
    return option("Rates of the line.", "20Mbit/s", metavar="LIST")


def rtt() -> Any:
    """`--rtt`, likewise."""
    return option("Round trips without queueing.", "40ms", metavar="LIST")


def buffer() -> Any:
    """`--buffer`, likewise."""
    return option("Buffers, such as 0.5bdp, 64KB or 50ms.", "1bdp", metavar="LIST")


def duration() -> Any:
    """`--duration`, likewise."""
    return option("Simulated time of a run.", "60s", metavar="TIME")


def warm_up() -> Any:
    """`--warm-up`, likewise."""
    return option("Time at the start that is not measured; a quarter of the duration unless given.", metavar="TIME")


def noise() -> Any:
    """`--noise`, likewise."""
    return option("Host noise in packet times of the line; 0 for none.", "1", metavar="N")


def limit() -> Any:
    """`--limit`, likewise."""
    about = "Processor time that the runs may be expected to take; more is refused before they start."
    return option(about, "1h", metavar="TIME")
