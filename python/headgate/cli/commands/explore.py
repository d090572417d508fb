"""headgate explore: a local page on which scenarios and replays are changed and looked at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from .. import shared, signals
from ..changes import parameters_of
from ..command import Command, argument, option
from ..line_options import line_options, parse_queue
from ..scenario_files import allow_code, allow_files, permitted, plugin_files


class ExploreCommand(Command):
    """Show FILE on a page in the browser.

    FILE is a scenario, a link that holds one (headgate run --link), the folder of a study or of a report (`headgate reproduce --report`),
    the name of a paper, or a trace (CSV, Parquet, pcap or pcapng), which is replayed.

    Without FILE the page begins with lessons. Only this machine can reach the page, and only with the token in its address. Ctrl-C ends it.
    The options about a link, its queues and flows are those of `headgate replay`, and for a trace only; two queues are shown side by side.
    """

    group = "Simulate"
    page = "how-to/explore"
    question = "what changes on the page when I change a value?"
    examples = """\
headgate explore
headgate explore scenarios/two-sources.toml --at 30s
headgate explore scenarios/office.csv --queue fcfs --queue fq \\
  --rate 2Mbit/s --buffer 64KB
headgate explore out/queues-and-rates --no-browser --port 8080
headgate explore out/papers
headgate explore 'https://example.org/#s=...'
headgate explore demers1989
headgate explore --lessons course
"""

    file: Path | None = argument()
    allowed: tuple[Path, ...] = allow_files()
    code: bool = allow_code()
    plugin: tuple[str, ...] = plugin_files()
    line: dict[str, Any] = line_options(False)
    own: Path | None = option(
        "Folder with lessons of your own, one TOML file each; they come after those of headgate.",
        None,
        "--lessons",
        metavar="DIR",
    )
    at: str | None = option("Begin with the part of the run around this time, such as 12s.", metavar="TIME")
    port: int = option("Port; 0 takes a free one.", 0, least=0, most=65535)
    no_browser: bool = option("Only print the address of the page.")
    threads: int | None = shared.threads("Runs at a time; all processors unless given.")
    max_memory: str | None = shared.max_memory(unless="half of the machine's and at most 4 GB")

    def run(self) -> None:
        with signals.loading():
            from ...explore.serve import require, serve
            from ...explore.subject import subject_of
            from ...quick.amounts import quantity
            from ..terminal import console, rows_progress, warn

        require()
        at_s = None if self.at is None else quantity("--at", self.at, "s") / 1e12
        given = _given(click.get_current_context(), self.line)

        def reading() -> AbstractContextManager[Callable[[float, int], object] | None]:
            return rows_progress("reading the trace")

        subject = permitted(lambda: subject_of(self.file, given, self.max_memory, reading, self.allowed, self.code))
        own = self.own
        if own is not None:
            from ...explore.lesson_files import with_own

            subject.lessons = permitted(lambda: with_own(own, self.code, warn))

        def ready(url: str) -> None:
            console().print(f"{subject.title}: {url}", soft_wrap=True, markup=False, highlight=False)
            console().print("Ctrl-C ends it.")

        serve(subject, self.port, not self.no_browser, self.threads, self.max_memory, ready, at_s)


def _given(ctx: click.Context, line: dict[str, Any]) -> dict[str, Any]:
    """The options of the line that were given, as the functions of the explorer name them."""
    given = {k: v for k, v in line.items() if ctx.get_parameter_source(k) is not ParameterSource.DEFAULT}
    if "queues" in given:
        given["queue"] = [parse_queue(q) for q in given.pop("queues")]
    if "changes" in given:
        given["parameters"] = parameters_of(given.pop("changes"), "delta=1000B")
    return given
