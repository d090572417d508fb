"""headgate examples: the scenarios that come with the package."""

from __future__ import annotations

from pathlib import Path

import click

from ...base.errors import HeadgateError
from .. import completing, signals
from ..command import Command, argument, option
from ..printed import Shape, key
from ..show import print_json


class ExampleJson(Shape):
    """An example."""

    name: str = key("Its name.")
    about: str = key("What it shows.")


class ExamplesCommand(Command):
    """List the example scenarios, or copy those with the given NAMEs, to be run and changed.

    Files that an example names are copied too, and so is the schema of scenario files, which editors use. No file is overwritten.
    """

    group = "Look up"
    at_once = True
    page = "how-to/own-scenario"
    examples = """\
headgate examples
headgate examples game
headgate examples --all --out scenarios
"""
    prints = {"": list[ExampleJson], "With names or `--all`, the files that were written": list[str]}

    names: tuple[str, ...] = argument(metavar="[NAME]...", complete=completing.examples)
    every: bool = option("Copy all examples.", False, "--all")
    out: Path | None = option("Folder for the copies; the current one unless given.", metavar="DIR")
    as_json: bool = option("Print an array of {name, about}, or of the files that were written.", False, "--json")

    def run(self) -> None:
        from ...scenario.examples import copy
        from ...scenario.examples import examples as find

        known = find()
        if self.names or self.every:
            if self.names and self.every:
                raise HeadgateError("--all: found names of examples too; expected one or the other")
            written = copy([e.name for e in known] if self.every else list(self.names), self.out or Path())
            if self.as_json:
                print_json([str(file) for file in written])
                return
            for file in written:
                click.echo(f"wrote {file}")
            click.echo(f"Run it:  {_command(written[0])}")
            return
        if self.out is not None:
            raise HeadgateError("--out: found no example to copy; expected a NAME or --all")
        if self.as_json:
            print_json([{"name": e.name, "about": e.about} for e in known])
            return
        with signals.loading():
            from rich import box
            from rich.table import Table

            from ..terminal import console

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
    from ...base.documents import loads

    study = "sweep" in loads(file.read_text("utf-8"))
    return f"headgate sweep {file} --out out/{file.stem}" if study else f"headgate run {file}"
