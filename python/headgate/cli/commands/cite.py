"""headgate cite: how to cite headgate, and the schemes that a scenario uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ...base.bibliography import own
from ...base.errors import HeadgateError
from .. import completing, shared, signals
from ..command import Command, argument, option
from ..printed import Shape, key
from ..scenario_files import allow_files, plugin_files, read
from ..show import output, print_json

if TYPE_CHECKING:
    from ...scenario.scenario import Scenario
    from ..schemes_used import UsedScheme


class ReferenceJson(Shape):
    """A reference."""

    key_: str = key("By which BibTeX cites it.")
    authors: list[str] = key(
        "As `Surname, First names`, or the name of a group; empty if they are not known for certain."
    )
    title: str = key("Its title.")
    year: int | None = key("When it appeared; null if that is not known for certain, as of a draft without a number.")
    doi: str | None = key("Its digital object identifier; null if it has none, or if that is not known for certain.")
    text: str = key("All of it in a line.")
    bibtex: str = key("All of it as an entry of BibTeX.")


class SchemeJson(Shape):
    """A scheme."""

    list_: str = key("The list that it is in, as `headgate list` names it.")
    name: str = key("Its name there.")
    source: str = key("Where it was published, in the words of its card; empty for a scheme of a plugin or a program.")
    references: list[str] = key("Keys of the references.")


class CiteJson(Shape):
    """How to cite what was used."""

    version: str = key("Version of headgate.")
    headgate: ReferenceJson = key("headgate itself.")
    schemes: list[SchemeJson] = key("The schemes in use.")
    references: list[ReferenceJson] = key("The references of the schemes, each once.")


class CiteCommand(Command):
    """Print how to cite headgate, and the schemes that each FILE uses: disciplines, AQMs, flow controls and workloads.

    FILE is a scenario, a study, of which all variants count, or in quotation marks a link that holds a scenario. Words instead of files
    are the names of schemes, or else a line of headgate quick. Without any, only headgate is cited.
    """

    group = "Look up"
    at_once = True
    page = "how-to/cite"
    examples = """\
headgate cite
headgate cite scenarios/two-sources.toml
headgate cite scenarios/queues-and-rates.toml --bibtex > references.bib
headgate cite cubic fq_codel
headgate cite reno --json
headgate cite 50/10 20ms cake download game
"""
    prints = {"": CiteJson}

    words: tuple[str, ...] = argument(metavar="[FILE | SCHEME | WORD]...", complete=completing.schemes)
    bibtex: bool = option("Print the references as a file of BibTeX.")
    allowed: tuple[Path, ...] = allow_files()
    plugin: tuple[str, ...] = plugin_files()
    as_json: bool = shared.as_json("the schemes and the references")

    def run(self) -> None:
        with signals.loading():
            from ...base.bibliography import file_text
            from ..schemes_used import references

        if self.bibtex and self.as_json:
            raise HeadgateError("--bibtex: found it beside --json, which has the entries too; expected one of them")
        schemes = _schemes(self.words, self.allowed)
        found = references(schemes)
        if self.bibtex:
            with output():
                click.echo(file_text([own(), *found]), nl=False)
        elif self.as_json:
            from ... import __version__

            print_json(
                {
                    "version": __version__,
                    "headgate": own().to_dict(),
                    "schemes": [s._asdict() | {"references": [r.key for r in s.references]} for s in schemes],
                    "references": [one.to_dict() for one in found],
                }
            )
        else:
            with output():
                click.echo("\n".join(_lines(schemes)))


def _schemes(words: tuple[str, ...], allowed: tuple[Path, ...]) -> list[UsedScheme]:
    """The schemes that words name, or that the files or the line use."""
    from ..schemes_used import entries, is_file, named, schemes_of

    files = [word for word in words if is_file(word)]
    if files and len(files) < len(words):
        other = next(word for word in words if word not in files)
        raise HeadgateError(f"FILE: found {other!r} beside {files[0]}; expected files alone, or words alone")
    if files:
        return schemes_of(read(Path(file), allowed) for file in files)
    schemes = named(words)
    return schemes_of(_of_line(words)) if schemes is None else entries(schemes)


def _of_line(words: tuple[str, ...]) -> list[Scenario]:
    from ...quick import read_line
    from ..quick_runs import scenarios_of

    return scenarios_of(read_line(words, {}))


def _lines(schemes: list[UsedScheme]) -> Iterator[str]:
    from ..schemes_used import references

    yield from ("headgate:", f"  [{own().key}] {own().text()}")
    if not schemes:
        return
    yield from ("", "Schemes:")
    wide = max(len(scheme.name) for scheme in schemes)
    for scheme in schemes:
        keys = ", ".join(one.key for one in scheme.references)
        said = f"{scheme.source} [{keys}]" if scheme.source else "none of headgate's own: cite its author"
        yield f"  {scheme.list:13}  {scheme.name:{wide}}  {said}"
    yield from ("", "References:", *(f"  [{one.key}] {one.text()}" for one in references(schemes)))
