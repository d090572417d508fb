"""headgate show: draws the network of a scenario."""

from __future__ import annotations

from pathlib import Path

import click

from . import signals
from .changes import changes_of
from .scenario_files import allow_files, plugin_files, read
from .show import output


@click.command(
    epilog="""\b
Examples:
  headgate show scenarios/islands.toml
  headgate show scenarios/islands.toml --set topology.hops=8
  headgate show scenarios/islands.toml --figure network.svg"""
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--figure", type=click.Path(path_type=Path), help="Draw into this file (.svg, .png, .pdf) instead of the terminal."
)
@allow_files
@plugin_files
@click.option("--set", "changes", metavar="PATH=VALUE", multiple=True, help="Change a value, e.g. topology.hosts=8.")
def show(file: Path, allowed: tuple[Path, ...], figure: Path | None, changes: tuple[str, ...]) -> None:
    """Draw the network of the scenario in FILE: nodes, links with rate, delay and discipline, and flows.

    Equal hosts are drawn as one, and so are the gateways of a layer if there are too many.
    """
    with signals.loading():
        from ..network import Network, draw, picture

    scenario = read(file, allowed)
    for option, path, value in changes_of(changes):
        scenario = scenario.set_option(option, path, value)
    if figure is None:
        with output():
            click.echo(picture(Network.of(scenario)), nl=False)
        return
    with signals.loading():
        from ..plots.canvas import require, save

        require(figure)
    save(draw(Network.of(scenario)), figure)
    with output():
        click.echo(f"figure: {figure}")
