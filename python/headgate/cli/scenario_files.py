"""Options of commands that read a scenario: for the files that it names, and for flow controls and disciplines of one's own."""

from __future__ import annotations

from pathlib import Path

import click


def _load(_: click.Context, __: click.Parameter, files: tuple[str, ...]) -> None:
    """Loads plugins before anything names what they have."""
    if files:
        from ..plugins import load

        load(*files)


#: For commands in which flow controls and disciplines are named.
plugin_files = click.option(
    "--plugin",
    metavar="FILE",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_load,
    help="Take flow controls and disciplines from this file in Python, or from MODULE:CLASS.",
)

allow_files = click.option(
    "--allow-files",
    "allowed",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Let the scenario name files in this folder too; without it they lie in the folder of the scenario.",
)
