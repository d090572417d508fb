"""headgate explore: a local page on which scenarios and replays are changed and looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from . import signals
from .changes import parameters_of
from .line_options import line_options, parse_queue
from .scenario_files import allow_code, allow_files, permitted, plugin_files


@click.command(
    epilog="""\b
Examples:
  headgate explore
  headgate explore scenarios/two-sources.toml --at 30s
  headgate explore scenarios/office.csv --queue fcfs --queue fq \\
    --rate 2Mbit/s --buffer 64KB
  headgate explore out/queues-and-rates --no-browser --port 8080
  headgate explore out/papers
  headgate explore demers1989
  headgate explore --lessons course"""
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@allow_files
@allow_code
@plugin_files
@line_options(required=False)
@click.option(
    "--lessons",
    "own",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Folder with lessons of your own, one TOML file each; they come after those of headgate.",
)
@click.option("--at", metavar="TIME", help="Begin with the part of the run around this time, such as 12s.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port; 0 takes a free one.")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
@click.option("--threads", type=click.IntRange(1), help="Runs at a time; all processors unless given.")
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Memory that all runs may take together, such as 4GB; half of the machine's and at most 4 GB unless given.",
)
@click.pass_context
def explore(
    ctx: click.Context,
    /,
    file: Path | None,
    allowed: tuple[Path, ...],
    code: bool,
    own: Path | None,
    at: str | None,
    port: int,
    no_browser: bool,
    threads: int | None,
    max_memory: str | None,
    **line: Any,
) -> None:
    """Show FILE on a page in the browser.

    FILE is a scenario, the folder of a study or of a report (`headgate reproduce --report`), the name of a paper, or a trace (CSV, Parquet,
    pcap or pcapng), which is replayed.

    Without FILE the page begins with lessons. Only this machine can reach the page, and only with the token in its address. Ctrl-C ends it.
    The options about a link, its queues and flows are those of `headgate replay`, and for a trace only; two queues are shown side by side.
    """
    with signals.loading():
        from ..explore.serve import require, serve
        from ..explore.subject import subject_of
        from ..quick.amounts import quantity
        from .terminal import console, rows_progress, warn

    require()
    at_s = None if at is None else quantity("--at", at, "s") / 1e12
    given = _given(ctx, line)

    def reading() -> AbstractContextManager[Callable[[float, int], object] | None]:
        return rows_progress("reading the trace")

    subject = permitted(lambda: subject_of(file, given, max_memory, reading, allowed, code))
    if own is not None:
        from ..explore.lesson_files import with_own

        subject.lessons = permitted(lambda: with_own(own, code, warn))

    def ready(url: str) -> None:
        console().print(f"{subject.title}: {url}", soft_wrap=True, markup=False, highlight=False)
        console().print("Ctrl-C ends it.")

    serve(subject, port, not no_browser, threads, max_memory, ready, at_s)


def _given(ctx: click.Context, line: dict[str, Any]) -> dict[str, Any]:
    """The options of the line that were given, as the functions of the explorer name them."""
    given = {k: v for k, v in line.items() if ctx.get_parameter_source(k) is not ParameterSource.DEFAULT}
    if "queues" in given:
        given["queue"] = [parse_queue(q) for q in given.pop("queues")]
    if "changes" in given:
        given["parameters"] = parameters_of(given.pop("changes"), "delta=1000B")
    return given
