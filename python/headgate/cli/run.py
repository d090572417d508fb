"""headgate run: simulates a scenario file."""

from __future__ import annotations

from pathlib import Path

import click

from ..base.choices import FORMATS
from ..base.errors import HeadgateError
from . import signals
from .changes import changes_of
from .exporting import exported, write_exports
from .scenario_files import allow_code, allow_files, permit, plugin_files, read
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate run scenarios/two-sources.toml
  headgate run scenarios/two-sources.toml --set links.slow.queue.kind=fcfs \\
    --replications 10
  headgate run scenarios/two-sources.toml --out out/two-sources \\
    --format parquet
  headgate run scenarios/packet-pair.toml --figure rates.png --panel rate \\
    --panel probe --panel backlog
  headgate run scenarios/two-sources.toml --pcapng two.pcapng --qlog two-qlog"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--seed", type=click.IntRange(0, 2**64 - 1), help="Seed of all random streams, instead of the file's.")
@click.option(
    "--replications", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Number of independent runs."
)
@click.option(
    "--set", "changes", metavar="PATH=VALUE", multiple=True, help="Change a value, e.g. links.slow.rate=1Mbit/s."
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the tables and the manifest.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="csv", show_default=True, help="File format of the tables."
)
@click.option(
    "--figure",
    type=click.Path(path_type=Path),
    help="Draw the traces of the first run over time into this file (.svg, .png, .pdf).",
)
@click.option(
    "--completions",
    type=click.Path(path_type=Path),
    help="Draw the completion times of the transfers, as a distribution and by size, into this file (.svg, .png, .pdf).",
)
@exported
@click.option(
    "--panel", "panels", metavar="TRACE", multiple=True, help="Trace for a panel of the figure; all unless given."
)
@click.option(
    "--phase", is_flag=True, help="Repeat the run with other host noise: do the shares depend on the phase of arrivals?"
)
@click.option("--threads", type=click.IntRange(1), help="Number of runs at a time; one per processor unless given.")
@click.option(
    "--max-memory",
    metavar="SIZE",
    help="Memory that the runs may take together, such as 4GB; three quarters of the machine's unless given.",
)
@allow_files
@allow_code
@plugin_files
@click.option("--base", is_flag=True, help="Run only the scenario of a study file, without its table `sweep`.")
@click.option("--top", type=click.IntRange(1), metavar="N", help="List the N flows with the highest goodput.")
@click.option("--wide", is_flag=True, help="Print all columns, even if lines are longer than the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def run(
    file: Path,
    seed: int | None,
    replications: int,
    changes: tuple[str, ...],
    out: Path | None,
    form: str,
    figure: Path | None,
    completions: Path | None,
    exports: dict[str, Path],
    panels: tuple[str, ...],
    phase: bool,
    threads: int | None,
    max_memory: str | None,
    base: bool,
    allowed: tuple[Path, ...],
    code: bool,
    top: int | None,
    wide: bool,
    as_json: bool,
) -> None:
    """Simulate the scenario in FILE and print its flows and links.

    Up to 20 flows are listed one by one, and equal ones are added up. The table has the columns that fit the terminal; a file or
    a pipe counts as 80 columns wide unless the environment variable COLUMNS says otherwise.
    """
    with signals.loading():
        from rich.markup import escape

        from ..base.atomic import require_folder
        from ..results.tables import require
        from ..scenario.effects import warnings
        from ..scenario.transports import of_scenario
        from .tables.run import print_results
        from .terminal import console, progress, warn_all

    scenario = read(file, allowed)
    if base:
        scenario = scenario.base()
    for option, path, value in changes_of(changes):
        scenario = scenario.set_option(option, path, value)
    permit(scenario, code)
    if out is not None:
        require(form)
        require_folder(out, "--out")
    if exports:
        from ..exports import require as can_export

        can_export(exports, options=True)
    if panels and figure is None:
        raise HeadgateError("--panel: expected --figure with it")
    if figure is not None:
        from ..plots.canvas import require as can_draw
        from ..plots.traces import TRACES

        can_draw(figure)
        if not scenario.data.get("traces"):
            scenario = scenario.put("traces", list(TRACES))
    if completions is not None:
        from ..plots.canvas import require as can_draw

        can_draw(completions)
        scenario = scenario.put("traces", sorted({*scenario.data.get("traces", []), "completions"}))
    with progress(f"running {file.name}") as callback:
        results = scenario.run(seed, replications, threads, callback, max_memory, out, form)
    found = None
    if phase:
        from ..checks.phase import check as phase_check

        with progress("with other host noise") as callback:
            found = phase_check(scenario, results, None, threads, callback)
    if figure is not None:
        from ..plots import timeline

        timeline(results, figure, panels)
    if completions is not None:
        from ..plots import completions as draw

        draw(results, completions)
    written = write_exports(results, exports, max_memory) if exports else []
    messages = [*warnings(results.scenario), *filter(None, [of_scenario(results.scenario)])]
    warn_all(messages)
    if as_json:
        print_json(results.to_dict() | {"warnings": messages} | ({} if found is None else {"phase": found.to_dict()}))
    else:
        print_results(results, top, wide)
        if found is not None:
            from .tables.phase import print_phase

            print_phase(found)
        if out is not None:
            console().print(f"tables in {escape(str(out))}", soft_wrap=True)
        if figure is not None:
            console().print(f"figure: {escape(str(figure))}", soft_wrap=True)
        if completions is not None:
            console().print(f"completion times: {escape(str(completions))}", soft_wrap=True)
        for place in written:
            console().print(f"written: {escape(str(place))}", soft_wrap=True)
