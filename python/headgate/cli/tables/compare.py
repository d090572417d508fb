"""The tables of `headgate compare`."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from ...compare import Compared
from ...plots.units import scale_of
from ...results import digits
from ..terminal import console

#: More rows than this are not printed.
MOST = 100


def print_compared(found: Compared) -> None:
    """The comparison in the terminal."""
    out = console()
    factor, unit = scale_of(found.metric.unit, [abs(e.mean.mean) for e in found.entries])
    confidence = f"{100 * (1 - found.alpha):g} %"
    what = f"{found.what}{f' ({unit})' if unit else ''}"
    others = list(found.entries[0].where)
    pooled = f"; each replication's mean over {', '.join(found.pooled)}" if found.pooled else ""
    fixed = f"; {', '.join(f'{k} = {text(v)}' for k, v in found.fixed.items())}" if found.fixed else ""
    values = list(dict.fromkeys(e.value for e in found.entries))
    out.print(
        f"[bold]{escape(what)}[/]: mean ± half of its {confidence} interval{escape(pooled + fixed)}", soft_wrap=True
    )
    table = Table()
    for name in others:
        table.add_column(escape(name))
    for value in values:
        table.add_column(escape(f"{found.by} {text(value)}"), justify="right")
    table.add_column("runs", justify="right")
    rows = [found.entries[i : i + len(values)] for i in range(0, len(found.entries), len(values))]
    for row in rows[:MOST]:
        cells = [_mean(e.mean.mean * factor, e.mean.half_at(1 - found.alpha) * factor) for e in row]
        runs = sorted({e.mean.n for e in row})
        table.add_row(
            *(escape(text(x)) for x in row[0].where.values()),
            *cells,
            f"{runs[0]}" if len(runs) == 1 else f"{runs[0]}-{runs[-1]}",
        )
    out.print(table)
    out.print("[bold]differences, replication by replication[/]")
    table = Table()
    for name in (*others, found.by, "against"):
        table.add_column(escape(name))
    for name in ("difference", f"{confidence} interval", "relative", "pairs", "p"):
        table.add_column(name, justify="right")
    table.add_column("")
    for d in found.differences[:MOST]:
        c = d.found
        relative = "-" if c.a == 0 else f"{signed(100 * c.relative, 3)} %"
        table.add_row(
            *(escape(text(x)) for x in d.where.values()),
            escape(text(d.b)),
            escape(text(d.a)),
            signed(c.difference * factor),
            f"{signed(c.low * factor)} to {signed(c.high * factor)}",
            relative,
            str(c.n),
            p_text(d.p),
            f"[bold]{d.verdict}[/]" if d.significant else f"[dim]{d.verdict}[/]",
        )
    out.print(table)
    if max(len(rows), len(found.differences)) > MOST:
        out.print(f"[dim]only {MOST} rows are shown; --json has them all, --where and --pool make them fewer[/]")
    for sentence in found.sentences():
        out.print(escape(sentence), soft_wrap=True)
    for note in found.notes:
        out.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def text(value: Any) -> str:
    """A point of an axis."""
    return digits(value) if isinstance(value, float) else str(value)


def signed(value: float, significant: int = 4) -> str:
    """A number with its sign.

    >>> signed(0.01234567), signed(-3.0), signed(0.0), signed(float("nan"))
    ('+0.01235', '-3', '0', '-')
    """
    return f"+{digits(value, significant)}" if value > 0 else digits(value, significant) if value else "0"


def p_text(p: float) -> str:
    """A p-value.

    >>> p_text(0.03111), p_text(1e-7), p_text(1.0), p_text(float("nan"))
    ('0.031', '< 0.0001', '1', '-')
    """
    return "-" if p != p else "< 0.0001" if p < 1e-4 else f"{p:.2g}"


def _mean(mean: float, half: float) -> str:
    return f"{digits(mean)} ± {digits(half, 2)}" if half == half else digits(mean)
