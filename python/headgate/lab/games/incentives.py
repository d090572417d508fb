"""What a selfish source gains, and what others lose by it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...stats import Mean, mean_of
from ..frame.study import Array, file_of, told
from .cells import GameCell
from .payoffs import PAYOFFS, MeasuredFlows, measured
from .result import mean_over
from .strategies import BEHAVIOUR, KINDS, NULL, Strategy
from .theory import UNDECIDED, is_gain

if TYPE_CHECKING:
    from ...sweep import Study

#: Verdicts of a discipline.
INCENTIVE, NO_INCENTIVE = "incentive", "no incentive"


@dataclass(frozen=True)
class Outcome:
    """A strategy in a cell, held against the runs of the same numbers in which all are honest.

    Attributes:
        cell: where.
        strategy: what the selfish source does.
        gain: what it is paid above what the same source is paid where it is honest, in parts of a fair share.
        share: its goodput in parts of a fair share.
        others: what the honest flows beside it are paid above what the same flows are paid where all are honest, in parts of a fair
            share; the mean over them.
        delay: mean one-way delay of the honest flows beside it above that where all are honest, in s.
        variant: number of its scenario.
    """

    cell: GameCell
    strategy: Strategy
    gain: Mean
    share: Mean
    others: Mean
    delay: Mean
    variant: int


class SelfishResult:
    """The runs of a game of selfish sources, read from its study."""

    def __init__(
        self,
        study: Study,
        variants: Mapping[tuple[GameCell, Strategy], tuple[int, int]],
        cells: Sequence[GameCell],
        honest: str,
        flows: int,
        payoff: str,
        tolerance: float,
        replications: int,
    ) -> None:
        """Takes the study, and of each strategy the numbers of the variants with it and with honest flows alone."""
        self.study, self.cells, self.honest, self.flows = study, list(cells), honest, flows
        self.payoff, self.tolerance, self._variants, self._runs = PAYOFFS[payoff], tolerance, variants, replications
        self._found = measured(study, replications)

    @cached_property
    def outcomes(self) -> dict[GameCell, list[Outcome]]:
        """The strategies of every cell, in order."""
        out: dict[GameCell, list[Outcome]] = {cell: [] for cell in self.cells}
        for (cell, strategy), (variant, honest) in self._variants.items():
            out[cell].append(self._outcome(cell, strategy, variant, honest))
        return out

    def _outcome(self, cell: GameCell, strategy: Strategy, variant: int, honest: int) -> Outcome:
        found, base = self._at(variant, strategy), self._at(honest, None)
        own, first = slice(self.flows - 1, None), slice(0, self.flows - 1)
        share = cell.fair_bps(self.flows)
        fair = self.payoff.fair(share, cell.rtt_s)
        goodput = _sum(found.goodput[:, own])
        paid = self.payoff.of(goodput, mean_over(found.delay[:, own]))
        beside = mean_over(self.payoff.of(found.goodput[:, first], found.delay[:, first]))
        before = self.payoff.of(base.goodput, base.delay)
        slower = mean_over(found.delay[:, first]) - mean_over(base.delay[:, first])
        exact = found.exact and base.exact
        # Of this very source: where conversations are hashed into queues, sources are not alike.
        gains = (paid - before[:, -1]) / fair
        values = (gains, goodput / share, (beside - mean_over(before[:, first])) / fair, slower)
        gain, part, others, delay = (mean_of(v, exact and not np.isnan(v).any()) for v in values)
        return Outcome(cell, strategy, gain, part, others, delay, variant)

    def _at(self, variant: int, strategy: Strategy | None) -> MeasuredFlows:
        found = self._found.get(variant)
        if found is None:
            flows = self.flows if strategy is None else self.flows - 1 + strategy.connections
            none = np.full((self._runs, flows), np.nan)
            found = MeasuredFlows(none, none, none[:, 0], False)
        return found

    def of(self, cell: GameCell, kind: str = BEHAVIOUR) -> list[Outcome]:
        """The strategies of a kind in a cell."""
        return [o for o in self.outcomes[cell] if o.strategy.kind == kind]

    def best(self, cell: GameCell, kind: str = BEHAVIOUR) -> Outcome | None:
        """The strategy of a kind with the greatest mean gain; None where there is none."""
        known = [o for o in self.of(cell, kind) if o.gain.n]
        return max(known, key=lambda o: o.gain.mean) if known else None

    def verdict(self, cell: GameCell, kind: str = BEHAVIOUR) -> str | None:
        """Whether a discipline rewards strategies of a kind; None where there is none.

        `incentive`: a gain is above the tolerance even by the interval that is so wide that all of the kind together hold with 95 %
        (Bonferroni), since the best of many is chosen. `no incentive`: no 95 % interval reaches above the tolerance.
        """
        tried = self.of(cell, kind)
        if not tried:
            return None
        level = 1 - 0.05 / len(tried)
        if any(_low(o.gain, level) > self.tolerance for o in tried):
            return INCENTIVE
        return NO_INCENTIVE if all(is_gain(o.gain, self.tolerance) is False for o in tried) else UNDECIDED

    @property
    def false_alarms(self) -> list[Outcome]:
        """Cells in which an honest flow under another name gains: by chance a fortieth of all, or an error of the method."""
        tried = [o for cell in self.cells for o in self.of(cell, NULL)]
        return [o for o in tried if is_gain(o.gain, self.tolerance)]

    def to_dict(self) -> dict[str, Any]:
        """The game as JSON data; the shape is in the reference."""
        return told(
            self.study,
            honest=self.honest,
            flows=self.flows,
            payoff=self.payoff.name,
            tolerance=self.tolerance,
            runs=len(self.study.runs),
            cells=[self._entry(cell) for cell in self.cells],
            false_alarms=len(self.false_alarms),
        )

    def _entry(self, cell: GameCell) -> dict[str, Any]:
        return {
            **cell.to_dict(),
            "verdicts": {kind: self.verdict(cell, kind) for kind in KINDS},
            "best": {kind: best and best.strategy.name for kind in KINDS for best in [self.best(cell, kind)]},
            "strategies": [
                {
                    "name": o.strategy.name,
                    "what": o.strategy.what,
                    "kind": o.strategy.kind,
                    "gain": o.gain.to_dict(),
                    "share": o.share.to_dict(),
                    "others": o.others.to_dict(),
                    "delay_s": o.delay.to_dict(),
                    "scenario": file_of(o.variant),
                }
                for o in self.outcomes[cell]
            ],
        }


def _low(mean: Mean, confidence: float) -> float:
    if mean.exact:
        return mean.mean
    return mean.mean - mean.half_at(confidence) if mean.n > 1 else -math.inf


def _sum(values: Array) -> Array:
    """The sum over the connections of each run; nan where the run failed."""
    return np.asarray(values.sum(axis=1), dtype=np.float64)
