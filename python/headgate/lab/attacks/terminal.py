"""The lists of `headgate attack`."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from ...cli.show import print_json
from ...cli.terminal import console
from .bounds import presets, read
from .genome import GENES
from .objective import OBJECTIVES


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
