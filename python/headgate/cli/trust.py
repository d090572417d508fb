"""headgate trust: the list of scenario files whose code may run without a question."""

from __future__ import annotations

from pathlib import Path

import click

from ..base.errors import HeadgateError
from .scenario_files import allow_files, read
from .show import output, print_json


@click.command(
    epilog="""\b
Examples:
  headgate trust mine.toml
  headgate trust
  headgate trust --remove mine.toml"""
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@allow_files
@click.option(
    "--remove", metavar="FILE", help="Take a file off the list: its path, or its digest or the first 8 digits of that."
)
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def trust(file: Path | None, allowed: tuple[Path, ...], remove: str | None, as_json: bool) -> None:
    """Let the plugins and programs of the scenario in FILE run from now on, without a question; without FILE, print the list.

    It shows what would run. The list keeps a digest of the file and of all code that it names: if anything of it changes, the file is no
    longer trusted.
    """
    from ..plugins import trust_list

    if remove is not None:
        if file is not None:
            raise HeadgateError(f"--remove {remove}: found {file} beside it; expected one of them")
        trust_list.remove(remove)
        with output():
            click.echo(f"no longer trusted: {remove}")
        return
    if file is not None:
        scenario = read(file, allowed)
        codes = scenario.codes()
        if not codes:
            raise HeadgateError(f"{file}: found no plugins and no programs; expected a scenario that names code")
        trust_list.add(file, scenario.trust_digest)
        if not as_json:
            with output():
                click.echo(f"trusted until it changes: {file}")
                for code in codes:
                    click.echo(code.text())
            return
    known = trust_list.entries()
    if as_json:
        print_json({"list": str(trust_list.place()), "files": known})
        return
    with output():
        for entry in known:
            click.echo(f"{entry['digest'][:16]}  {entry['added']}  {entry['file']}")
        click.echo(f"{len(known)} {'file' if len(known) == 1 else 'files'} in {trust_list.place()}")
