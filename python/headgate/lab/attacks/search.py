"""The search: candidates at random, then descendants of the best of them, again and again, away from what was found.

The strategy is an evolution with a population, (mu + lambda): each descendant differs from its parent in few numbers and choices that
matter there, and sometimes has some of a second parent. A climb that stands still ends, and another one starts from other candidates
that were drawn. A break that was found is kept, and candidates near it count as less: a search that goes on finds another one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .genome import GENES, OFF, Bounds, Candidate

#: Share of the budget that is drawn at random.
RANDOM = 0.15

#: Parents, and descendants of a generation.
PARENTS, CHILDREN = 10, 8

#: Generations without a better candidate after which a climb ends.
PATIENCE = 10

#: Score of a break with which a climb ends: a little beyond the limit, since what is at the limit seldom holds for other seeds.
ENOUGH = 0.2

#: Distance in the unit cube, in the numbers of a break that matter, below which a candidate is near it, and what that costs.
NEAR, COST = 0.3, 3.0

#: Chances: of a second parent; that a number is drawn anew; that what may be off is switched off.
_CROSSED, _ANEW, _OFF_AGAIN = 0.25, 0.2, 0.25

#: The largest step of a number in the unit cube, and by how many powers of ten steps are smaller.
_STEP, _POWERS = 0.25, 1.3

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


@dataclass
class _Judged:
    """A candidate that was judged, where it lies, its score less what its neighbourhood costs, and whether it was drawn at random."""

    candidate: Candidate
    x: list[float]
    chosen: list[int]
    score: float
    net: float
    at_random: bool


class Searcher:
    """One search: asks for scores, and gives the candidates that are worth a closer look."""

    def __init__(self, bounds: Bounds, scores: Scores, ended: Callable[[], bool], seed: int) -> None:
        """Takes what says that the budget is used up; the same seed gives the same candidates if the scores are the same."""
        self.bounds, self._ended = bounds, ended
        self.archive = Archive(bounds)
        self.asked = 0
        self._scores = scores
        self._rng = np.random.default_rng(seed)
        #: Those that may be parents or breaks, and the keys of all that were judged.
        self._judged: list[_Judged] = []
        self._keys: set[str] = set()

    def draw(self, count: int) -> None:
        """Draws candidates at random."""
        self._ask([self._drawn() for _ in range(count)], at_random=True)

    def drawn(self, count: int) -> list[Candidate]:
        """Candidates as `draw` draws them, which are not judged."""
        return [self._drawn()[0] for _ in range(count)]

    def climb(self) -> tuple[Candidate, float] | None:
        """Climbs from the best ones that were judged; the best one found, if it is a break."""
        best = self._best()
        idle = 0
        while best and best[0].net < ENOUGH and idle < PATIENCE and not self._ended():
            before = best[0].net
            self._ask([self._child(best) for _ in range(CHILDREN)])
            best = self._best()
            idle = 0 if best[0].net > before + 0.01 else idle + 1
        if not best:
            return None
        if best[0].net < 0 and not self._ended():
            # Nothing came of these: the next climb starts from others that were drawn, and from new ones.
            self._judged = [j for j in self._judged if j.at_random and not any(j is b for b in best)]
            self.draw(2 * CHILDREN)
        return self.take()

    def take(self, least: float = 0.0) -> tuple[Candidate, float] | None:
        """The best candidate that was judged and not taken, if its score is at least `least`."""
        best = max(self._judged, key=lambda j: j.net, default=None)
        if best is None or best.net < least:
            return None
        self._judged.remove(best)
        return best.candidate, best.score

    def leave(self, candidate: Candidate) -> None:
        """Makes the neighbourhood of a candidate count as less."""
        self.archive.add(candidate, self.bounds.active(candidate))
        for judged in self._judged:
            judged.net = judged.score - self.archive.cost(judged.candidate)

    def _best(self) -> list[_Judged]:
        return sorted(self._judged, key=lambda j: -j.net)[:PARENTS]

    def _ask(self, drawn: Sequence[tuple[Candidate, list[float], list[int]]], at_random: bool = False) -> None:
        self.asked += len(drawn)
        scores = self._scores([candidate for candidate, _, _ in drawn])
        for (candidate, x, chosen), score in zip(drawn, scores, strict=True):
            net = score - self.archive.cost(candidate)
            self._judged.append(_Judged(candidate, x, chosen, score, net, at_random))

    def _drawn(self) -> tuple[Candidate, list[float], list[int]]:
        x = [float(u) for u in self._rng.random(self.bounds.size)]
        chosen = [int(self._rng.integers(n)) for n in self.bounds.choices]
        candidate = self.bounds.candidate(x, chosen)
        self._keys.add(candidate.key())
        return candidate, x, chosen

    def _child(self, parents: Sequence[_Judged]) -> tuple[Candidate, list[float], list[int]]:
        """A descendant of one of the parents, better ones more often, that was not judged before."""
        for _ in range(20):
            parent = parents[int(len(parents) * self._rng.random() ** 2)]
            x, chosen = [*parent.x], [*parent.chosen]
            if self._rng.random() < _CROSSED:
                other = parents[int(self._rng.integers(len(parents)))]
                x = [b if self._rng.random() < 0.5 else a for a, b in zip(x, other.x, strict=True)]
                chosen = [b if self._rng.random() < 0.5 else a for a, b in zip(chosen, other.chosen, strict=True)]
            places = self._places(self.bounds.candidate(x, chosen))
            for place in self._rng.permutation(places)[: int(self._rng.geometric(0.5))]:
                self._change(str(place), x, chosen)
            candidate = self.bounds.candidate(x, chosen)
            if candidate.key() not in self._keys:
                self._keys.add(candidate.key())
                return candidate, x, chosen
        return self._drawn()

    def _places(self, c: Candidate) -> list[str]:
        """What a change of would make another candidate: names of genes, of free times and of choices."""
        bursts, several = c["burst_rate"] > 0, c["flows"] >= 2
        read = {
            "burst_length": bursts, "period": bursts or c.pattern == "on-off", "ratio": several, "offset": several,
        }  # fmt: skip
        ranges = self.bounds.ranges
        genes = [
            name for name in GENES if read.get(name, True) and (ranges[name][0] < ranges[name][1] or GENES[name].off)
        ]
        times = [f"time {i}" for i in range(self.bounds.times)] if c.pattern == "worst" else []
        choices = [name for name, n in zip(("queue", "pattern"), self.bounds.choices, strict=True) if n > 1]
        return [name for name in genes if ranges[name][1] > 0] + times + choices

    def _change(self, place: str, x: list[float], chosen: list[int]) -> None:
        """Changes a number or a choice of a point in its place."""
        if place in ("queue", "pattern"):
            i = ("queue", "pattern").index(place)
            chosen[i] = (chosen[i] + int(self._rng.integers(1, self.bounds.choices[i]))) % self.bounds.choices[i]
            self._with_delay(x, chosen)
            return
        i = len(GENES) + int(place.split()[1]) if place.startswith("time ") else list(GENES).index(place)
        least = OFF if place in GENES and self.bounds.can_be_off(place) else 0.0
        if x[i] < least or self._rng.random() < _ANEW:
            x[i] = least + (1 - least) * float(self._rng.random())
        elif least and self._rng.random() < _OFF_AGAIN:
            x[i] = 0.0
        else:
            step = _STEP * 10 ** (-_POWERS * self._rng.random()) * float(self._rng.standard_normal())
            # What is beyond an end comes back from it.
            u = (x[i] - least + step) % (2 * (1 - least))
            x[i] = least + min(u, 2 * (1 - least) - u)
        if place == "delay" and x[i] >= OFF and self.bounds.patterns[chosen[1]] == "none":
            chosen[1] = int(self._rng.integers(self.bounds.choices[1]))

    def _with_delay(self, x: list[float], chosen: Sequence[int]) -> None:
        """Gives a point whose delay has a pattern a delay."""
        i = list(GENES).index("delay")
        if self.bounds.patterns[chosen[1]] != "none" and x[i] < OFF and self.bounds.can_be_off("delay"):
            x[i] = OFF + (1 - OFF) * float(self._rng.random())
