"""What `headgate attack` found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from ...base.counts import counted
from ...cli.show import print_json
from ...cli.terminal import console
from .bounds import presets, read
from .genome import GENES
from .objective import OBJECTIVES
from .sentences import sentence

if TYPE_CHECKING:
    from . import AttackResult


def print_lists(as_json: bool) -> None:
    """The objectives, the presets, and the numbers of a genome."""
    if as_json:
        print_json(
            {
                "objectives": [
                    {"name": o.name, "judges": o.judges, "meaning": o.meaning, "limit": o.limit, "unit": o.unit}
                    for o in OBJECTIVES.values()
                ],
                "presets": {name: read(name).title for name in presets()},
                "genes": [{"name": g.name, "unit": g.kind, "meaning": g.meaning} for g in GENES.values()],
            }
        )
        return
    out = console()
    rows = Table(box=None, pad_edge=False)
    for column in ("objective", "of a", "limit", "meaning"):
        rows.add_column(column)
    for o in OBJECTIVES.values():
        rows.add_row(o.name, o.judges, f"{'below' if o.more else 'above'} {o.amount(o.limit)}", o.meaning)
    out.print(rows)
    out.print()
    rows = Table(box=None, pad_edge=False)
    rows.add_column("preset")
    rows.add_column("what")
    for name in presets():
        rows.add_row(name, escape(read(name).title))
    out.print(rows)
    out.print()
    rows = Table(box=None, pad_edge=False)
    rows.add_column("number")
    rows.add_column("meaning")
    for g in GENES.values():
        rows.add_row(g.name, g.meaning)
    rows.add_row("queue", "Discipline of the line.")
    rows.add_row("pattern", "How the delay varies: none, uniform, on-off, sawtooth, or worst (at free times).")
    out.print(rows)


def print_result(found: AttackResult, files: Sequence[Path]) -> None:
    """The sentences of the breaks, with what each reference gets there, and what the search took."""
    out = console()
    objective = found.objective
    sign = "below" if objective.more else "above"
    place = f"a break is {objective.name} {sign} {objective.amount(found.limit)}"
    place += f", and {found.margin:g} times worse than the best reference" if found.references else ""
    out.print(f"[bold]{escape(found.subject.name)}[/]: {place}", highlight=False)
    for number, finding in enumerate(found.findings, 1):
        out.print()
        out.print(f"[bold]{number}[/]  {escape(sentence(found.at, finding))}", highlight=False)
        beside = ", ".join(f"{name} {objective.amount(value)}" for name, value in finding.references.items())
        if beside:
            out.print(f"   in the same place: {escape(beside)}", highlight=False)
        if files:
            out.print(f"   {escape(str(files[number - 1]))}", highlight=False, soft_wrap=True)
    if not found.findings:
        out.print("No break was found: this says nothing of scenarios that were not tried.", highlight=False)
    out.print()
    rate = f"{3600 * found.candidates / found.cpu_s:,.0f} candidates a processor hour" if found.cpu_s else ""
    out.print(
        f"{counted(found.candidates, 'candidate', form=',')}, {counted(found.runs, 'run', form=',')}, "
        f"{found.cpu_s:.0f} s of processor time; {rate}",
        highlight=False,
    )
    if found.rejected:
        out.print(
            f"{counted(found.rejected, 'candidate')} failed with one seed and not with most others.", highlight=False
        )
