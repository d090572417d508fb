"""The tables of `headgate contract`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from ...base.counts import counted
from ...cli.terminal import console
from .places import DEEP, FROM

if TYPE_CHECKING:
    from . import Contract
    from .result import DelayPoint


def print_contract(found: Contract) -> None:
    """Rate by delay, rate by loss, the exponent beside theory's and a fixed window's, and the delay that starves."""
    out = console()
    out.print(f"[bold]{escape(found.control)}[/]", highlight=False)
    rows = Table(box=None, pad_edge=False)
    for column in ("flow's rate", "alone", "5 to 95 %", "two, from below", "two, from above"):
        rows.add_column(column, justify="right")
    out.print("wait in the queue, ms", highlight=False)
    of = {(p.flows, p.line / p.flows, p.before): p for p in found.delays if p.buffer == DEEP}
    for rate in sorted({rate for _, rate, _ in of}):
        alone = of[1, rate, 1.0]
        two = [_wait(of[2, rate, before]) for before in FROM]
        rows.add_row(f"{rate / 1e6:g} Mbit/s", _wait(alone), f"{_ms(alone.p5)} to {_ms(alone.p95)}", *two)
    out.print(rows)
    drifting = [p.seconds for p in found.delays if not p.settled]
    if drifting:
        out.print(f"drifts: not settled after {max(drifting):g} s", highlight=False)
    if found.fills:
        out.print("It fills a buffer of any depth: its delay is no signal.", highlight=False)
    elif not math.isnan(found.delay_slope):
        out.print(
            f"exponent of two flows' wait in their rate {found.delay_slope:.2f} (-1: packets, 0: time)",
            highlight=False,
        )
    rows = Table(box=None, pad_edge=False)
    rows.add_column("loss rate", justify="right")
    rows.add_column("goodput, Mbit/s", justify="right")
    rows.add_column("counted")
    for one in found.losses:
        mean = sum(one.goodput) / len(one.goodput) / 1e6
        rows.add_row(f"{one.loss:g}", f"{mean:.2f}", "yes" if one.counts else "")
    out.print(rows)
    slope, half = found.slope
    text = "too few loss rates for an exponent" if math.isnan(slope) else f"exponent {slope:.3f}"
    text += "" if math.isnan(half) else f" ± {half:.3f}"
    if found.law is not None:
        word = {True: "holds", False: "does not hold", None: "cannot be judged"}[found.keeps_law]
        text += f"; theory {found.law.exponent:g} ({found.law.source}) {word}"
    out.print(f"{text}; a fixed window {found.null_slope:.3f}", highlight=False)
    rows = Table(box=None, pad_edge=False)
    rows.add_column("delay of one flow, ms", justify="right")
    rows.add_column("goodput of the other over its own", justify="right")
    for delay, ratio in ((0.0, found.without), *found.ratios):
        rows.add_row(f"{1e3 * delay:g}", f"{'drifts ' if delay in found.drifting else ''}{ratio:.2g}")
    out.print(rows)
    predicted = f"none ({found.reason})" if found.predicted is None else f"{1e3 * found.predicted:.1f} ms"
    if found.predicted is not None and not found.rests:
        predicted += " (from waits that drift)"
    seen = "none" if found.seen is None else f"{1e3 * found.seen[0]:g} to {1e3 * found.seen[1]:g} ms"
    out.print(
        f"starved ({found.ratio:g} times) from: predicted {predicted}, seen {seen}: {found.verdict}", highlight=False
    )
    out.print(f"{counted(found.runs, 'run')}", highlight=False)


def _wait(point: DelayPoint) -> str:
    """The mean wait, and whether it still drifts."""
    return f"{'' if point.settled else 'drifts '}{_ms(point.mean)}"


def _ms(seconds: float) -> str:
    return "-" if math.isnan(seconds) else f"{1e3 * seconds:.1f}"
