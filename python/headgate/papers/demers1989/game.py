"""Section 5 on sources that optimise for themselves: every pair of choices is run, and from it follows who would choose what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ...analysis import utility
from ...base.palette import BLUE, VERMILION
from ..claims import Predicate, Result, Runs, listed
from ..layout import Layouts
from ..measure import Floats, Outcome
from ..model import Table
from ..nulls import FairShares
from ..sheets import Sheets
from ..study import Shown
from .statements import claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from ...base.parallel import Progress

FCFS, FQ = QUEUES = ("window/FCFS", "window/FQ")

#: What users may choose: rates in packets/s, and windows. The line carries 10 packets/s.
RATES = (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9)
WINDOWS = (1, 2, 4, 8, 16, 24, 32, 48)
LINE = 10.0

#: The wishes of both users, as `a` of the utility a T - (1 - a) D: equal ones, and the second one minding delay more.
EQUAL, UNEQUAL = (0.5, 0.5), (0.5, 0.2)

Cell = tuple[int, int]


@dataclass(frozen=True)
class Game:
    """Two users with the same choices: `utilities` of each, by the choices of the first (rows) and of the second (columns)."""

    choices: tuple[float, ...]
    utilities: tuple[Floats, Floats]

    @cached_property
    def best(self) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
        """The best answer of the first user to each choice of the second, and of the second to each of the first."""
        return self.utilities[0].argmax(axis=0), self.utilities[1].argmax(axis=1)

    @cached_property
    def equilibria(self) -> list[Cell]:
        """Where neither gains by another choice.

        >>> prisoners = Game((0, 1), (np.array([[3, 0], [5, 1]]), np.array([[3, 5], [0, 1]])))
        >>> prisoners.equilibria
        [(1, 1)]
        """
        one, two = self.best
        return [(int(i), j) for j, i in enumerate(one) if two[i] == j]

    def ends(self) -> set[Cell | None]:
        """Where users come to rest who answer each other in turn, from every start of the second; None where they never do.

        >>> pennies = Game((0, 1), (np.array([[1, -1], [-1, 1]]), np.array([[-1, 1], [1, -1]])))
        >>> pennies.ends()
        {None}
        """
        return {self._end(start) for start in range(len(self.choices))}

    def _end(self, second: int) -> Cell | None:
        one, two = self.best
        for _ in range(len(self.choices) ** 2):
            first = int(one[second])
            answer = int(two[first])
            if answer == second:
                return first, second
            second = answer
        return None

    def at(self, cell: Cell) -> tuple[float, float]:
        """The choices of a cell."""
        return self.choices[cell[0]], self.choices[cell[1]]

    def gains(self, cell: Cell) -> tuple[float, float]:
        """The utilities in a cell."""
        return float(self.utilities[0][cell]), float(self.utilities[1][cell])


def of_rates(runs: Runs, queue: str, wishes: tuple[float, float]) -> Game:
    """The game in which Poisson sources choose their rates; delay is that of a packet on its way."""
    return _game(runs, f"{queue}, rates", RATES, "owd", wishes)


def of_windows(runs: Runs, queue: str, wishes: tuple[float, float] = EQUAL) -> Game:
    """The game in which sources that always have something to send choose their windows."""
    return _game(runs, f"{queue}, windows", WINDOWS, "round_trip_time", wishes)


def _game(runs: Runs, what: str, choices: Sequence[float], delay: str, wishes: tuple[float, float]) -> Game:
    def of(user: int, one: float, two: float) -> float:
        variant = f"{what} {one:g} and {two:g}"
        rate, wait = (float(runs.of(variant, m, f"user{user}")[0]) for m in ("rate", delay))
        return utility(rate, wait, wishes[user - 1])

    first, second = (np.array([[of(user, a, b) for b in choices] for a in choices]) for user in (1, 2))
    return Game(tuple(choices), (first, second))


def _steps(cells: Sequence[Cell]) -> int:
    """How many steps of the grid the users are apart at most."""
    return max(abs(i - j) for i, j in cells)


def _places(game: Game, cells: Sequence[Cell]) -> str:
    return ", ".join("{:g} and {:g}".format(*game.at(c)) for c in sorted(cells)) or "nowhere"


def _claim(name: str) -> Callable[[Predicate], Predicate]:
    """A claim whose wrong pair exchanges the disciplines: circles of all variants would move a user's choice by a few steps only."""

    def register(test: Predicate) -> Predicate:
        def nulls(runs: Runs) -> tuple[bool | None, bool | None]:
            fair: dict[str, Outcome] = {v: FairShares(runs, v) for v in runs.base}
            other = {
                v: runs.base[v.replace(q, p)]
                for q, p in zip(QUEUES, QUEUES[::-1], strict=True)
                for v in runs.base
                if q in v
            }
            return _holds(test, runs, fair), _holds(test, runs, other)

        return claim(name, nulls=nulls)(test)

    return register


def _holds(test: Predicate, runs: Runs, base: Mapping[str, Outcome]) -> bool | None:
    return test(Runs(runs.paper, runs.item, base, {}))[0]


