"""headgate explore: a local page on which scenarios are turned and looked at."""

from __future__ import annotations

from pathlib import Path

import click

from . import signals


@click.command(
    epilog="""\b
Examples:
  headgate explore
  headgate explore scenarios/two-sources.toml
  headgate explore out/queues-and-rates --no-browser --port 8080
  headgate explore out/papers
  headgate explore demers1989"""
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="Port; 0 takes a free one.")
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
@click.option("--threads", type=click.IntRange(1), help="Runs at a time; all processors unless given.")
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Memory that all runs may take together, such as 4GB; half of the machine's and at most 4 GB unless given.",
)
def explore(file: Path | None, port: int, no_browser: bool, threads: int | None, max_memory: str | None) -> None:
    """Show FILE on a page in the browser. Without FILE the page begins with lessons.

    FILE is a scenario, the folder of a study or of a report (`headgate reproduce --report`), or the name of a paper.

    Only this machine can reach the page, and only with the token in its address. Ctrl-C ends it.
    """
    with signals.loading():
        from ..explore.serve import require, serve
        from ..explore.subject import subject_of
        from .terminal import console

    require()
    subject = subject_of(file)

    def ready(url: str) -> None:
        console().print(f"{subject.title}: {url}", soft_wrap=True, markup=False, highlight=False)
        console().print("Ctrl-C ends it.")

    serve(subject, port, not no_browser, threads, max_memory, ready)
