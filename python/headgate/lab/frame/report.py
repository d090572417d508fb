"""The report of a judge: the answer in a sentence, what failed, how to see it, and what the page has beside.

All judges have this one form. A judge makes a `JudgeReport` of what it found; `lines` is what a terminal shows of it, `document` what
`--json` prints, `code` the exit code, and `page.write` writes the page.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ... import __version__
from ...base.counts import counted

#: Lines of a terminal that a report takes, but for tables that were asked for.
SCREEN = 24

#: Spaces between two columns.
GAP = 2


@dataclass(frozen=True)
class FailedLine:
    """Something that failed.

    Attributes:
        name: what was looked at, and where.
        value: what was found, with its unit.
        bound: what was expected, with its unit.
        origin: where the line comes from: `document`, `derived`, `practice` or `ours`; empty of a run that failed.
        clause: the document, and what it says.
        see: the command that shows it.
        said: the whole as a sentence, where the parts of it make none.
        detail: lines below it, such as those of a traceback.
        anchor: of the part of the page that has the rest.
    """

    name: str
    value: str
    bound: str = ""
    origin: str = ""
    clause: str = ""
    see: str = ""
    said: str = ""
    detail: tuple[str, ...] = ()
    anchor: str = ""

    def text(self) -> str:
        """The line in words."""
        if self.said:
            return self.said
        source = textwrap.shorten(", ".join(filter(None, (self.origin, self.clause))), 70, placeholder=" ...")
        expected = f"; expected {self.bound}" if self.bound else ""
        return f"{self.name} is {self.value}{expected}{f' ({source})' if source else ''}"


@dataclass(frozen=True)
class Mark:
    """A part of a table's cell on the page: a text with a class of the style, a link, and what is shown beside the pointer."""

    text: str
    kind: str = ""
    href: str = ""
    tip: str = ""

    def __str__(self) -> str:
        return self.text


#: A cell of a table: a text, or several marks beside each other.
TableCell = str | Mark | Sequence[Mark]


