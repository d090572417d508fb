"""What a game of mixes gave: the payoffs of every mix in every cell, and their equilibria."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import HeadgateError
from ...results.combination import by_row, combined
from ...stats import Mean
from ..frame.study import Array, file_of, told
from .cells import GameCell
from .payoffs import PAYOFFS, MeasuredFlows, measured
from .theory import Mix, PayoffTable, mix_text

if TYPE_CHECKING:
    from ...sweep import Study


class MixResult:
    """The runs of a game of mixes, read from its study."""

    def __init__(
        self,
        study: Study,
        variants: Mapping[tuple[GameCell, Mix], int],
        cells: Sequence[GameCell],
        controls: Sequence[str],
        flows: int,
        payoff: str,
        tolerance: float,
        replications: int,
    ) -> None:
        """Takes the study and what its variants are."""
        self.study, self.cells, self.controls, self.flows = study, list(cells), list(controls), flows
        self.payoff, self.tolerance, self._variants, self._runs = PAYOFFS[payoff], tolerance, variants, replications
        self._found = measured(study, replications)

    @cached_property
    def tables(self) -> dict[GameCell, PayoffTable]:
        """The payoffs of every cell, in base units."""
        return {cell: self._table(cell) for cell in self.cells}

    def at(self, cell: GameCell, mix: Mix) -> MeasuredFlows:
        """What was measured of a mix: nan everywhere if no run of it ended."""
        found = self._found.get(self._variants[cell, mix])
        if found is None:
            none = np.full((self._runs, self.flows), np.nan)
            found = MeasuredFlows(none, none, none[:, 0], False)
        return found

    def fair(self, cell: GameCell) -> float:
        """What a fair share is paid in a cell, in base units: tolerances are parts of it."""
        return self.payoff.fair(cell.fair_bps(self.flows), cell.rtt_s)

    def _table(self, cell: GameCell) -> PayoffTable:
        mixes = [mix for place, mix in self._variants if place == cell]
        rows = {mix: self._row(self.at(cell, mix), mix) for mix in mixes}
        exact = all(self.at(cell, mix).exact for mix in mixes)
        return PayoffTable(rows, self.tolerance * self.fair(cell), exact, self.payoff.adds)

    def _row(self, found: MeasuredFlows, mix: Mix) -> list[Array | None]:
        """The mean payoff of the flows of each control, in every run."""
        paid, row, first = self.payoff.of(found.goodput, found.delay), list[Array | None](), 0
        for number in mix:
            row.append(mean_over(paid[:, first : first + number]) if number else None)
            first += number
        return row

    def table(self, cell: GameCell) -> PayoffTable:
        """The payoffs of a cell and their equilibria, in base units.

        Raises:
            HeadgateError: there is no such cell.
        """
        if cell not in self.tables:
            raise HeadgateError(f"{cell}: expected a cell of this game: {'; '.join(map(str, self.cells))}")
        return self.tables[cell]

    def file_of(self, cell: GameCell, mix: Mix) -> str:
        """The scenario file of a mix, within the folder of the game."""
        return file_of(self._variants[cell, mix])

    def utilisation(self, cell: GameCell, mix: Mix) -> Mean:
        """Part of the time in which the line sends."""
        return self.tables[cell].mean(self.at(cell, mix).utilisation)

    def delay(self, cell: GameCell, mix: Mix) -> Mean:
        """Mean one-way delay of the flows of a mix, in s."""
        return self.tables[cell].mean(mean_over(self.at(cell, mix).delay))

    def to_dict(self) -> dict[str, Any]:
        """The game as JSON data; the shape is in the reference."""
        return told(
            self.study,
            controls=self.controls,
            flows=self.flows,
            payoff=self.payoff.name,
            unit=self.payoff.unit,
            tolerance=self.tolerance,
            runs=len(self.study.runs),
            cells=[self._entry(cell) for cell in self.cells],
        )

    def _entry(self, cell: GameCell) -> dict[str, Any]:
        table, scale = self.table(cell), self.payoff.scale
        mixes = []
        for mix, verdict in table.verdicts.items():
            payoffs = [None if not n else table.payoff(mix, i).scaled(scale).to_dict() for i, n in enumerate(mix)]
            switches = [
                {"from": self.controls[d.leaves], "to": self.controls[d.joins], "gain": d.gain.scaled(scale).to_dict()}
                for d in table.deviations(mix)
            ]
            mixes.append({
                "mix": dict(zip(self.controls, mix, strict=True)),
                "payoff": dict(zip(self.controls, payoffs, strict=True)),
                "switches": switches,
                "verdict": verdict,
                "path": [list(step) for step in table.path(mix)],
                "ends": dict(zip(self.controls, table.path(mix)[-1], strict=True)),
                "price": table.price(mix).to_dict(),
                "utilisation": self.utilisation(cell, mix).to_dict(),
                "delay_s": self.delay(cell, mix).to_dict(),
                "scenario": self.file_of(cell, mix),
            })  # fmt: skip
        return {
            **cell.to_dict(),
            "fair": self.fair(cell) * scale,
            "equilibria": [mix_text(mix, self.controls) for mix in table.equilibria],
            "undecided": [mix_text(mix, self.controls) for mix in table.undecided],
            "best": mix_text(table.best_mix, self.controls),
            "mixes": mixes,
        }


def mean_over(values: Array) -> Array:
    """The mean over the flows of each run that measured something; nan where none did."""
    return combined("mean", values, by_row)
