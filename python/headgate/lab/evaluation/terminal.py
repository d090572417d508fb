"""The scores of `headgate evaluate`."""

from __future__ import annotations

from typing import Any

from rich.markup import escape
from rich.table import Table

from ...base.counts import counted
from ...cli.terminal import console
from .score import WEIGHTS


def print_scores(found: dict[str, Any]) -> None:
    """The sum, the aspects, and a row for each case."""
    out = console()
    half = found["combined_score_half"]
    interval = "" if half is None else f" ± {half:.2f}"
    kind = "hidden" if found["hidden"] else "open"
    out.print(f"[bold]{escape(found['control'])}[/]: {found['combined_score']:.2f}{interval} of 100", highlight=False)
    beside = ", ".join(f"{name} {points:.2f}" for name, points in found["beside"].items())
    out.print(f"on the same runs: {beside}", highlight=False)
    rounds = counted(found["rounds"], "run")
    out.print(f"suite {escape(found['suite'])}, {kind}; {rounds} of each case", highlight=False)
    aspects = Table(box=None, pad_edge=False)
    aspects.add_column("aspect")
    aspects.add_column("score", justify="right")
    aspects.add_column("points of", justify="right")
    for aspect, weight in WEIGHTS.items():
        if aspect in found:
            aspects.add_row(aspect, f"{found[aspect]:.3f}", str(weight))
    out.print(aspects)
    names = [aspect for aspect in WEIGHTS if aspect in found]
    rows = Table(box=None, pad_edge=False)
    rows.add_column("case")
    for name in names:
        rows.add_column(name, justify="right")
    rows.add_column("Mbit/s", justify="right")
    rows.add_column("queue ms", justify="right")
    for case in found["cases"]:
        cells = [f"{case['scores'][name]:.3f}" if name in case["scores"] else "" for name in names]
        goodput, queueing = case["goodput_bps"], case["queueing_s"]
        cells += [
            "" if goodput is None else f"{goodput / 1e6:.2f}",
            "" if queueing is None else f"{queueing * 1e3:.1f}",
        ]
        rows.add_row(escape(case["name"]), *cells)
    out.print(rows)
    for case in found["cases"]:
        if case["fault"]:
            out.print(f"{escape(case['name'])}: {escape(case['fault'])}", highlight=False, soft_wrap=True)
