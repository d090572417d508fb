"""What `headgate game` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.markup import escape

from ...base.counts import counted
from ...cli.tables.plans import MOST, print_end, print_transports, time_text
from ...cli.terminal import console
from ...stats import Mean
from .cells import GameCell
from .incentives import INCENTIVE
from .mixing import MixGame
from .strategies import BEHAVIOUR, KINDS, Strategy, transports_of
from .theory import Mix, mix_text

if TYPE_CHECKING:
    from .incentives import SelfishResult
    from .result import MixResult
    from .selfish import SelfishGame

#: Mixes of more than two controls that a table has.
FEW = 12


def print_plan(asked: MixGame | SelfishGame, expected: float) -> None:
    """What would be run, and how long it is expected to take."""
    out = console()
    what = "mixes" if isinstance(asked, MixGame) else "strategies"
    named = asked.to_dict()[what]
    for text in named[:MOST]:
        out.print(escape(text), soft_wrap=True)
    if len(named) > MOST:
        out.print(f"and {len(named) - MOST} more; --json has them all")
    if isinstance(asked, MixGame):
        print_transports(asked.controls)
    else:
        _print_selfish_transports([trial.strategy for trial in asked.trials], asked.honest, asked.cells, asked.flows)
    out.print(
        f"{len(named)} {what}, {counted(asked.runs, 'run')}, about {time_text(expected)} of processor time, one core"
    )
    out.print("nothing was run")


def print_mixes(result: MixResult, folder: Path, drawn: bool) -> None:
    """A table for each cell, its equilibria, and what they cost."""
    out = console()
    unit = f"{result.payoff.what} ({result.payoff.unit})"
    out.print(
        f"[bold]game[/]  {result.flows} flows of {escape(', '.join(result.controls))}, {counted(len(result.study.runs), 'run')}"
    )
    out.print(f"payoff: {unit}; mean ± half of its 95 % interval")
    print_transports(result.controls)
    for cell in result.cells:
        out.print()
        out.print(f"[bold]{escape(str(cell))}[/]", soft_wrap=True)
        for line in mix_lines(result, cell):
            out.print(line, markup=False, soft_wrap=True)
        for line in sentences(result, cell):
            out.print(line, markup=False)
    out.print()
    print_end(result.study, folder, "game.json and the study")
    if drawn:
        out.print(f"figures: {escape(str(folder / 'figures'))}", soft_wrap=True)


def mix_lines(result: MixResult, cell: GameCell) -> list[str]:
    """A row for each mix: what flows are paid, the change that gains most, and the verdict."""
    table, scale, names = result.table(cell), result.payoff.scale, result.controls
    head = ["mix", "best switch", "gain", "verdict"]
    if len(names) == 2:
        head[1:1] = [f"{name:.12}" for name in names]
    rows, mixes = [head], list(table.payoffs)
    if len(names) > 2:
        mixes = [mix for mix in mixes if table.verdicts[mix] != "not"][:FEW]
    for mix in mixes:
        best = table.best(mix)
        row = ["+".join(map(str, mix))]
        if len(names) == 2:
            row += [_short(table.payoff(mix, i).scaled(scale)) if n else "" for i, n in enumerate(mix)]
        row += ["", ""] if best is None else [f"to {names[best.joins]:.12}", _short(best.gain.scaled(scale), True)]
        rows.append([*row, table.verdicts[mix]])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    last = len(head) - 1
    return [
        "  ".join(
            f"{x:>{w}}" if 0 < i < last else f"{x:<{w}}" for i, (x, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def sentences(result: MixResult, cell: GameCell) -> list[str]:
    """The equilibria of a cell in words, where flows get to one by one, and what an equilibrium costs."""
    table = result.table(cell)
    found = [mix_text(mix, result.controls) for mix in table.equilibria]
    perhaps = [mix_text(mix, result.controls) for mix in table.undecided]
    said = [f"equilibria: {_listed(found) or 'none that is certain'}"]
    if perhaps:
        said.append(f"undecided: {_listed(perhaps)}")
    for start in (next(iter(table.payoffs)), list(table.payoffs)[-1]):
        path = table.path(start)
        if len(path) > 1:
            ends = "in a cycle at" if path[-1] in path[:-1] else "at"
            said.append(
                f"from {mix_text(start, result.controls)}, one flow after another gains by switching: they end {ends} "
                f"{mix_text(path[-1], result.controls)}"
            )
    if table.equilibria:
        said.append(_price(result, cell, max(table.equilibria, key=lambda mix: table.price(mix).mean)))
    return said


def _price(result: MixResult, cell: GameCell, worst: Mix) -> str:
    table, names = result.table(cell), result.controls
    price, used = table.price(worst).scaled(100), result.utilisation(cell, worst).scaled(100)
    return (
        f"worst equilibrium, {mix_text(worst, names)}: {price:.1f} % less in all than {mix_text(table.best_mix, names)}; "
        f"line used {used:.1f} %, delay {result.delay(cell, worst).scaled(1e3):.1f} ms"
    )


def print_selfish(result: SelfishResult, folder: Path) -> None:
    """A row for each discipline: the best strategy, what it gains, and what others lose."""
    out = console()
    out.print(
        f"[bold]game[/]  one selfish source among {result.flows - 1} under {escape(result.honest)}, "
        f"{counted(len(result.study.runs), 'run')}"
    )
    out.print(f"payoff: {result.payoff.what}; gain and others: % of a fair share, 95 % intervals", soft_wrap=True)
    tried = [outcome.strategy for outcomes in result.outcomes.values() for outcome in outcomes]
    _print_selfish_transports(tried, result.honest, result.cells, result.flows)
    for kind, title in KINDS.items():
        lines = selfish_lines(result, kind)
        if len(lines) > 1:
            out.print()
            out.print(f"[bold]{title}[/]")
            for line in lines:
                out.print(line, markup=False, soft_wrap=True)
    out.print()
    verdicts = [verdict for cell in result.cells if (verdict := result.verdict(cell, BEHAVIOUR)) is not None]
    if verdicts:
        out.print(f"{verdicts.count(INCENTIVE)} of {len(verdicts)} reward a source that heeds congestion less")
    null = [o for outcomes in result.outcomes.values() for o in outcomes if o.strategy.name == "null"]
    if null:
        out.print(f"null: an honest source under another name gains in {len(result.false_alarms)} of {len(null)}")
    print_end(result.study, folder, "game.json and the study")


def _print_selfish_transports(
    strategies: Iterable[Strategy], honest: str, cells: Sequence[GameCell], flows: int
) -> None:
    """A sentence if the flow controls of strategies differ from that of honest flows in their transport, too."""
    said = transports_of(dict.fromkeys(strategies), honest, cells[0], flows) if cells else ""
    if said:
        console().print(said, markup=False)


def selfish_lines(result: SelfishResult, kind: str) -> list[str]:
    """The rows of a table of disciplines."""
    several = len({(c.rate, c.rtt, c.buffer, c.classify) for c in result.cells}) > 1
    rows = [["discipline", "best", "gain", "others", "delay ms", "verdict"]]
    for cell in result.cells:
        best, verdict = result.best(cell, kind), result.verdict(cell, kind)
        if verdict is None:
            continue
        name = str(cell) if several else cell.queue
        if best is None:
            rows.append([name, "-", "-", "-", "-", verdict])
            continue
        numbers = [
            _short(best.gain.scaled(100), True),
            _short(best.others.scaled(100), True),
            _short(best.delay.scaled(1e3), True),
        ]
        rows.append([name, f"{best.strategy.name:.12}", *numbers, verdict])
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    if several:
        # The name of a cell takes a line of its own.
        widths[0] = 0
    lines = []
    for row in rows:
        texts = [f"{x:>{w}}" if 1 < i < 5 else f"{x:<{w}}" for i, (x, w) in enumerate(zip(row, widths, strict=True))]
        if several:
            lines += [row[0]] if row is not rows[0] else []
            texts[0] = ""
        lines.append("  ".join(texts).rstrip())
    return lines


def _short(mean: Mean, signed: bool = False) -> str:
    """A mean with half of its interval, with three digits at most.

    >>> _short(Mean(481.2, 20.1, 5), True), _short(Mean(-0.0123, 0.004, 5)), _short(Mean(2.0, 0.0, 1, True))
    ('+481±25', '-0.01±0.00', '2.00')
    """
    if not mean.n:
        return "-"
    digits = (
        0
        if max(abs(mean.mean), mean.half if mean.half == mean.half else 0.0) >= 100
        else 1
        if abs(mean.mean) >= 10
        else 2
    )
    spread = f"±{mean.half:.{digits}f}" if mean.half == mean.half else ""
    return f"{mean.mean:{'+' if signed else ''}.{digits}f}{spread}"


def _listed(names: list[str]) -> str:
    return "; ".join(names[:6]) + (f"; {len(names) - 6} more" if len(names) > 6 else "")