@_claim("D32")
def _d32(runs: Runs) -> Result:
    fcfs, fq = (of_rates(runs, q, EQUAL) for q in QUEUES)
    unfair = [c for c in fcfs.equilibria if min(fcfs.at(c)) < LINE / 5 and min(fcfs.gains(c)) < 0]
    holds = bool(fq.equilibria) and _steps(fq.equilibria) <= 1 and len(fcfs.equilibria) > len(RATES) / 2
    text = f"FQ at {_places(fq, fq.equilibria)}; FCFS at {_places(fcfs, fcfs.equilibria)} packets/s"
    return holds and bool(unfair), f"{text}, least utility {min(min(fcfs.gains(c)) for c in fcfs.equilibria):.2f}"


@_claim("D33")
def _d33(runs: Runs) -> Result:
    fcfs, fq = (of_rates(runs, q, UNEQUAL).utilities[1].max(axis=1) for q in QUEUES)
    same = of_rates(runs, FQ, (0.2, 0.2)).utilities[1].diagonal().max()
    text = f"least of the best, FQ {fq.min():.2f} ({same:.2f} beside one like himself), FCFS {fcfs.min():.2f}"
    return bool(fq.min() > 0 and fcfs.min() < -1), text


@_claim("D34")
def _d34(runs: Runs) -> Result:
    fcfs, fq = (of_rates(runs, q, UNEQUAL) for q in QUEUES)
    kept = [(fq.at(c)[1], fq.gains(c)[1]) for c in fq.equilibria]
    lost = [(fcfs.at(c)[1], fcfs.gains(c)[1]) for c in fcfs.equilibria]
    holds = bool(kept and lost) and all(r >= 3 and u > 0 for r, u in kept) and all(r == 0.5 and u < 0 for r, u in lost)
    text = (
        f"{name} at {_places(g, g.equilibria)}, his utility {listed(np.array([u for _, u in found]))}"
        for name, g, found in (("FQ", fq, kept), ("FCFS", fcfs, lost))
    )
    return holds, "; ".join(text)


@_claim("D35")
def _d35(runs: Runs) -> Result:
    fcfs, fq = (of_rates(runs, q, EQUAL) for q in QUEUES)
    rest = {name: [c for c in g.ends() if c is not None] for name, g in (("FQ", fq), ("FCFS", fcfs))}
    holds = None not in fq.ends() | fcfs.ends() and _steps(rest["FQ"]) <= 1 and _steps(rest["FCFS"]) >= 6
    return holds, f"FQ {_places(fq, rest['FQ'])}; FCFS {_places(fcfs, rest['FCFS'])} packets/s"


@_claim("D36")
def _d36(runs: Runs) -> Result:
    fcfs, fq = (of_windows(runs, q) for q in QUEUES)
    moved = float(np.ptp(fq.utilities[0], axis=1).max())
    ends = {name: [g.gains(c) for c in g.equilibria] for name, g in (("FQ", fq), ("FCFS", fcfs))}
    good, bad = (max(map(max, ends[name]), default=np.nan) for name in ("FQ", "FCFS"))
    holds = moved < 0.01 and fq.equilibria == [(0, 0)] and not fq.best[0].any() and bad < good / 10
    text = f"FQ moved by {moved:.3f} at most, windows {_places(fq, fq.equilibria)}, utility {good:.2f}"
    same = [fcfs.at(c) for c in fcfs.equilibria] == [(24, 24)]
    return bool(holds and same), f"{text}; FCFS windows {_places(fcfs, fcfs.equilibria)}, utility {bad:.2f}"


def study(runs: Runs, _progress: Progress | None) -> Shown:
    """Where users come to rest, and the figure of their best answers."""

    def rest(game: str, queue: str, what: str) -> Table:
        wishes = {"equal": EQUAL, "unequal": UNEQUAL}.get(game)
        made = of_rates(runs, queue, wishes) if wishes else of_windows(runs, queue)
        least = min(made.equilibria, key=lambda c: min(made.gains(c)), default=None)
        found = {"what": what, "name": queue.split("/")[1], "places": _places(made, made.equilibria)}
        return {**found, "gains": made.gains(least) if least else None, "a": wishes or EQUAL}

    return Shown((Layouts(__file__).section("game", rest),), {"game": lambda: draw(runs)})


def draw(runs: Runs) -> Drawing:
    """Each user's best answer to the other: they rest where the curves meet."""
    sheet = Sheets(__file__).open("game")
    panels = [of_rates(runs, q, w) for w in (EQUAL, UNEQUAL) for q in QUEUES]
    for axes, game in zip(sheet.axes, panels, strict=True):
        one, two = (np.array(game.choices)[best] for best in game.best)
        axes.plot(one, game.choices, color=BLUE, marker="o", ms=4, lw=1.2, label="user 1's best answer")
        axes.plot(
            game.choices, two, color=VERMILION, marker="s", ms=4, lw=1.2, mfc="none", label="user 2's best answer"
        )
        rest = np.array([game.at(c) for c in game.equilibria]).reshape(-1, 2)
        axes.plot(*rest.T, ls="", marker="o", ms=12, mfc="none", color="0.3", label="at rest")
        axes.set_aspect("equal")
    return sheet.done()
