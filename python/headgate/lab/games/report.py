"""A game in the form of all judges, and its files: the whole as JSON, a page, and figures."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...base.atomic import require_folder
from ...base.counts import counted
from ...plots.canvas import Picture, to_svg
from ...quick.lists import transports_said
from ...stats import Mean
from ..frame import page
from ..frame.report import JudgeReport, Mark, ReportFigure, ReportPart, ReportTable, TableCell
from ..frame.study import failed_runs, file_of
from .cells import GameCell
from .incentives import INCENTIVE, SelfishResult
from .result import MixResult
from .strategies import BEHAVIOUR, KINDS, NULL, transports_of
from .theory import Mix, mix_text

#: Equilibria that a sentence names.
_FEW = 6


def answer(result: MixResult | SelfishResult, folder: Path, again: str = "") -> JudgeReport:
    """What a game found; `again` is the command that tries failed runs again, and its scenarios are in the folder."""
    said = _mixes(result) if isinstance(result, MixResult) else _selfish(result)
    failed = failed_runs(result.study, folder)
    see = [("the failed runs again", again)] if failed and again else []
    see += [(what, f"headgate explore {shlex.quote(str(folder / file))}") for what, file in said.see]
    return replace(said, failed=failed, see=see)


def write(
    result: MixResult | SelfishResult, said: JudgeReport, folder: str | os.PathLike[str], drawn: bool = True
) -> Path | None:
    """Writes `game.json`, as `--json` prints it, and unless nothing is drawn a page, with figures of two controls in `figures`, too.

    Raises:
        MissingExtraError: matplotlib or jinja2 is not installed.
        HeadgateError: the folder cannot be written, or has a page on another subject.
    """
    place = Path(folder)
    page.write_json(said, result.to_dict(), place / "game.json")
    if not drawn:
        return None
    figures = []
    if isinstance(result, MixResult) and len(result.controls) == 2:
        figures = _figures(result, place / "figures")
    more = [ReportPart("Figures", figures=figures)] if figures else []
    return page.write(replace(said, parts=[*said.parts, *more]), place / "index.html")


def _figures(result: MixResult, place: Path) -> list[ReportFigure]:
    """Payoffs and equilibria of two controls, as SVG and PNG, too."""
    from .figures import draw_curves, draw_equilibria

    require_folder(place, "the folder of the figures")
    place.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, tuple[str, Picture]] = {
        "payoffs": ("Payoffs by mix, with 95 % intervals; a filled square is an equilibrium.", draw_curves(result)),
        "equilibria": ("Equilibria over buffers and round trips.", draw_equilibria(result)),
    }
    for name, (_, picture) in drawn.items():
        for form in ("svg", "png"):
            picture.save(place / f"{name}.{form}")
    return [ReportFigure(what, to_svg(picture.matplotlib, what)) for what, picture in drawn.values()]


def _mixes(result: MixResult) -> JudgeReport:
    certain = [cell for cell in result.cells if result.table(cell).equilibria]
    names, flows = ", ".join(result.controls), counted(result.flows, "flow")
    if len(result.cells) == 1:
        (cell,) = result.cells
        sentence = (
            f"Equilibria of {flows} of {names} in {cell}: {_listed(_texts(result, cell)) or 'none that is certain'}."
        )
    else:
        sentence = f"{flows} of {names} have an equilibrium that is certain in {len(certain)} of {counted(len(result.cells), 'cell')}."
    said = transports_said(result.controls)
    runs = counted(len(result.study.runs), "run")
    payoff = f"Payoff: {result.payoff.what} ({result.payoff.unit}); mean ± half of its 95 % interval; {runs}."
    place = next(iter(certain), result.cells[0])
    mix = next(iter([*result.table(place).equilibria, *result.table(place).undecided, *result.table(place).payoffs]))
    return JudgeReport(
        "game", names, sentence, [payoff, *([said] if said else [])],
        see=[(f"{mix_text(mix, result.controls)}, {result.table(place).verdicts[mix]}", result.file_of(place, mix))],
        tables=[_table(result, cell) for cell in result.cells],
    )  # fmt: skip


def _texts(result: MixResult, cell: GameCell) -> list[str]:
    return [mix_text(mix, result.controls) for mix in result.table(cell).equilibria]


def _table(result: MixResult, cell: GameCell) -> ReportTable:
    """A row for each mix, of more than two controls those that may be an equilibrium: what flows are paid, the best change, the verdict."""
    table, scale, names = result.table(cell), result.payoff.scale, result.controls
    two = len(names) == 2
    head = ["mix", *([f"{name:.12}" for name in names] if two else []), "best switch", "gain", "verdict"]
    rows: list[list[TableCell]] = []
    for mix in table.payoffs:
        if not two and table.verdicts[mix] == "not":
            continue
        best = table.best(mix)
        paid = [_short(table.payoff(mix, i).scaled(scale)) if n else "" for i, n in enumerate(mix)] if two else []
        gain = ["", ""] if best is None else [f"to {names[best.joins]:.12}", _short(best.gain.scaled(scale), True)]
        rows.append([Mark("+".join(map(str, mix)), href=result.file_of(cell, mix)), *paid, *gain, table.verdicts[mix]])
    return ReportTable(str(cell), head, rows, (0, len(head) - 3, len(head) - 1), sentences(result, cell))


def sentences(result: MixResult, cell: GameCell) -> list[str]:
    """The equilibria of a cell in words, where flows get to one by one, and what an equilibrium costs."""
    table = result.table(cell)
    perhaps = [mix_text(mix, result.controls) for mix in table.undecided]
    said = [f"equilibria: {_listed(_texts(result, cell)) or 'none that is certain'}"]
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


def _selfish(result: SelfishResult) -> JudgeReport:
    verdicts = [verdict for cell in result.cells if (verdict := result.verdict(cell, BEHAVIOUR)) is not None]
    sentence = (
        f"{verdicts.count(INCENTIVE)} of {counted(len(verdicts), 'cell')} reward a source that heeds congestion less."
    )
    notes = [
        f"One selfish source among {result.flows - 1} under {result.honest}, {counted(len(result.study.runs), 'run')}. Payoff: "
        f"{result.payoff.what}; gain and others: % of a fair share, 95 % intervals."
    ]
    null = [o for outcomes in result.outcomes.values() for o in outcomes if o.strategy.kind == NULL]
    if null:
        notes.append(f"null: an honest source under another name gains in {len(result.false_alarms)} of {len(null)}")
    tried = dict.fromkeys(outcome.strategy for outcomes in result.outcomes.values() for outcome in outcomes)
    if result.cells and (said := transports_of(tried, result.honest, result.cells[0], result.flows)):
        notes.append(said)
    tables = [table for kind, title in KINDS.items() if (table := _disciplines(result, kind, title)).rows]
    found = [o for outcomes in result.outcomes.values() for o in outcomes if o.gain.n]
    most = max(found, key=lambda o: o.gain.mean, default=None)
    see = [] if most is None else [(f"{most.strategy.name}, which gains most, in {most.cell}", file_of(most.variant))]
    return JudgeReport("game", f"selfish sources among {result.honest}", sentence, notes, see=see, tables=tables)


def _disciplines(result: SelfishResult, kind: str, title: str) -> ReportTable:
    """A row for each discipline: the best strategy, what it gains, and what others lose."""
    places = [
        name for name in ("rate", "rtt", "buffer", "classify") if len({getattr(c, name) for c in result.cells}) > 1
    ]
    rows: list[list[TableCell]] = []
    for cell in result.cells:
        best, verdict = result.best(cell, kind), result.verdict(cell, kind)
        if verdict is None:
            continue
        where: list[TableCell] = [cell.queue, *(str(getattr(cell, name)) for name in places)]
        if best is None:
            rows.append([*where, "-", "-", "-", "-", verdict])
            continue
        numbers = [
            _short(mean, True) for mean in (best.gain.scaled(100), best.others.scaled(100), best.delay.scaled(1e3))
        ]
        rows.append([*where, Mark(f"{best.strategy.name:.12}", href=file_of(best.variant)), *numbers, verdict])
    first = len(places) + 1
    heads = ["discipline", *places, "best", "gain", "others", "delay ms", "verdict"]
    return ReportTable(title, heads, rows, (*range(first + 1), first + 4))


def _short(mean: Mean, signed: bool = False) -> str:
    """A mean with half of its interval, with three digits at most.

    >>> _short(Mean(481.2, 20.1, 5), True), _short(Mean(-0.0123, 0.004, 5)), _short(Mean(2.0, 0.0, 1, True))
    ('+481±25', '-0.01±0.00', '2.00')
    """
    if not mean.n:
        return "-"
    wide = max(abs(mean.mean), mean.half if mean.half == mean.half else 0.0) >= 100
    digits = 0 if wide else 1 if abs(mean.mean) >= 10 else 2
    spread = f"±{mean.half:.{digits}f}" if mean.half == mean.half else ""
    return f"{mean.mean:{'+' if signed else ''}.{digits}f}{spread}"


def _listed(names: Sequence[str]) -> str:
    more = f"; {len(names) - _FEW} more in the table" if len(names) > _FEW else ""
    return "; ".join(names[:_FEW]) + more
