"""The tables of `headgate compare`."""

from __future__ import annotations

from typing import Any

from rich.markup import escape

from ...compare import Compared
from ...plots.units import scale_of
from ...results import digits
from ..terminal import console
from .fit import Column, names_of, print_fitted

#: More rows than this are not printed.
MOST = 100


def print_compared(found: Compared, wide: bool = False) -> None:
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
    rows = [found.entries[i : i + len(values)] for i in range(0, len(found.entries), len(values))]
    shown = rows[:MOST]
    columns = [Column(n, text=True, cells=[text(row[0].where[n]) for row in shown]) for n in others]
    for i, value in enumerate(values):
        means = [row[i].mean for row in shown]
        cells = [_mean(m.mean * factor, m.half_at(1 - found.alpha) * factor) for m in means]
        columns.append(Column(f"{found.by} {text(value)}", cells=cells))
    counts = [sorted({e.mean.n for e in row}) for row in shown]
    columns.append(Column("runs", 1, cells=[f"{n[0]}" if len(n) == 1 else f"{n[0]}-{n[-1]}" for n in counts]))
    left = print_fitted("", columns, wide)
    differences = found.differences[:MOST]
    columns = [Column(n, text=True, cells=[text(d.where[n]) for d in differences]) for n in others]
    columns += [
        Column(found.by, text=True, cells=[text(d.b) for d in differences]),
        Column("against", text=True, cells=[text(d.a) for d in differences]),
        Column("difference", cells=[signed(d.found.difference * factor) for d in differences]),
        Column(
            f"{confidence} interval",
            cells=[f"{signed(d.found.low * factor)} to {signed(d.found.high * factor)}" for d in differences],
        ),
        Column("relative", 2, cells=[_relative(d.found) for d in differences]),
        Column("pairs", 3, cells=[str(d.found.n) for d in differences]),
        Column("p", 1, cells=[p_text(d.p) for d in differences]),
        Column("", text=True, cells=[d.verdict for d in differences]),
    ]
    left += print_fitted("differences, replication by replication", columns, wide)
    out.print()
    if max(len(rows), len(found.differences)) > MOST:
        out.print(f"[dim]only {MOST} rows are shown; --json has them all, --where and --pool make them fewer[/]")
    if left:
        out.print(f"columns left out: {names_of(left)}; --wide shows them")
    for sentence in found.sentences():
        out.print(escape(sentence), soft_wrap=True)
    for note in found.notes:
        out.print(f"[bold]note:[/] {escape(note)}", soft_wrap=True)


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


def _relative(c: Any) -> str:
    return "-" if c.a == 0 else f"{signed(100 * c.relative, 3)} %"


def _mean(mean: float, half: float) -> str:
    return f"{digits(mean)} ± {digits(half, 2)}" if half == half else digits(mean)
