"""The search: candidates at random, then an evolution strategy from the best of them, again and again, away from what was found.

The strategy is CMA-ES for numbers and choices together (Hamano et al. 2025, "CatCMA with Margin"), by the library `cmaes`. A break that
was found is kept, and candidates near it count as less: a search that goes on finds another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..base.errors import missing_extra
from .genome import Bounds, Candidate

#: Share of the budget that is drawn at random.
RANDOM = 0.25

#: Generations without a better candidate after which the strategy starts anew, and a break is taken as it is.
PATIENCE = 12

#: Score of a break with which a climb ends: a little beyond the limit, since what is at the limit seldom holds for other seeds.
ENOUGH = 0.2

#: Distance in the unit cube, in the numbers of a break that matter, below which a candidate is near it, and what that costs.
NEAR, COST = 0.3, 3.0

#: Scores of candidates, in their order.
Scores = Callable[[Sequence[Candidate]], list[float]]


class Archive:
    """The breaks that were found, and how near a candidate is to them."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._found: list[tuple[Candidate, tuple[str, ...], list[float]]] = []

    def add(self, candidate: Candidate, active: Sequence[str]) -> None:
        """Keeps a break, with the names of what differs from a plain path in it."""
        self._found.append((candidate, tuple(active), self._bounds.point(candidate)))

    def cost(self, candidate: Candidate) -> float:
        """What is taken from the candidate's score."""
        return max((COST * max(0.0, 1 - self._distance(candidate, *f) / NEAR) for f in self._found), default=0.0)

    def _distance(self, candidate: Candidate, found: Candidate, active: Sequence[str], there: Sequence[float]) -> float:
        """The greatest difference in what matters."""
        here = dict(zip(candidate.numbers, self._bounds.point(candidate), strict=True))
        known = dict(zip(found.numbers, there, strict=True))
        differences = [0.0]
        for name in active:
            if name in ("pattern", "queue"):
                differences.append(float(getattr(candidate, name) != getattr(found, name)))
            else:
                differences.append(abs(here[name] - known[name]))
        return max(differences)


class Searcher:
    """One search: asks for scores, and gives the candidates that are worth a closer look."""

    def __init__(
        self, bounds: Bounds, scores: Scores, ended: Callable[[], bool], seed: int, population: int = 0
    ) -> None:
        """Takes what says that the budget is used up; the same seed gives the same candidates if the scores are the same."""
        self.bounds, self._ended = bounds, ended
        self.archive = Archive(bounds)
        self.asked = 0
        self._scores, self._seed = scores, seed
        self._rng = np.random.default_rng(seed)
        self._population = population or 4 + int(3 * np.log(bounds.size)) + 6
        #: The candidates drawn at random, each with its point and its score.
        self._drawn: list[tuple[float, Candidate, Any, list[int]]] = []
        self._started: set[str] = set()

    def draw(self, count: int) -> None:
        """Draws candidates at random."""
        points = self._rng.random((count, self.bounds.size))
        chosen = [[int(self._rng.integers(n)) for n in self.bounds.choices] for _ in range(count)]
        candidates = [self.bounds.candidate(x, c) for x, c in zip(points, chosen, strict=True)]
        for candidate, x, c, score in zip(candidates, points, chosen, self._ask(candidates), strict=True):
            self._drawn.append((score, candidate, x, c))

    def climb(self) -> tuple[Candidate, float] | None:
        """Climbs from the best candidate that was drawn and not climbed from; the best one found, if it is a break."""
        cmaes = _library()
        start = self._start()
        if start is None:
            return None
        score, first, x, chosen = start
        self._started.add(first.key())
        if score - self.archive.cost(first) >= ENOUGH:
            return first, score
        choices = [(i, n) for i, n in enumerate(self.bounds.choices) if n > 1]
        likely = None
        if choices:
            # The start's choices are as likely as all others together.
            likely = np.zeros((len(choices), max(n for _, n in choices)))
            for row, (i, n) in enumerate(choices):
                likely[row, :n] = 0.5 / max(n - 1, 1)
                likely[row, chosen[i]] = 0.5
        strategy = cmaes.CatCMAwM(
            x_space=[[0.0, 1.0]] * self.bounds.size, c_space=[n for _, n in choices] or None, mean=np.asarray(x), sigma=0.2,
            cat_param=likely, population_size=self._population, seed=self._seed + len(self._started),
        )  # fmt: skip
        best: tuple[float, Candidate] | None = None
        idle = 0
        while idle < PATIENCE and not self._ended() and not strategy.should_stop():
            asked = [strategy.ask() for _ in range(self._population)]
            candidates = [self.bounds.candidate(s.x, self._chosen(s, choices)) for s in asked]
            scores = self._ask(candidates)
            net = [score - self.archive.cost(c) for c, score in zip(candidates, scores, strict=True)]
            # The library takes the spread of the scores, which must not be nothing: the earlier one of equal candidates counts as better.
            strategy.tell([(s, 1e-9 * i - net[i]) for i, s in enumerate(asked)])
            k = int(np.argmax(net))
            better = best is None or net[k] > best[0] + 0.01
            if better:
                best = (net[k], candidates[k])
            idle = 0 if better else idle + 1
            if net[k] >= ENOUGH:
                break
        return None if best is None or best[0] < 0 else (best[1], best[0])

    def _chosen(self, solution: Any, choices: list[tuple[int, int]]) -> list[int]:
        out = [0] * len(self.bounds.choices)
        for row, (i, _) in enumerate(choices):
            out[i] = int(np.argmax(solution.c[row]))
        return out

    def _ask(self, candidates: Sequence[Candidate]) -> list[float]:
        self.asked += len(candidates)
        return self._scores(candidates)

    def take(self) -> tuple[Candidate, float] | None:
        """The best candidate that was drawn and not taken, if it is a break: a search without a strategy."""
        start = self._start()
        if start is None or start[0] - self.archive.cost(start[1]) < 0:
            return None
        self._started.add(start[1].key())
        return start[1], start[0]

    def _start(self) -> tuple[float, Candidate, Any, list[int]] | None:
        left = [d for d in self._drawn if d[1].key() not in self._started]
        return max(left, key=lambda d: d[0] - self.archive.cost(d[1]), default=None)


def _library() -> Any:
    try:
        import cmaes
    except ImportError:
        raise missing_extra("the search for a break", "cmaes", "attack") from None
    return cmaes
