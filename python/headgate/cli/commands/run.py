"""headgate run: simulates a scenario file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...base.choices import FORMATS
from ...base.errors import HeadgateError
from .. import linking, shared, signals
from ..changes import changes_of
from ..command import Command, argument, option
from ..exporting import write_exports
from ..run_shapes import RunJson
from ..scenario_files import allow_code, allow_files, permit, plugin_files, read, titled
from ..show import print_json


class RunCommand(Command):
    """Simulate the scenario in FILE and print its flows and links.

    FILE may be a link that holds a scenario, in quotation marks: one of the explorer's page, or of --link.

    Up to 20 flows are listed one by one, and equal ones are added up. The table has the columns that fit the terminal; a file or
    a pipe counts as 80 columns wide unless the environment variable COLUMNS says otherwise.
    """

    group = "Simulate"
    page = "how-to/own-scenario"
    question = "what happens in the network of a file?"
    examples = """\
headgate run scenarios/two-sources.toml
headgate run scenarios/two-sources.toml --set links.slow.queue.kind=fcfs \\
  --replications 10
headgate run scenarios/two-sources.toml --out out/two-sources \\
  --format parquet
headgate run scenarios/packet-pair.toml --figure rates.png --panel rate \\
  --panel probe --panel backlog
headgate run scenarios/two-sources.toml --pcapng two.pcapng --qlog two-qlog
headgate run scenarios/two-sources.toml --seed 2 --link
"""
    prints = {"": RunJson, "With `--link`": linking.LinkJson}

    file: Path = argument()
    seed: int | None = shared.seed("Seed of all random streams, instead of the file's.", None)
    replications: int = option("Number of independent runs.", 1, least=1, most=100_000)
    changes: tuple[str, ...] = shared.changes("links.slow.rate=1Mbit/s")
    out: Path | None = option("Folder for the tables and the manifest.")
    form: str = option("File format of the tables.", "csv", "--format", choices=FORMATS)
    figure: Path | None = option("Draw the traces of the first run over time into this file (.svg, .png, .pdf).")
    completions: Path | None = option(
        "Draw the completion times of the transfers, as a distribution and by size, into this file (.svg, .png, .pdf)."
    )
    exports: dict[str, Any] = shared.exports()
    panels: tuple[str, ...] = option(
        "Trace for a panel of the figure; all unless given.", None, "--panel", metavar="TRACE"
    )
    phase: bool = option("Repeat the run with other host noise: do the shares depend on the phase of arrivals?")
    threads: int | None = shared.threads()
    max_memory: str | None = shared.max_memory("the runs may take together")
    allowed: tuple[Path, ...] = allow_files()
    code: bool = allow_code()
    plugin: tuple[str, ...] = plugin_files()
    base: bool = option("Run only the scenario of a study file, without its table `sweep`.")
    top: int | None = shared.top()
    wide: bool = shared.wide()
    as_link: bool = linking.as_link()
    site: str | None = linking.site()
    as_json: bool = shared.as_json("the results")

    def run(self) -> None:
        with signals.loading():
            from rich.markup import escape

            from ...base.atomic import require_folder
            from ...scenario.effects import warnings
            from ...scenario.transports import of_scenario
            from ..terminal import console, progress, warn_all

        scenario = read(self.file, self.allowed)
        if self.base:
            scenario = scenario.base()
        for name, path, value in changes_of(self.changes):
            scenario = scenario.set_option(name, path, value)
        if self.as_link:
            linking.require_one(self.replications)
            one = scenario if self.seed is None else scenario.put("seed", self.seed)
            linking.print_links({"": one}, self.site, self.as_json)
            return
        permit(scenario, self.code)
        if self.out is not None:
            from ...results.tables import require

            require(self.form)
            require_folder(self.out, "--out")
        exports = {form: place for form, place in self.exports.items() if place is not None}
        if exports:
            from ...exports import require as can_export

            can_export(exports, options=True)
        if self.panels and self.figure is None:
            raise HeadgateError("--panel: expected --figure with it")
        if self.figure is not None:
            from ...plots.canvas import require as can_draw
            from ...plots.traces import TRACES

            can_draw(self.figure)
            if not scenario.data.get("traces"):
                scenario = scenario.put("traces", list(TRACES))
        if self.completions is not None:
            from ...plots.canvas import require as can_draw

            can_draw(self.completions)
            scenario = scenario.put("traces", sorted({*scenario.data.get("traces", []), "completions"}))
        with progress(f"running {titled(self.file)}") as callback:
            results = scenario.run(
                self.seed, self.replications, self.threads, callback, self.max_memory, self.out, self.form
            )
        # What tables need is loaded while it runs.
        with signals.loading():
            from ..tables.run import print_results
        found = None
        if self.phase:
            from ...checks.phase import check as phase_check

            with progress("with other host noise") as callback:
                found = phase_check(scenario, results, None, self.threads, callback)
        if self.figure is not None:
            from ...plots import timeline

            timeline(results, self.figure, self.panels)
        if self.completions is not None:
            from ...plots import completions as draw

            draw(results, self.completions)
        written = write_exports(results, exports, self.max_memory) if exports else []
        messages = [*warnings(results.scenario), *filter(None, [of_scenario(results.scenario)])]
        warn_all(messages)
        if self.as_json:
            print_json(
                results.to_dict() | {"warnings": messages} | ({} if found is None else {"phase": found.to_dict()})
            )
        else:
            print_results(results, self.top, self.wide)
            if found is not None:
                from ..tables.phase import print_phase

                print_phase(found)
            if self.out is not None:
                console().print(f"tables in {escape(str(self.out))}", soft_wrap=True)
            if self.figure is not None:
                console().print(f"figure: {escape(str(self.figure))}", soft_wrap=True)
            if self.completions is not None:
                console().print(f"completion times: {escape(str(self.completions))}", soft_wrap=True)
            for place in written:
                console().print(f"written: {escape(str(place))}", soft_wrap=True)
