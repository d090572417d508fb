"""The option of commands that read a scenario file, for the files that it names."""

from __future__ import annotations

from pathlib import Path

import click

allow_files = click.option(
    "--allow-files",
    "allowed",
    metavar="DIR",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Let the scenario name files in this folder too; without it they lie in the folder of the scenario.",
)
