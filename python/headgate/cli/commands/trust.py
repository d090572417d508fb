"""headgate trust: the list of scenario files whose code may run without a question."""

from __future__ import annotations

from pathlib import Path

import click

from ...base.errors import HeadgateError
from .. import shared
from ..command import Command, argument, option
from ..printed import Shape, key
from ..scenario_files import allow_files, read
from ..show import output, print_json


class TrustJson(Shape):
    """The list."""

    list_: str = key("Where it is kept.")
    files: list[TrustedJson] = key("The files on it.")


class TrustedJson(Shape):
    """A file."""

    digest: str = key("Digest of the file and of all code that it names.")
    file: str = key("Its path.")
    added: str = key("The day on which it was added.")


class TrustCommand(Command):
    """Let the plugins and programs of the scenario in FILE run from now on, without a question; without FILE, print the list.

    It shows what would run. The list keeps a digest of the file and of all code that it names: if anything of it changes, the file is no
    longer trusted.
    """

    group = "Look up"
    at_once = True
    page = "how-to/trust"
    question = "which files may run code that comes with them?"
    examples = """\
headgate trust mine.toml
headgate trust
headgate trust --remove mine.toml
"""
    prints = {"": TrustJson}

    file: Path | None = argument()
    allowed: tuple[Path, ...] = allow_files()
    remove: str | None = option(
        "Take a file off the list: its path, or its digest or the first 8 digits of that.", metavar="FILE"
    )
    as_json: bool = shared.as_json("the list")

    def run(self) -> None:
        from ...plugins import trust_list

        if self.remove is not None:
            if self.file is not None:
                raise HeadgateError(f"--remove {self.remove}: found {self.file} beside it; expected one of them")
            trust_list.remove(self.remove)
            with output():
                click.echo(f"no longer trusted: {self.remove}")
            return
        if self.file is not None:
            from ...scenario.links import is_link, short

            if is_link(str(self.file)):
                raise HeadgateError(f"{short(str(self.file))}: found a link; expected a file, which names code")
            scenario = read(self.file, self.allowed)
            codes = scenario.codes()
            if not codes:
                raise HeadgateError(
                    f"{self.file}: found no plugins and no programs; expected a scenario that names code"
                )
            trust_list.add(self.file, scenario.trust_digest)
            if not self.as_json:
                with output():
                    click.echo(f"trusted until it changes: {self.file}")
                    for code in codes:
                        click.echo(code.text())
                return
        known = trust_list.entries()
        if self.as_json:
            print_json({"list": str(trust_list.place()), "files": known})
            return
        with output():
            for entry in known:
                click.echo(f"{entry['digest'][:16]}  {entry['added']}  {entry['file']}")
            click.echo(f"{len(known)} {'file' if len(known) == 1 else 'files'} in {trust_list.place()}")
