"""What `headgate train` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .measuring import ControlMeasured
from .policy import LearnedPolicy

_COMPANY = {"alone": "alone", "twin": "with its like"}


def print_measured(policy: LearnedPolicy, rows: Sequence[ControlMeasured], file: Path, name: str, out: Console) -> None:
    """Prints how the policy does beside others, and how it is used."""
    if rows:
        table = Table(box=None, pad_edge=False)
        for heading in ("", "control", "share", "round trip", "loss", "fairness", "utility/s"):
            table.add_column(heading, justify="left" if heading in ("", "control") else "right")
        last = ""
        for row in rows:
            table.add_row(
                _COMPANY.get(row.company, f"beside {row.company}") if row.company != last else "",
                escape(row.control),
                f"{row.share:.2f}",
                f"{row.queueing:.2f}",
                f"{100 * row.loss:.2f} %",
                f"{row.fairness:.3f}" if row.company == "twin" else "",
                f"{row.utility:.2f}",
            )
            last = row.company
        out.print(table)
        out.print()
        out.print(
            f"Means over {rows[0].episodes} scenarios that were not learned from. share: of the max-min fair rate; "
            "round trip: over that without the time in the queue."
        )
    about = policy.about
    out.print(f"{about['generations']} generations; written to {escape(str(file))}:", soft_wrap=True)
    out.print(escape(f'  plugins = ["{file.name}"] and control = "{name}" in a scenario beside it'), soft_wrap=True)
