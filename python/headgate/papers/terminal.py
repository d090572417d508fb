"""A reproduction in the terminal: paper against ours, side by side, with the spread and a verdict for every number."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Protocol, TypeVar

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..results.results import digits
from .model import PRINTED, Paper, Published
from .reproduction import ItemResult, Reproduction
from .rows import Row
from .sentences import NULL_SAYS, base_text, best_starts, nulls_text, row_text, skill_text
from .skill import Skill
from .study import Section
from .verdict import Number, Verdict
from .widths import print_table


class Placed(Protocol):
    """A number with its place in a published table."""

    @property
    def published(self) -> Published:
        """The paper's number."""


P = TypeVar("P", bound=Placed)

_STYLE: dict[Verdict, str] = {
    "match": "green",
    "miss": "red",
    "some-run": "cyan",
    "undecided": "magenta",
    "not-reproduced": "magenta",
    "not-tested": "dim",
}
_SIGN: dict[Verdict, str] = {
    "match": "✓",
    "miss": "✗",
    "some-run": "~",
    "undecided": "?",
    "not-reproduced": "-",
    "not-tested": "·",
}

#: The unit of a number that is an order of growth.
ORDER = "order"

#: Whose a number is that the paper does not print, by its mark.
_WHOSE = {
    "EVALUATED": "evaluated",
    "EXTERNAL": "other copy",
    "MEASURED": "measured",
    "PROPOSED": "predicted",
    "RECALLED": "recalled",
}

#: The sign of a value of ours that stands in the rank of the paper's number among sources that are alike.
_RANKED = "§"

#: A match that the trivial model has as well.
_TRIVIAL = "○"


def paper_text(number: Published) -> str:
    """A number with its deviation, and its mark where it is not plainly printed in the paper."""
    text, mark = _value(number), "" if number.mark in ("STATED", "RECALLED", "PROPOSED") else number.mark
    return f"{text} [{mark}]" if mark else text


def _mark(number: Published) -> str:
    """The mark of a printed number; what the paper does not print has tables of its own, with its mark in their titles."""
    return number.mark if number.printed and number.mark != "STATED" else ""


def _value(number: Published) -> str:
    if number.value is None:
        return "-"
    if number.unit == ORDER:
        return order_text(number.value)
    text = f"{number.value:g}" if number.rounding == 0.5 else f"{number.value:.{_decimals(number.rounding)}f}"
    if number.stddev is not None:
        text += (
            f" ± {number.stddev:.{_decimals(number.rounding)}f}" if number.rounding < 0.5 else f" ± {number.stddev:g}"
        )
    return text


def title_of(numbers: Sequence[Placed]) -> str:
    """The title of a table of numbers of one measure."""
    p = numbers[0].published
    title = f"{p.table}: {p.metric.replace('_', ' ')}{f' ({p.unit})' if p.unit else ''}"
    marks = {n.published.mark for n in numbers}
    if marks == {"RECALLED"}:
        return f"{title}, RECALLED: from memory, the paper's are lost"
    (mark,) = marks if len(marks) == 1 else ("STATED",)
    return title if mark in PRINTED else f"{title} [{mark}]"


def order_text(value: float) -> str:
    """An order of growth, as `numbers.py` reads it.

    >>> [order_text(v) for v in (0.0, 1.0, 2.0)]
    ['O(1)', 'O(log)', 'O(n)']
    """
    return ("O(1)", "O(log)", "O(n)")[int(value)]


def published_by(numbers: Sequence[Placed]) -> str:
    """Whose numbers ours stand beside: the paper's, or where it prints none those of others."""
    marks = {n.published.mark for n in numbers}
    return "paper" if marks & set(PRINTED) else _WHOSE[min(marks)]


def _decimals(rounding: float) -> int:
    return max(0, round(-math.log10(2 * rounding))) if rounding > 0 else 3


def ours_text(number: Number) -> str:
    """The base run: the mean, and the standard deviation of the interval means where there are several.

    Where sources are alike it is what stands in the rank of the paper's number, with a sign.
    """
    value = number.ours
    if value.n == 0:
        return "-"
    if _is_ranked(number):
        return f"{digits(number.same_rank or 0.0)}{_RANKED}"
    if number.published.unit == ORDER:
        return order_text(value.mean)
    return f"{digits(value.mean)} ± {digits(value.std)}" if value.n > 1 else digits(value.mean)


def seeds_text(number: Number) -> str:
    """Mean over the seeds with its 95 % Student half width, and the extremes with the base run."""
    if number.spread.n == 0:
        return "-"
    half = number.spread.half
    return f"{digits(number.spread.mean)} ± {digits(half)} [{digits(number.low)}, {digits(number.high)}]"


def tables(numbers: Iterable[P]) -> Iterator[list[P]]:
    """The numbers grouped by table, metric and unit; those that the paper prints never stand with others."""

    def key(n: P) -> tuple[str, str, str, str]:
        p = n.published
        return p.table, p.metric, p.unit, "" if p.printed else p.mark

    every = list(numbers)
    order = list(dict.fromkeys(key(n) for n in every))
    for _, found in groupby(sorted(every, key=lambda n: order.index(key(n))), key):
        yield list(found)


