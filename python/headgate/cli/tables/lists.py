"""The tables of `headgate list`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.markup import escape

from ...base.floors import registered
from ..terminal import console
from .fit import GAP, new_table

#: Maximum width of the column of sources.
_SOURCE = 26

if TYPE_CHECKING:
    from ...quick import Preset

#: The lists of floors.
MORE = registered("lists")

#: The ends of a range in a schema, with their signs.
BOUNDS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def print_kinds(kinds: list[dict[str, Any]]) -> None:
    """The lists in the terminal."""
    table = new_table()
    table.add_column("kind", no_wrap=True)
    table.add_column("entries", justify="right", no_wrap=True)
    table.add_column("what")
    for kind in kinds:
        table.add_row(kind["name"], str(kind["entries"]), escape(kind["description"]))
    out = console()
    out.print(table)
    out.print("\nheadgate list KIND lists the entries, headgate list KIND NAME describes one.")


def print_catalogue(kind: str, entries: list[dict[str, Any]], long: bool = False) -> None:
    """The entries of a list in the terminal: a line each, or with `long` their whole descriptions and where each comes from."""
    out = console()
    table = new_table()
    table.add_column("name", no_wrap=True)
    if long:
        table.add_column("what it is")
        table.add_column("stands for" if kind == "short-names" else "source", max_width=_SOURCE)
        for entry in entries:
            table.add_row(escape(entry["name"]), escape(_line(entry["summary"])), escape(_source(entry, kind)))
    else:
        table.add_column("what it is", no_wrap=True)
        left = out.width - max((cell_len(e["name"]) for e in entries), default=0) - GAP
        for entry in entries:
            table.add_row(escape(entry["name"]), escape(_fitted(first_sentence(entry["summary"]), left)))
    out.print(table)
    more = "" if long else "; --long all of them"
    out.print(
        f"\nheadgate list {kind} {entries[min(1, len(entries) - 1)]['name']} describes one{' in full' if long else more}."
    )


def print_presets(presets: list[Preset]) -> None:
    """The sorts of paths of `headgate quick` in the terminal."""
    out = console()
    for preset in presets:
        out.print(f"[bold]{escape(preset.name)}[/]  {escape(preset.options)}", soft_wrap=True)
        _print_indented(preset.what, 6)
    out.print("\nheadgate quick --preset home --flows bulk,game runs one; other options change its values.")


def print_entry(kind: str, entry: dict[str, Any]) -> None:
    """Everything about one entry."""
    out = console()
    out.print(f"[bold]{escape(entry['name'])}[/]")
    out.print(escape(_line(entry["summary"])))
    out.print(f"{'stands for' if kind == 'short-names' else 'source'}: {escape(_line(entry['source']))}")
    if entry.get("deviations"):
        out.print("deviations from it:")
        for deviation in entry["deviations"]:
            _print_indented(f"- {_line(deviation)}", 2)
    if entry.get("gauges"):
        out.print(f"gauges, which the table `gauges` has at the end of each interval: {', '.join(entry['gauges'])}")
    if kind in MORE:
        MORE[kind].load().print_parameters(entry)
        return
    if not entry["parameters"]:
        out.print("no parameters")
        return
    out.print("\nparameters:")
    for parameter in entry["parameters"]:
        _print_parameter(parameter)


def _print_parameter(parameter: dict[str, Any]) -> None:
    out = console()
    default = parameter.get("default")
    # Tables would make a line of hundreds of letters.
    tables = [entry for entry in (default if isinstance(default, list) else [default]) if isinstance(entry, dict)]
    value = f" = {json.dumps(default, ensure_ascii=False)}" if default is not None and not tables else ""
    bounds = [f"{sign} {parameter[key]:g}" for key, sign in BOUNDS.items() if key in parameter]
    what = " ".join([parameter["type"] if parameter["type"] != "choice" else "one of these", *bounds])
    out.print(f"  [bold]{escape(parameter['name'])}[/]{escape(value)}  ({escape(what)})", soft_wrap=True)
    _print_indented(_line(parameter["description"]), 6)
    if tables:
        _print_indented("Unless given:", 6)
    for table in tables:
        _print_indented(json.dumps(table, ensure_ascii=False), 8)
    choices = parameter.get("choices", [])
    meanings = parameter.get("meanings") or [None] * len(choices)
    if any(meanings):
        for choice, meaning in zip(choices, meanings, strict=True):
            _print_indented(f"{json.dumps(choice)}: {_line(meaning or '')}", 6)
    elif choices:
        _print_indented(f"choices: {', '.join(map(json.dumps, choices))}", 6)


def _print_indented(text: str, by: int) -> None:
    out = console()
    for line in out.render_lines(escape(text), out.options.update(width=max(out.width - by, 20)), pad=False):
        out.print(" " * by + escape("".join(s.text for s in line).rstrip()), soft_wrap=True)


def first_sentence(text: str) -> str:
    """The first sentence without its full stop; an ellipsis is kept."""
    return re.sub(r"(?<!\.)\.$", "", re.split(r"\.\s+(?=[A-Z])", _line(text))[0])


def _fitted(text: str, width: int) -> str:
    """A text of one line: the words that fit, and an ellipsis in place of the others.

    >>> _fitted("Deficit Round Robin", 19), _fitted("Deficit Round Robin", 18), _fitted("Deficit, Round", 11)
    ('Deficit Round Robin', 'Deficit Round …', 'Deficit …')
    """
    if cell_len(text) <= width:
        return text
    words = text.split()
    while len(words) > 1 and cell_len(" ".join(words)) + 2 > width:
        words.pop()
    return " ".join(words).rstrip(",;:") + " …"


def _source(entry: dict[str, Any], kind: str) -> str:
    """Authors and year, or the beginning of a source that has none.

    >>> _source({"source": "Demers, Keshav and Shenker 1989, section 2.2"}, ""), _source({"source": "RFC 9438; Ha, Rhee and Xu 2008"}, "")
    ('Demers et al. 1989', 'RFC 9438')
    """
    if kind == "short-names":
        return str(entry["kind"])
    if kind in MORE:
        return str(MORE[kind].load().short_source(entry))
    first = re.split(r"; | \(|, section|, figure|, chapter|, scenario", entry["source"])[0]
    found = re.match(r"(.*?) ((?:19|20)\d\d)\b", first)
    return f"{authors(found[1])} {found[2]}" if found else first


def authors(text: str) -> str:
    """The authors, or of three and more the first."""
    # Initials do not help to find a paper.
    several = re.split(r", and |, | and ", text)
    return text if len(several) < 3 else f"{several[0]} et al."


def _line(text: str) -> str:
    return " ".join(str(text).split())
