"""Figures of a game: payoffs by mix, and equilibria by buffer and round trip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...base.errors import HeadgateError
from ...base.palette import BLUE, GRID, INK, VERMILION
from ...plots.canvas import Picture, blank
from ...plots.grids import Panel, grids
from .cells import GameCell
from .theory import EQUILIBRIUM, UNDECIDED

if TYPE_CHECKING:
    from .result import MixResult

#: Of each control: its colour, dashes and marker.
_LOOKS = ((BLUE, "-", "o"), (VERMILION, "--", "^"))

#: Panels beside one another, and inches of each.
_COLUMNS, _WIDTH, _HEIGHT = 3, 3.1, 2.9


def draw_curves(result: MixResult, cells: Sequence[GameCell] | None = None) -> Picture:
    """Payoffs of two controls by the number of flows under the second, with 95 % intervals, a panel for each cell.

    Equilibria have a filled square below the curves, and mixes that may be one a hollow one.

    Raises:
        HeadgateError: there are more than two controls.
        MissingExtraError: matplotlib is not installed.
    """
    _two(result)
    # A queue after another, so that buffers and round trips of one stand beside each other.
    queues = [cell.queue for cell in result.cells]
    chosen = sorted(result.cells if cells is None else cells, key=lambda cell: queues.index(cell.queue))
    wide = min(_COLUMNS, len(chosen))
    tall = -(-len(chosen) // wide)
    sheet = blank(wide * _WIDTH + 0.6, tall * _HEIGHT + 0.8)
    for number, cell in enumerate(chosen):
        axes = sheet.add_subplot(tall, wide, number + 1)
        _curves(axes, result, cell)
        if result.payoff.adds:
            axes.set_ylim(0, 1.1 * max(_most(result, c) for c in chosen))
        axes.set_title(f"{cell.queue}, {cell.rtt}, {cell.buffer}", loc="left", fontsize=9)
        if number % wide == 0:
            axes.set_ylabel(f"{result.payoff.what}\n({result.payoff.unit})", fontsize=9)
        if number + wide >= len(chosen):
            axes.set_xlabel(f"flows under {result.controls[1]}, of {result.flows}", fontsize=9)
    sheet.legend(
        handles=_handles(result), loc="outside lower center", ncols=5 if wide > 1 else 2, frameon=False, fontsize=8
    )
    return Picture(sheet)


def _most(result: MixResult, cell: GameCell) -> float:
    """The highest point of the curves of a cell, and of those intervals that are narrower than what they are about."""
    table, scale = result.table(cell), result.payoff.scale
    means = [table.payoff(mix, i).scaled(scale) for mix in table.payoffs for i in (0, 1) if mix[i]]
    known = [mean for mean in means if mean.n]
    return max([mean.mean + (mean.half if mean.half < mean.mean / 2 else 0.0) for mean in known], default=1.0)


def _handles(result: MixResult) -> list[Any]:
    """What the legend says."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=colour, ls=dash, marker=marker, ms=4, label=f"a flow under {control}")
        for control, (colour, dash, marker) in zip(result.controls, _LOOKS, strict=True)
    ]
    if result.payoff.adds:
        lines.append(Line2D([], [], color=INK, lw=0.8, ls=":", label="fair share"))
    squares = ((EQUILIBRIUM, INK), (UNDECIDED, "white"))
    return lines + [Line2D([], [], ls="", marker="s", ms=6, mfc=f, mec=INK, label=name) for name, f in squares]


def _curves(axes: Any, result: MixResult, cell: GameCell) -> None:
    table, scale = result.table(cell), result.payoff.scale
    for i, (colour, dash, marker) in enumerate(_LOOKS):
        points = [(mix[1], table.payoff(mix, i).scaled(scale)) for mix in table.payoffs if mix[i]]
        # Beside each other, so that intervals do not cover one another.
        x, y = [k + 0.12 * (i - 0.5) for k, _ in points], [mean.mean for _, mean in points]
        arms = [mean.half if math.isfinite(mean.half) else 0.0 for _, mean in points]
        axes.errorbar(x, y, arms, color=colour, ls=dash, marker=marker, ms=4, lw=1.2, capsize=2)
    if result.payoff.adds:
        axes.axhline(result.fair(cell) * scale, color=INK, lw=0.8, ls=":")
    for verdict, face in ((EQUILIBRIUM, INK), (UNDECIDED, "white")):
        at = [mix[1] for mix, found in table.verdicts.items() if found == verdict]
        if at:
            low = axes.get_xaxis_transform()
            axes.plot(at, [0.04] * len(at), ls="", marker="s", ms=6, mfc=face, mec=INK, transform=low)
    axes.set_xlim(-0.5, result.flows + 0.5)
    axes.grid(color=GRID, lw=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)


def draw_equilibria(result: MixResult) -> Picture:
    """The equilibria of two controls over buffers and round trips, a panel for each queue and rate.

    A cell has the number of flows under the second control at equilibria, and its shade is their mean. Numbers in brackets are of mixes
    that may be one; where there are only such, the shade is pale.

    Raises:
        HeadgateError: there are more than two controls.
        MissingExtraError: matplotlib is not installed.
    """
    _two(result)
    trips = list(dict.fromkeys(cell.rtt for cell in result.cells))
    buffers = list(dict.fromkeys(cell.buffer for cell in result.cells))
    panels = []
    for queue, rate in dict.fromkeys((cell.queue, cell.rate) for cell in result.cells):
        rows = [[GameCell(queue, rate, rtt, buffer) for buffer in buffers] for rtt in trips]
        values = [[_middle(result, cell) for cell in row] for row in rows]
        texts = [[_numbers(result, cell) for cell in row] for row in rows]
        panels.append(Panel(f"{queue}, {rate}", values, texts))
    # One panel is narrower than this text.
    end = "\n" if len(panels) == 1 else " "
    title = f"flows under {result.controls[1]}, of {result.flows},{end}at equilibria of {result.payoff.name};{end}in brackets: undecided"
    return grids(panels, trips, buffers, title, ("round trip", "buffer"), (0.0, float(result.flows)))


def _middle(result: MixResult, cell: GameCell) -> float:
    table = result.table(cell)
    known = [mix[1] for mix in table.equilibria]
    return sum(known) / len(known) if known else float("nan")


def _numbers(result: MixResult, cell: GameCell) -> str:
    """The numbers of flows under the second control: of equilibria, and below in brackets of mixes that may be one."""
    verdicts = {mix[1]: verdict for mix, verdict in result.table(cell).verdicts.items()}
    sure = [k for k, verdict in sorted(verdicts.items()) if verdict == EQUILIBRIUM]
    perhaps = [k for k, verdict in sorted(verdicts.items()) if verdict == UNDECIDED]
    parts = [runs_of(sure)] if sure else []
    parts += [f"({runs_of(perhaps)})"] if perhaps else []
    return "\n".join(parts) or "none"


def runs_of(numbers: Sequence[int]) -> str:
    """Numbers with those that follow one another together.

    >>> runs_of([0, 3, 4, 5, 7])
    '0, 3-5, 7'
    """
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def _two(result: MixResult) -> None:
    if len(result.controls) != 2:
        raise HeadgateError(f"{len(result.controls)} controls; expected two for a figure of mixes")