def print_reproduction(reproduction: Reproduction, console: Console, details: bool = False) -> None:
    """Prints every table and every claim; with `details` a line per number that says how it was tested."""
    print_heading(reproduction.paper, console)
    for result in reproduction.items:
        print_item(result, console, details)
    print_summary(reproduction, console)


def print_heading(paper: Paper, console: Console) -> None:
    """Prints what stands above the tables: the paper, and what the columns mean."""
    console.print(f"[bold]{escape(paper.title)}[/bold]\n{escape(paper.authors)}, {escape(paper.reference)}")
    console.print(
        f"[dim]ours: {base_text(paper)}, ± standard deviation of the interval means where there are several; "
        f"{_RANKED} where sources are alike: ours of the same rank; "
        "range: lowest and highest of that run and those with random start phases; "
        "best: the start at which most of a row comes out; "
        f"✓ match, {_TRIVIAL} match that the trivial model has too, ✗ miss, ~ met in some run, ? undecided, · not tested[/]"
    )


def print_summary(reproduction: Reproduction, console: Console) -> None:
    """Prints what stands below the tables: counts, skill, claims."""
    console.print()
    print_counts(reproduction, console)
    for what, held in reproduction.held().items():
        console.print(
            f"{what}: {held.count(True)} hold, {held.count(False)} do not hold, {held.count(None)} not decided"
        )
    if text := nulls_text(reproduction.nulls):
        console.print(text)


def print_brief(reproduction: Reproduction, console: Console) -> None:
    """Prints the verdict in three lines: numbers met and missed, what simpler models would have met, and claims."""
    counts, skill = reproduction.counts(), reproduction.skill
    if of := sum(counts.values()):
        met, missed = counts["match"], counts["miss"]
        console.print(
            f"Of {of} numbers of the paper our runs match {met} and miss {missed}; {of - met - missed} are undecided."
        )
        console.print(
            f"A trivial model matches {skill.trivial}, a wrong control and queue {skill.wrong_pair}; {skill.only_ours} match ours alone."
        )
    else:
        console.print("The paper prints no numbers here.")
    held = [found for of_kind in reproduction.held().values() for found in of_kind]
    console.print(f"Of {len(held)} claims of the paper {held.count(True)} hold.")


def _print_skills(printed: Skill, others: Skill, of: str, console: Console) -> None:
    """Prints what the matches say, those of printed numbers and of others in lines of their own."""
    if printed.tested:
        console.print(f"skill{escape(of)}, of {skill_text(printed)}")
    if others.tested:
        console.print(f"skill{escape(of)}, numbers that the paper does not print, of {skill_text(others)}")


def print_counts(reproduction: Reproduction, console: Console) -> None:
    """Prints how many numbers have each verdict, and what the trivial model and a wrong pair would have matched."""
    for what, counts in (
        ("numbers that the paper prints", reproduction.counts()),
        ("numbers that it does not print", reproduction.counts_of_others()),
    ):
        if any(counts.values()):
            console.print(f"{what}: " + ", ".join(f"{n} {v.replace('-', ' ')}" for v, n in counts.items() if n))
    _print_skills(reproduction.skill, reproduction.others, "", console)
    rows = [row for item in reproduction.items for row in item.rows]
    if rows:
        console.print(f"rows that depend on the start: {sum(r.hits > 0 for r in rows)} of {len(rows)} come out whole")


def print_item(result: ItemResult, console: Console, details: bool) -> None:
    """Prints the tables and claims of one item."""
    item = result.item
    console.print(f"\n[bold]{escape(item.name)}: {escape(item.title)}[/bold]")
    if item.note:
        console.print(f"[dim]{escape(item.note)}[/dim]")
    for numbers in tables(result.numbers):
        print_table(_details(numbers) if details else _side_by_side(numbers, result.rows), console)
    if len(result.tables) > 1:
        for table, (printed, others) in result.tables.items():
            _print_skills(printed, others, f", {table}", console)
    _print_skills(result.skill, result.others, "", console)
    if result.rows:
        console.print("rows whole (every cell within a unit or 2 %), since the start decides:")
        for row in result.rows:
            console.print(f"  [{'green' if row.hits else 'red'}]{'✓' if row.hits else '✗'}[/] {escape(row_text(row))}")
    for section in result.study.sections if result.study is not None else ():
        _print_section(section, console)
    if result.findings:
        _print_claims(result, console)


def _print_section(section: Section, console: Console) -> None:
    title = f"{escape(section.title)}{' [magenta](measured, varies)[/]' if section.measured else ''}"
    table = Table(title=title, title_justify="left")
    for heading in section.headings:
        table.add_column(escape(heading), justify="right" if section.is_numeric(heading) else "left")
    for row in section.rows:
        table.add_row(*(escape(cell) for cell in row))
    print_table(table, console)
    if section.note:
        console.print(f"[dim]{escape(section.note)}[/]")


