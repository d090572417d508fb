"""A reproduction in the terminal: paper against ours, side by side, with the spread and a verdict for every number."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ..analysis import Mean
from ..results import digits
from .model import PAPERS_OWN, Published
from .runner import ItemResult, Reproduction
from .verdict import Number

_STYLE = {"match": "green", "miss": "red", "not-reproduced": "yellow"}


def paper_text(number: Published) -> str:
    """The paper's number with its deviation and its mark; a number that is not the paper's is shown with its mark only."""
    if number.value is None:
        return "-"
    text = f"{number.value:g}" if number.rounding == 0.5 else f"{number.value:.{_decimals(number.rounding)}f}"
    if number.stddev is not None:
        text += f" ± {number.stddev:g}"
    if number.mark == "STATED":
        return text
    return f"{text} [{number.mark}]" if number.mark in PAPERS_OWN else f"({number.mark} {text})"


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


def print_reproduction(reproduction: Reproduction, console: Console) -> None:
    """Prints every table and every claim."""
    paper = reproduction.paper
    console.print(f"[bold]{escape(paper.title)}[/bold]\n{escape(paper.authors)}, {escape(paper.reference)}")
    console.print(
        f"ours: base run, all sources start at 0, ± sd of interval means; seeds: {reproduction.seeds} runs with random start "
        "phases, mean ± 95 % (Student) \\[lowest, highest]"
    )
    for result in reproduction.items:
        _print_item(result, console)
    c = reproduction.counts()
    console.print(
        f"\nnumbers: {c['match']} match, {c['miss']} miss, {c['not-reproduced']} not reproduced or not tested"
    )
    held = [f.holds for r in reproduction.items for f in r.findings]
    console.print(
        f"claims: {held.count(True)} hold, {held.count(False)} do not hold, {held.count(None)} not reproduced",
        end="\n\n",
    )


def _print_item(result: ItemResult, console: Console) -> None:
    item = result.item
    console.print(f"\n[bold]{escape(item.name)}: {escape(item.title)}[/bold]")
    if item.note:
        console.print(f"[dim]{escape(item.note)}[/dim]")
    for name, metric, unit, numbers in tables(result):
        table = Table(title=escape(f"{name}: {metric.replace('_', ' ')} ({unit})"), title_justify="left")
        for heading in ("pair", "source"):
            table.add_column(heading)
        for heading in ("paper", "ours", "seeds"):
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
        console.print(table)
    if result.findings:
        _print_claims(result, console)


def _print_claims(result: ItemResult, console: Console) -> None:
    table = Table(title="claims", title_justify="left", show_lines=True)
    for heading in ("id", "claim", "verdict", "measured"):
        table.add_column(heading)
    for f in result.findings:
        verdict = {True: "[green]holds[/]", False: "[red]does not hold[/]", None: "[yellow]not reproduced[/]"}[f.holds]
        table.add_row(f.id, escape(f.text), verdict, escape(f.measured))
    console.print(table)
