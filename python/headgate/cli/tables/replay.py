"""The tables of `headgate replay`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from ...columns import columns, shown
from ...replay import Replay
from ...replay.result import GATHERED
from ...results import digits
from ..terminal import console
from .run import MOST

#: Columns of drops and of delays.
DROPS, DELAYS = (tuple(GATHERED[key].values()) for key in ("drops", "delay_s"))


def print_replay(result: Replay) -> None:
    """The tables in the terminal: the queues side by side, then the flows of each."""
    out, got = console(), result.to_dict(0)
    trace = got["trace"]
    flows = trace["flows"]
    out.print(
        f"[bold]{escape(trace['source'])}[/]  {trace['packets']} packets of {flows} flow{'s' * (flows != 1)}"
        f"  at {got['rate']}"
    )
    if trace["skipped"]:
        out.print("skipped: " + ", ".join(f"{n} {k.replace('_', ' ')}" for k, n in trace["skipped"].items()))
    out.print(
        "[dim]delay: from arrival to start of transmission; throughput over the span from first arrival to last departure[/]"
    )
    queues = list(result.summary.rows())
    _print(
        "queues",
        "queue",
        ("sent", "throughput_bps", "utilisation", *DROPS, "marks", *DELAYS, "jain_of_max_min", "jain"),
        queues,
    )
    for queue in result.queues:
        rows, title = result.largest(queue, MOST), f"flows under {escape(queue)}"
        _print(title, "flow", ("packets", "throughput_bps", *DROPS, "marks", *DELAYS), rows)
    if flows > MOST:
        out.print(f"[dim]the {MOST} largest flows; --json has the other {flows - MOST}[/]")


#: Headings of columns that are called otherwise than their stem.
HEADINGS = {
    "throughput_bps": "throughput {unit}",
    "utilisation": "utilisation %",
    **{name: f"drops {reason}" for reason, name in GATHERED["drops"].items()},
    **{name: "delay {unit} mean" if kind == "mean" else kind for kind, name in GATHERED["delay_s"].items()},
    "jain_of_max_min": "Jain of max-min",
    "jain": "Jain",
}


def _print(title: str, key: str, names: Sequence[str], rows: list[dict[str, Any]]) -> None:
    """A table of these columns; of the reasons of drops, those that occur, or the first if none does."""
    known = columns("replay-summary" if key == "queue" else "replay-flows")
    some = [name for name in DROPS if any(row[name] for row in rows)] or DROPS[:1]
    table = Table(title=title, title_justify="left")
    table.add_column(key)
    cells: list[list[str]] = [[escape(row[key])] for row in rows]
    for name in names:
        if name in DROPS and name not in some:
            continue
        scale, unit = (100.0, "%") if name == "utilisation" else shown(known[name].unit)
        table.add_column(HEADINGS.get(name, name).format(unit=unit), justify="right")
        for line, row in zip(cells, rows, strict=True):
            value = row[name]
            line.append(digits(scale * value) if isinstance(value, float) else str(value))
    for line in cells:
        table.add_row(*line)
    console().print(table)