def _side_by_side(numbers: list[Number], rows: Sequence[Row]) -> Table:
    """A column per source; of each pair a line of the paper's numbers, one of ours, one of the range over the runs, and best starts."""
    sources = list(dict.fromkeys(n.published.source for n in numbers))
    marks = dict(zip(dict.fromkeys(m for n in numbers if (m := _mark(n.published))), "*†‡", strict=False))
    table = Table(
        title=escape(title_of(numbers)),
        title_justify="left",
        caption=", ".join(
            [
                *(f"{sign} {mark}" for mark, sign in marks.items()),
                *(
                    [f"{_RANKED} of the same rank among sources that are alike"]
                    if any(map(_is_ranked, numbers))
                    else []
                ),
            ]
        )
        or None,
        caption_justify="left",
    )
    table.add_column("pair", no_wrap=True)
    table.add_column("", no_wrap=True)
    for source in sources:
        table.add_column(source, justify="right")
    for row, found in groupby(numbers, lambda n: n.published.row):
        group = list(found)
        of = {n.published.source: n for n in group}
        present = [of.get(s) for s in sources]
        table.add_section()
        theirs = ["" if n is None else _value(n.published) + marks.get(_mark(n.published), "") for n in present]
        whose = published_by(numbers)
        if whose == "paper" or any(n is not None and n.published.value is not None for n in present):
            table.add_row(escape(row), whose, *theirs)
            row = ""
        if any(n is not None and n.ours.n for n in present):
            table.add_row(escape(row), "ours", *("" if n is None else _ours(n) for n in present))
            if any(n is not None and n.spread.n for n in present):
                table.add_row("", "[dim]range[/]", *("" if n is None else f"[dim]{_range(n)}[/]" for n in present))
            for start, values in best_starts(rows, numbers[0].published, group[0].published.row).items():
                cells = ("" if n is None else as_printed(values.get(n.published.source), n.published) for n in present)
                table.add_row(f"[dim]start {start}[/]", "best", *cells)
        else:
            table.add_row("", "[magenta]not reproduced[/]")
    return table


def _is_ranked(number: Number) -> bool:
    """Whether another source of ours has the rank of the paper's number, so that its value stands here."""
    return number.same_rank is not None and number.same_rank != number.ours.mean and number.judgement.tested


def _ours(number: Number) -> str:
    v, p = number.ours, number.published
    if _is_ranked(number):
        text = f"{as_printed(number.same_rank, p, 1)}{_RANKED}"
    else:
        text = f"{as_printed(v.mean, p, 1)} ± {as_printed(v.std, p)}" if v.n > 1 else as_printed(v.mean, p, 1)
    sign = _TRIVIAL if number.verdict == "match" and number.trivial_meets else _SIGN[number.verdict]
    return f"{text}[{_STYLE[number.verdict]}]{sign}[/]"


def _range(number: Number) -> str:
    low, high = (as_printed(v, number.published) for v in (number.low, number.high))
    return "-" if math.isnan(number.low) else f"{low} to {high}"


def as_printed(value: float | None, published: Published, more: int = 0) -> str:
    """A value of ours with the decimals of the paper's number, and `more` of them; large ones have four digits."""
    if value is None:
        return ""
    if published.unit == ORDER and not math.isnan(value):
        return order_text(value)
    if math.isnan(value) or abs(value) >= 100 or not 0 < published.rounding < 0.5:
        return digits(value)
    # Adding 0 makes -0.0 a plain 0.
    return f"{round(value, _decimals(published.rounding) + more) + 0.0:.{_decimals(published.rounding) + more}f}"


def _details(numbers: list[Number]) -> Table:
    table = Table(title=escape(title_of(numbers)), title_justify="left")
    for heading in ("pair", "source"):
        table.add_column(heading)
    for heading in (published_by(numbers), "ours", "seeds"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    table.add_column("tested by", style="dim")
    last = ""
    for n in numbers:
        p = n.published
        if p.row != last and last:
            table.add_section()
        table.add_row(
            escape(p.row) if p.row != last else "",
            p.source,
            escape(paper_text(p)),
            ours_text(n),
            escape(seeds_text(n)),
            f"[{_STYLE[n.verdict]}]{n.verdict}[/]",
            escape(n.why),
        )
        last = p.row
    return table


def _print_claims(result: ItemResult, console: Console) -> None:
    table = Table(title="claims", title_justify="left", show_lines=True)
    nulls = any(f.judged_by_nulls for f in result.findings)
    for heading in ("id", "claim", "verdict", "measured", *(("trivial", "wrong pair") if nulls else ())):
        table.add_column(heading)
    for f in result.findings:
        verdict = {True: "[green]holds[/]", False: "[red]does not hold[/]", None: "[magenta]not reproduced[/]"}[f.holds]
        others = (NULL_SAYS[f.trivial], NULL_SAYS[f.wrong_pair]) if nulls else ()
        table.add_row(f.id, escape(f.text), verdict, escape(f.measured), *others)
    print_table(table, console)
