"""A reproduction in the terminal: paper against ours, side by side, with the spread and a verdict for every number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..results import digits
from ..stats import Mean
from .model import PAPERS_OWN, Published
from .runner import ItemResult, Reproduction
from .study import Section
from .verdict import Number

_STYLE = {"match": "green", "miss": "red", "not-reproduced": "yellow"}


def paper_text(number: Published) -> str:
    """A number with its deviation, and its mark where it is not plainly printed in the paper."""
    if number.value is None:
        return "-"
    text = f"{number.value:g}" if number.rounding == 0.5 else f"{number.value:.{_decimals(number.rounding)}f}"
    if number.stddev is not None:
        text += (
            f" ± {number.stddev:.{_decimals(number.rounding)}f}" if number.rounding < 0.5 else f" ± {number.stddev:g}"
        )
    # What is not the paper's own stands under `published_by`, which says so.
    return text if number.mark == "STATED" or number.mark not in PAPERS_OWN else f"{text} [{number.mark}]"


def published_by(numbers: list[Number]) -> str:
    """Whose numbers ours stand beside: the paper's, or predictions of our own where the paper's are lost."""
    return "paper" if any(n.published.mark in PAPERS_OWN for n in numbers) else "predicted"


def _decimals(rounding: float) -> int:
    return max(0, round(-math.log10(2 * rounding))) if rounding > 0 else 3


def ours_text(value: Mean) -> str:
    """The base run: mean and standard deviation of the interval means, or that there was one interval only."""
    if value.n == 0:
        return "-"
    return f"{digits(value.mean)} ± {digits(value.std)}" if value.n > 1 else f"{digits(value.mean)} (1 int.)"


def seeds_text(number: Number) -> str:
    """Mean over the seeds with its 95 % Student half width, and the extremes with the base run."""
    if number.seeds.n == 0:
        return "-"
    half = number.seeds.half
    return f"{digits(number.seeds.mean)} ± {digits(half)} [{digits(number.low)}, {digits(number.high)}]"


def tables(result: ItemResult) -> Iterator[tuple[str, str, str, list[Number]]]:
    """The numbers grouped as (table, metric, unit, numbers)."""

    def key(n: Number) -> tuple[str, str, str]:
        return n.published.table, n.published.metric, n.published.unit

    order = list(dict.fromkeys(key(n) for n in result.numbers))
    for (table, metric, unit), numbers in groupby(sorted(result.numbers, key=lambda n: order.index(key(n))), key):
        yield table, metric, unit, list(numbers)


def print_reproduction(reproduction: Reproduction, console: Console, details: bool = False) -> None:
    """Prints every table and every claim; with `details` a line per number that says how it was tested."""
    paper = reproduction.paper
    console.print(f"[bold]{escape(paper.title)}[/bold]\n{escape(paper.authors)}, {escape(paper.reference)}")
    console.print(
        "[dim]ours: all sources start at once, ± standard deviation of the interval means where there are several; "
        f"range: lowest and highest of that run and {reproduction.seeds} with random start phases; "
        "✓ match, ✗ miss, · not tested[/]"
    )
    for result in reproduction.items:
        _print_item(result, console, details)
    c = reproduction.counts()
    console.print()
    if sum(c.values()):
        console.print(
            f"numbers: {c['match']} match, {c['miss']} miss, {c['not-reproduced']} not reproduced or not tested"
        )
    for what, held in reproduction.held().items():
        console.print(
            f"{what}: {held.count(True)} hold, {held.count(False)} do not hold, {held.count(None)} not decided"
        )


def _print_item(result: ItemResult, console: Console, details: bool) -> None:
    item = result.item
    console.print(f"\n[bold]{escape(item.name)}: {escape(item.title)}[/bold]")
    if item.note:
        console.print(f"[dim]{escape(item.note)}[/dim]")
    for name, metric, unit, numbers in tables(result):
        title = escape(f"{name}: {metric.replace('_', ' ')} ({unit})")
        console.print(_details(title, numbers) if details else _side_by_side(title, numbers))
    for section in result.study.sections if result.study is not None else ():
        _print_section(section, console)
    if result.findings:
        _print_claims(result, console)


def _print_section(section: Section, console: Console) -> None:
    title = f"{escape(section.title)}{' [yellow](measured, varies)[/]' if section.measured else ''}"
    table = Table(title=title, title_justify="left")
    for heading in section.headings:
        table.add_column(escape(heading), justify="right" if section.is_numeric(heading) else "left")
    for row in section.rows:
        table.add_row(*(escape(cell) for cell in row))
    console.print(table)
    if section.note:
        console.print(f"[dim]{escape(section.note)}[/]")


def _side_by_side(title: str, numbers: list[Number]) -> Table:
    """A column per source; of each pair a line of the paper's numbers, one of ours, and one of the range over the runs."""
    sources = list(dict.fromkeys(n.published.source for n in numbers))
    table = Table(title=title, title_justify="left")
    table.add_column("pair", no_wrap=True)
    table.add_column("", no_wrap=True)
    for source in sources:
        table.add_column(source, justify="right")
    for row, group in groupby(numbers, lambda n: n.published.row):
        of = {n.published.source: n for n in group}
        present = [of.get(s) for s in sources]
        table.add_section()
        theirs = ["" if n is None else escape(paper_text(n.published)) for n in present]
        whose = published_by(numbers)
        if whose == "paper" or any(n is not None and n.published.value is not None for n in present):
            table.add_row(escape(row), whose, *theirs)
            row = ""
        if any(n is not None and n.ours.n for n in present):
            table.add_row(escape(row), "ours", *("" if n is None else _ours(n) for n in present))
            table.add_row("", "[dim]range[/]", *("" if n is None else f"[dim]{_range(n)}[/]" for n in present))
        else:
            table.add_row("", "[yellow]not reproduced[/]")
    return table


_SIGN = {"match": "✓", "miss": "✗", "not-reproduced": "·"}


def _ours(number: Number) -> str:
    v, p = number.ours, number.published
    text = f"{as_printed(v.mean, p, 1)} ± {as_printed(v.std, p)}" if v.n > 1 else as_printed(v.mean, p, 1)
    return f"{text}[{_STYLE[number.verdict]}]{_SIGN[number.verdict]}[/]"


def _range(number: Number) -> str:
    low, high = (as_printed(v, number.published) for v in (number.low, number.high))
    return "-" if math.isnan(number.low) else f"{low} to {high}"


def as_printed(value: float, published: Published, more: int = 0) -> str:
    """A value of ours with the decimals of the paper's number, and `more` of them; large ones have four digits."""
    if math.isnan(value) or abs(value) >= 100 or not 0 < published.rounding < 0.5:
        return digits(value)
    # Adding 0 makes -0.0 a plain 0.
    return f"{round(value, _decimals(published.rounding) + more) + 0.0:.{_decimals(published.rounding) + more}f}"


def _details(title: str, numbers: list[Number]) -> Table:
    table = Table(title=title, title_justify="left")
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
            ours_text(n.ours),
            escape(seeds_text(n)),
            f"[{_STYLE[n.verdict]}]{n.verdict}[/]",
            escape(n.why),
        )
        last = p.row
    return table


def _print_claims(result: ItemResult, console: Console) -> None:
    table = Table(title="claims", title_justify="left", show_lines=True)
    for heading in ("id", "claim", "verdict", "measured"):
        table.add_column(heading)
    for f in result.findings:
        verdict = {True: "[green]holds[/]", False: "[red]does not hold[/]", None: "[yellow]not reproduced[/]"}[f.holds]
        table.add_row(f.id, escape(f.text), verdict, escape(f.measured))
    console.print(table)
