"""Equilibria of a symmetric game: flows that each choose one of several strategies, with payoffs that were measured.

A mix says how many flows have each strategy. Flows are alike, so that a mix is all that matters. It is a Nash equilibrium when no flow
gains by changing its strategy alone: for each strategy i that some flow has, and each other one j,

    payoff of j in the mix with one flow moved from i to j  <=  payoff of i in the mix.

Source: Nash 1951, Rosenthal 1973 for games in which numbers alone matter; for flows under CUBIC and BBR, Mishra, Tiu and Leong, "Are we
heading towards a BBR-dominant Internet?", IMC 2022. Deviation: payoffs have intervals here. A gain of at most `tolerance` is none
(an epsilon-equilibrium), and a mix whose gain may be either is undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ...stats import Mean, mean_of

Array = npt.NDArray[np.float64]

#: How many flows have each strategy.
Mix = tuple[int, ...]

#: Verdicts of a mix.
EQUILIBRIUM, NOT, UNDECIDED = "equilibrium", "not", "undecided"


def mixes(flows: int, strategies: int) -> Iterator[Mix]:
    """All ways in which flows may choose; the first strategy has all of them at first.

    >>> list(mixes(2, 2)), len(list(mixes(10, 3)))
    ([(2, 0), (1, 1), (0, 2)], 66)
    """
    if strategies == 1:
        yield (flows,)
        return
    for first in range(flows, -1, -1):
        for rest in mixes(flows - first, strategies - 1):
            yield (first, *rest)


def count(flows: int, strategies: int) -> int:
    """The number of mixes.

    >>> count(10, 2), count(10, 3)
    (11, 66)
    """
    return math.comb(flows + strategies - 1, strategies - 1)


def moved(mix: Mix, leaves: int, joins: int) -> Mix:
    """The mix after a flow changed its strategy.

    >>> moved((7, 3), 0, 1)
    (6, 4)
    """
    return tuple(n - (i == leaves) + (i == joins) for i, n in enumerate(mix))


def mix_text(mix: Mix, controls: Sequence[str]) -> str:
    """A mix in words.

    >>> mix_text((7, 3), ["cubic", "bbr3"]), mix_text((0, 4), ["cubic", "bbr3"])
    ('7 cubic, 3 bbr3', '4 bbr3')
    """
    return ", ".join(f"{n} {control}" for n, control in zip(mix, controls, strict=True) if n)


def bounds(mean: Mean) -> tuple[float, float]:
    """Ends of the 95 % interval: none are known of a single value, and of equal runs they are the value.

    >>> bounds(Mean(2.0, 0.0, 5, True)), bounds(Mean(2.0, math.nan, 1))
    ((2.0, 2.0), (-inf, inf))
    """
    if mean.exact:
        return mean.mean, mean.mean
    if mean.n < 2:
        return -math.inf, math.inf
    return mean.mean - mean.half, mean.mean + mean.half


def is_gain(mean: Mean, tolerance: float) -> bool | None:
    """Whether a gain is above the tolerance; None if its interval has it within.

    >>> is_gain(Mean(1.0, 0.1, 5), 0.1), is_gain(Mean(0.0, 0.1, 5), 0.2), is_gain(Mean(0.1, 0.1, 5), 0.1)
    (True, False, None)
    """
    low, high = bounds(mean)
    return True if low > tolerance else False if high <= tolerance else None


@dataclass(frozen=True)
class Deviation:
    """What a flow gains by a change of its strategy alone: `leaves` and `joins` are strategies."""

    mix: Mix
    leaves: int
    joins: int
    gain: Mean


class PayoffTable:
    """Payoffs of every mix, and what follows from them.

    >>> prisoners = PayoffTable({(2, 0): [3.0, None], (1, 1): [0.0, 5.0], (0, 2): [None, 1.0]}, 0.0)
    >>> prisoners.equilibria, prisoners.path((2, 0)), prisoners.price((0, 2)).mean
    ([(0, 2)], [(2, 0), (1, 1), (0, 2)], 0.6666666666666666)
    """

    def __init__(
        self,
        payoffs: Mapping[Mix, Sequence[npt.ArrayLike | None]],
        tolerance: float,
        exact: bool = False,
        adds: bool = True,
    ) -> None:
        """Takes the payoffs of all mixes.

        Args:
            payoffs: by mix, of each strategy the payoff of a flow: a number, or one for each run in the same order everywhere (nan for a
                run that failed), or None where no flow has it. Runs of one number are compared with one another.
            tolerance: a gain of at most this is none.
            exact: whether all runs of every mix are copies of one another.
            adds: whether payoffs add up over flows; otherwise the total is their mean.

        Raises:
            ValueError: a payoff is there without a flow, or a flow without a payoff.
        """
        for mix, row in payoffs.items():
            if [n > 0 for n in mix] != [v is not None for v in row]:
                raise ValueError(f"mix {mix}: expected a payoff for each strategy that some flow has")
        # A number is what is known: no interval.
        single = all(np.ndim(v) == 0 for row in payoffs.values() for v in row if v is not None)
        self.exact, self.tolerance, self.adds = exact or single, tolerance, adds
        self.payoffs: dict[Mix, list[Array | None]] = {
            mix: [None if v is None else np.atleast_1d(np.asarray(v, dtype=np.float64)) for v in row]
            for mix, row in payoffs.items()
        }

    def mean(self, values: npt.ArrayLike) -> Mean:
        """The mean of values of runs, or the value where runs are equal."""
        found = np.asarray(values, dtype=np.float64)
        if not self.exact:
            return mean_of(found)
        good = found[~np.isnan(found)]
        return Mean(float(good[0]), 0.0, int(good.size), True) if good.size else Mean(math.nan, math.nan, 0)

    def payoff(self, mix: Mix, strategy: int) -> Mean:
        """The payoff of a flow with a strategy; of nothing where no flow has it."""
        values = self.payoffs[mix][strategy]
        return Mean(math.nan, math.nan, 0) if values is None else self.mean(values)

    def deviations(self, mix: Mix) -> list[Deviation]:
        """All changes of one flow's strategy, each with its gain: paired by run."""
        out = []
        for i, n in enumerate(mix):
            here = self.payoffs[mix][i]
            for j in range(len(mix)):
                if not n or i == j or here is None:
                    continue
                there = self.payoffs[moved(mix, i, j)][j]
                assert there is not None
                out.append(Deviation(mix, i, j, self.mean(there - here)))
        return out

    def best(self, mix: Mix) -> Deviation | None:
        """The change with the greatest mean gain; None if no mean is known."""
        known = [d for d in self.deviations(mix) if d.gain.n]
        return max(known, key=lambda d: d.gain.mean) if known else None

    def verdict(self, mix: Mix) -> str:
        """Whether a mix is an equilibrium: no gain above the tolerance, one that is, or neither can be said."""
        found = [is_gain(d.gain, self.tolerance) for d in self.deviations(mix)]
        return NOT if True in found else UNDECIDED if None in found else EQUILIBRIUM

    @cached_property
    def verdicts(self) -> dict[Mix, str]:
        """The verdict of every mix."""
        return {mix: self.verdict(mix) for mix in self.payoffs}

    @property
    def equilibria(self) -> list[Mix]:
        """The mixes that are equilibria."""
        return [mix for mix, verdict in self.verdicts.items() if verdict == EQUILIBRIUM]

    @property
    def undecided(self) -> list[Mix]:
        """The mixes that may be equilibria or not."""
        return [mix for mix, verdict in self.verdicts.items() if verdict == UNDECIDED]

    def path(self, mix: Mix) -> list[Mix]:
        """The mixes that follow when one flow after another makes the change that gains most.

        Only gains that are above the tolerance by their interval are made, so that a path ends where none is known. The last mix stands
        twice where the path has been there before: a cycle.
        """
        out = [mix]
        while True:
            known = [d for d in self.deviations(out[-1]) if is_gain(d.gain, self.tolerance)]
            if not known:
                return out
            step = max(known, key=lambda d: d.gain.mean)
            out.append(moved(step.mix, step.leaves, step.joins))
            if out[-1] in out[:-1]:
                return out

    def total(self, mix: Mix) -> Array:
        """What all flows together are paid in each run, or their mean where payoffs do not add up."""
        rows = [n * v for n, v in zip(mix, self.payoffs[mix], strict=True) if n and v is not None]
        whole = np.asarray(np.sum(rows, axis=0), dtype=np.float64)
        return whole if self.adds else whole / sum(mix)

    @cached_property
    def best_mix(self) -> Mix:
        """The mix with the greatest total."""
        return max(self.payoffs, key=lambda mix: -math.inf if np.isnan(self.total(mix)).all() else self._mean(mix))

    def _mean(self, mix: Mix) -> float:
        return self.mean(self.total(mix)).mean

    def price(self, mix: Mix) -> Mean:
        """What all lose in a mix against the best one, as a part of the total there; nan where that is 0.

        The best mix is chosen by its mean, which chance makes somewhat too good.
        """
        most = self.total(self.best_mix)
        with np.errstate(invalid="ignore", divide="ignore"):
            lost = (most - self.total(mix)) / np.abs(most)
        return self.mean(np.where(np.isfinite(lost), lost, math.nan))