@dataclass(frozen=True)
class ReportTable:
    """A table.

    Attributes:
        title: above it.
        columns: headings, with units.
        rows: as many cells in each.
        words: the columns that hold words; others are numbers, at the right.
        notes: sentences below it.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    words: Sequence[int] = (0,)
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class ReportFigure:
    """A figure of the page: an SVG element, or the path of a file from the page; the text is for those who do not see it."""

    caption: str
    svg: str = ""
    file: str = ""
    text: str = ""


@dataclass(frozen=True)
class ReportPart:
    """A part of the page: under a heading of its level, or folded under its title."""

    title: str
    text: Sequence[str] = ()
    tables: Sequence[ReportTable] = ()
    figures: Sequence[ReportFigure] = ()
    anchor: str = ""
    level: int = 2
    folded: bool = False


@dataclass(frozen=True)
class JudgeReport:
    """What a judge has to say.

    Attributes:
        judge: the command.
        subject: who was judged.
        sentence: the answer.
        notes: sentences that belong to it.
        failed: what failed; the exit code is 1 if there is something.
        beside: what did not fail and should be seen, under its heading.
        see: commands, each with what it shows.
        tables: those that a terminal has room for come there too; `asked` of them are printed in any case.
        asked: how many of the tables the user asked for.
        parts: the rest of the page.
        key: what is judged, where its name does not say it, such as one with its parameters.
    """

    judge: str
    subject: str
    sentence: str
    notes: Sequence[str] = ()
    failed: Sequence[FailedLine] = ()
    beside: tuple[str, Sequence[FailedLine]] = ("", ())
    see: Sequence[tuple[str, str]] = ()
    tables: Sequence[ReportTable] = ()
    asked: int = 0
    parts: Sequence[ReportPart] = ()
    key: str = ""

    @property
    def title(self) -> str:
        """Of the page."""
        return f"{self.judge.capitalize()}: {self.subject}"


def code(report: JudgeReport) -> int:
    """The exit code: 1 if something failed. What is wrong in the input is an error, with 2."""
    return int(bool(report.failed))


def document(report: JudgeReport, data: dict[str, Any]) -> dict[str, Any]:
    """What `--json` prints: what all judges say, and the data of this one."""
    return {
        "schema": f"headgate.{report.judge}/1",
        "version": __version__,
        "subject": report.subject,
        "sentence": report.sentence,
        "failed": in_json(report.failed),
        **data,
    }


def in_json(found: Sequence[FailedLine]) -> list[dict[str, str]]:
    """What failed as JSON data."""
    keys = ("name", "value", "bound", "origin", "clause", "see")
    return [{key: getattr(line, key) for key in keys} for line in found]


def lines(report: JudgeReport, page: str, rest: str, width: int = 80) -> list[tuple[str, str]]:
    """What a terminal shows: lines, each with its style. First the answer, then what failed, how to see it, and tables that fit.

    Args:
        report: what is said.
        page: the path of the page, if there is one.
        rest: the command that shows everything, where there is no page.
        width: of the terminal.
    """
    head = [("bold", row) for row in _wrapped(report.sentence, width)]
    head += [("", row) for note in report.notes for row in _wrapped(note, width)]
    foot = [row for what, command in report.see for row in _shown(what, command, width)]
    foot += [("", f"page: {page}")] if page else _shown("everything, as a page", rest, width)
    where = "the page" if page else "the command below"
    # Two empty lines, the command for the first, and a heading with a line below it of what is beside.
    room = SCREEN - len(head) - len(foot) - 4 - 2 * bool(report.beside[1])
    below: list[tuple[str, str]] = []
    for style, heading, found in (("bold red", "failed", report.failed), ("bold", *report.beside)):
        if found:
            one = found is report.failed or not report.failed
            below += [(style, heading), *_listed(found, room - 1, width, where, one)]
            room = room + 2 - len(below)
    if report.failed and report.failed[0].see and not any("headgate " in row for _, row in below):
        foot = [*_shown("the first of them", report.failed[0].see, width), *foot]
    gap = [("", "")] if below else []
    out = [*head, *gap, *below, *gap, *foot]
    left = 0
    for number, table in enumerate(report.tables):
        rows = ["", *table_lines(table, width)]
        if number < report.asked or len(out) + len(rows) <= SCREEN:
            out += [("", row) for row in rows]
        else:
            left += 1
    if left:
        out.append(("", f"and {counted(left, 'table')} on the page"))
    return out


def _listed(found: Sequence[FailedLine], room: int, width: int, where: str, one: bool) -> list[tuple[str, str]]:
    """What failed: with the commands where there is room, or alone; what has no room is counted, but for the first if one is wanted."""
    bare = [[("", row) for row in _wrapped(line.text(), width, "  ")] for line in found]
    for rows, line in zip(bare, found, strict=True):
        rows += [("", f"      {text}") for text in line.detail]
    # One command may show several that stand below each other.
    after = [line.see for line in found[1:]] + [""]
    commands = ["" if line.see == other else line.see for line, other in zip(found, after, strict=True)]
    whole = [[*rows, *_shown("", see, width, "      ")] for rows, see in zip(bare, commands, strict=True)]
    for each in (whole, bare):
        if sum(map(len, each)) <= room:
            return [row for rows in each for row in rows]
    out: list[tuple[str, str]] = []
    for number, rows in enumerate(bare):
        if len(out) + len(rows) >= room and (number or not one):
            return [*out, ("", f"  {f'and {len(bare) - number} more' if number else len(bare)}: {where} has all")]
        out += rows
    return out


def _shown(what: str, command: str, width: int, indent: str = "") -> list[tuple[str, str]]:
    """A command after what it shows: in a line of its own where both do not fit, and over several lines that a shell reads as one."""
    if not command:
        return []
    text = f"{indent}{what}: {command}" if what else indent + command
    if len(text) <= width:
        return [("", text)]
    rows = [f"{indent}{what}:"] if what else []
    row = indent + "  " * bool(what)
    for word in map(shlex.quote, shlex.split(command)):
        if len(row) + len(word) + 2 > width and row.strip():
            rows.append(f"{row.rstrip()} \\")
            row = indent + "    "
        row += word + " "
    return [("", line) for line in (*rows, row.rstrip())]


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return textwrap.wrap(
        text, width, initial_indent=indent, subsequent_indent=2 * indent, break_long_words=False, break_on_hyphens=False
    )


def table_lines(table: ReportTable, width: int = 80) -> list[str]:
    r"""A table as text; where its columns do not fit, the rest of them stands below beside the first again.

    >>> print("\n".join(table_lines(ReportTable("Rates", ["flow", "Mbit/s", "ms"], [["a", "1.5", "20"], ["b", "10", "-"]]), 14)))
    Rates
    flow  Mbit/s
    a        1.5
    b         10
    <BLANKLINE>
    flow  ms
    a     20
    b      -
    """
    columns = [
        [name, *(_cell(row[number]) for row in table.rows)] for number, name in enumerate(map(str, table.columns))
    ]
    widths = [max(map(len, cells)) for cells in columns]
    out, left = list(_wrapped(table.title, width)), list(range(1, len(columns)))
    while left or len(out) <= 1:
        part = [0]
        while left and (len(part) == 1 or sum(GAP + widths[n] for n in (*part, left[0])) - GAP <= width):
            part.append(left.pop(0))
        for number in range(len(table.rows) + 1):
            texts = (f"{columns[n][number]:{'<' if n in table.words else '>'}{widths[n]}}" for n in part)
            out.append((" " * GAP).join(texts).rstrip())
        if not left:
            break
        out.append("")
    return [*out, *(row for note in table.notes for row in _wrapped(note, width))]


def _cell(cell: TableCell) -> str:
    return cell if isinstance(cell, str) else str(cell) if isinstance(cell, Mark) else "".join(map(str, cell))
