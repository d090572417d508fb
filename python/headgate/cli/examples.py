"""headgate examples: the scenarios that come with the package."""

from __future__ import annotations

from pathlib import Path

import click

from ..base.errors import HeadgateError
from . import completing, signals
from .show import print_json


@click.command(
    epilog="""\b
Examples:
  headgate examples
  headgate examples game
  headgate examples --all --out scenarios"""
)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=completing.examples)
@click.option("--all", "every", is_flag=True, help="Copy all examples.")
@click.option(
    "--out", type=click.Path(path_type=Path), metavar="DIR", help="Folder for the copies; the current one unless given."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print an array of {name, about}, or of the files that were written."
)
def examples(names: tuple[str, ...], every: bool, out: Path | None, as_json: bool) -> None:
    """List the example scenarios, or copy those with the given NAMEs, to be run and changed.

    Files that an example names are copied too, and so is the schema of scenario files, which editors use. No file is overwritten.
    """
    from ..scenario.examples import copy
    from ..scenario.examples import examples as find

    known = find()
    if names or every:
        if names and every:
            raise HeadgateError("--all: found names of examples too; expected one or the other")
        written = copy([e.name for e in known] if every else list(names), out or Path())
        if as_json:
            print_json([str(file) for file in written])
            return
        for file in written:
            click.echo(f"wrote {file}")
        click.echo(f"Run it:  {_command(written[0])}")
        return
    if out is not None:
        raise HeadgateError("--out: found no example to copy; expected a NAME or --all")
    if as_json:
        print_json([{"name": e.name, "about": e.about} for e in known])
        return
    with signals.loading():
        from rich import box
        from rich.table import Table

        from .terminal import console

    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("example", no_wrap=True)
    table.add_column("what it shows")
    for e in known:
        table.add_row(e.name, e.about)
    console().print(table)
    click.echo("Copy one:  headgate examples game     Copy all:  headgate examples --all --out scenarios")


def _command(file: Path) -> str:
    """The command for a file that was copied."""
    if file.suffix == ".csv":
        return f"headgate replay {file} --queue fcfs --queue fq --rate 2Mbit/s"
    from ..base.toml import loads

    study = "sweep" in loads(file.read_text("utf-8"))
    return f"headgate sweep {file} --out out/{file.stem}" if study else f"headgate run {file}"
