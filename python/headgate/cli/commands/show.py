"""headgate show: draws the network of a scenario."""

from __future__ import annotations

from pathlib import Path

import click

from .. import shared, signals
from ..changes import changes_of
from ..command import Command, argument, option
from ..scenario_files import allow_files, plugin_files, read
from ..show import output


class ShowCommand(Command):
    """Draw the network of the scenario in FILE: nodes, links with rate, delay and discipline, and flows.

    Equal hosts are drawn as one, and so are the gateways of a layer if there are too many.
    """

    group = "Simulate"
    at_once = True
    page = "how-to/own-scenario"
    examples = """\
headgate show scenarios/islands.toml
headgate show scenarios/islands.toml --set topology.hops=8
headgate show scenarios/islands.toml --figure network.svg
"""

    file: Path = argument()
    figure: Path | None = option("Draw into this file (.svg, .png, .pdf) instead of the terminal.")
    allowed: tuple[Path, ...] = allow_files()
    plugin: tuple[str, ...] = plugin_files()
    changes: tuple[str, ...] = shared.changes("topology.hosts=8")

    def run(self) -> None:
        with signals.loading():
            from ...network import Network, draw, picture

        scenario = read(self.file, self.allowed)
        for name, path, value in changes_of(self.changes):
            scenario = scenario.set_option(name, path, value)
        if self.figure is None:
            with output():
                click.echo(picture(Network.of(scenario)), nl=False)
            return
        with signals.loading():
            from ...plots.canvas import require, save

            require(self.figure)
        save(draw(Network.of(scenario)), self.figure)
        with output():
            click.echo(f"figure: {self.figure}")
