"""The tables of `headgate compare`."""

from __future__ import annotations

import math
from typing import Any

from rich.markup import escape

from ... import stats
from ...base.counts import counted
from ...base.units import scale_of
from ...comparison import Compared, Difference
from ...comparison.sentences import CORRECTED
from ...results.results import digits
from ..terminal import console
from .fit import Column, names_of, print_fitted
from .means import interval_text

#: More rows than this are not printed.
MOST = 100

#: Verdicts that are shorter in a table.
VERDICTS = {"no difference shown": "none shown"}


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
    out.print(f"[bold]{escape(what)}[/]", soft_wrap=True)
    spread = "" if all(e.mean.exact for e in found.entries) else f" ± half of its {confidence} interval"
    out.print(f"mean over the runs{spread}{escape(pooled + fixed)}", soft_wrap=True)
    rows = [found.entries[i : i + len(values)] for i in range(0, len(found.entries), len(values))]
    shown = rows[:MOST]
    columns = [Column(n, text=True, cells=[text(row[0].where[n]) for row in shown]) for n in others]
    for i, value in enumerate(values):
        means = [row[i].mean for row in shown]
        cells = [interval_text(m, factor, 1 - found.alpha) for m in means]
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
        Column("interval", cells=[_interval(d, factor) for d in differences]),
        Column("relative", 2, cells=[stats.signed_change(d.found.a, d.found.b) for d in differences]),
        Column("pairs", 3, cells=[str(d.found.n) for d in differences]),
        Column("p", 1, cells=[p_text(d.p) for d in differences]),
        Column("", text=True, cells=[VERDICTS.get(d.verdict, d.verdict) for d in differences]),
    ]
    left += print_fitted(f"differences{f' ({unit})' if unit else ''}, replication by replication", columns, wide)
    tested = sum(not d.exact for d in found.differences)
    if tested:
        out.print(escape(_interval_caption(found, tested)))
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


def _interval(d: Difference, factor: float) -> str:
    """The corrected interval, which agrees with the verdict beside it."""
    if math.isnan(d.low):
        return "exact" if d.exact else "none"
    return ends_text(d.low * factor, d.high * factor)


def ends_text(low: float, high: float) -> str:
    """Both ends of an interval, with two digits of half its width, or more where an end would read as 0.

    >>> ends_text(-3.75412, -3.67138), ends_text(-0.0003166, 0.003657), ends_text(0.0000213, 0.004), ends_text(1234.5, 2345.6)
    ('-3.754 to -3.671', '-0.0003 to +0.0037', '+0.00002 to +0.00400', '+1234 to +2346')
    """
    half = (high - low) / 2
    least = min((abs(end) for end in (low, high) if end), default=0.0)
    if not (half > 0 and least > 0):
        return f"{signed(low)} to {signed(high)}"
    decimals = max(1 - math.floor(math.log10(half)), -math.floor(math.log10(least)) if least < half else 0, 0)
    return " to ".join(f"{end:+.{min(decimals, 12)}f}" if end else "0" for end in (low, high))


def _interval_caption(found: Compared, tested: int) -> str:
    """How the intervals and the p-values of differences are corrected."""
    level = f"{100 * (1 - found.alpha):g} %"
    if tested == 1:
        return f"interval: {level}"
    if found.correction == "none":
        return (
            f"interval and p: {level} for each difference by itself, not corrected for {counted(tested, 'comparison')}"
        )
    means = f"{level} for all together"
    if found.correction == "bh":
        means = f"at most {100 * found.alpha:g} % of those shown are wrong in the mean"
    return f"interval and p: {CORRECTED[found.correction]} for {counted(tested, 'comparison')}, {means}"
