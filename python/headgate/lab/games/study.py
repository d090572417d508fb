"""What both games have: scenarios, each once, as a study, and how long they take."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.atomic import write_text
from ...base.errors import HeadgateError
from ...base.toml import file_text
from ...quick.amounts import quantity, text_of, together
from ...quick.lists import read_buffers, read_list
from ...scenario.scenario import Scenario
from ...sweep import Sweep
from ...sweep.trials import expected_seconds, study_of
from .cells import GameCell, Length
from .payoffs import PAYOFFS

if TYPE_CHECKING:
    from ...sweep import Study
    from ...sweep.driver import Progress

#: Maximum number of scenarios of a game.
MOST = 20_000


class Asked:
    """The scenarios of a game, each once, and how often each is run."""

    def __init__(self, runs: int, seed: int, length: Length) -> None:
        """Takes how often and for how long; scenarios are added."""
        self.replications, self.seed, self.length = runs, seed, length
        self.scenarios: list[Scenario] = []
        self._known: dict[str, int] = {}
        self._rates: list[int] = []

    def add(self, cell: GameCell, made: Scenario) -> int:
        """The number of a scenario in the study: an equal one is the same run, such as a queue without a buffer with another one."""
        key = json.dumps({k: v for k, v in made.data.items() if k != "description"})
        if key not in self._known:
            self._known[key] = len(self.scenarios)
            self.scenarios.append(made)
            self._rates.append(quantity("--rate", cell.rate, "bps"))
        return self._known[key]

    @property
    def runs(self) -> int:
        """Runs in all."""
        return len(self.scenarios) * self.replications

    def sweep(self) -> Sweep:
        """The study of all scenarios."""
        return study_of(self.scenarios, self.replications, self.seed, ("topology", "flows"), "game")

    def estimate(self, clock: Callable[[], float] = time.process_time) -> float:
        """Seconds of processor time of all runs, from short trials of some of them."""
        return expected_seconds(self.scenarios, self._rates, self.replications, clock)

    def study(
        self,
        out: str | os.PathLike[str] | None,
        workers: int | None,
        engine: str,
        address: str | None,
        resume: bool,
        progress: Progress | None,
        max_memory: str | int | None,
    ) -> Study:
        """Runs all, as `Sweep.run` does; with a folder, the study is in `study` there, and each scenario in `cells`."""
        folder = None if out is None else Path(out)
        place = None if folder is None else folder / "study"
        study = self.sweep().run(place, workers, engine, address, resume, progress, max_memory)
        if folder is not None:
            for number, made in enumerate(self.scenarios):
                write_text(folder / f"cells/{number:04}.toml", file_text(made.data))
        return study


def read_length(duration: str, warm_up: str | None, noise: str) -> Length:
    """The duration, the warm-up, a quarter of it unless given, and the noise.

    Raises:
        HeadgateError: one is not valid, or the warm-up is not shorter.

    >>> read_length("60s", None, "1")
    Length(duration='60s', warm_up='15s', noise='1')
    """
    whole = quantity("--duration", duration, "s")
    warm = text_of("s", whole // 4) if warm_up is None else warm_up
    if quantity("--warm-up", warm, "s") >= whole:
        raise HeadgateError(f"--warm-up: found {warm}; expected less than the duration, {duration}")
    return Length(duration, warm, noise)


def read_payoff(payoff: str, flows: int, tolerance: float, fewest: int = 2) -> None:
    """Checks what a flow is paid, the number of flows, and the tolerance in parts of a fair share.

    Raises:
        HeadgateError: one is not valid.
    """
    if payoff not in PAYOFFS:
        raise HeadgateError(f"--payoff: found {payoff}; expected one of {', '.join(PAYOFFS)}")
    if not fewest <= flows <= 1000:
        raise HeadgateError(f"--flows: found {flows}; expected {fewest} to 1000")
    if not 0 <= tolerance < 1:
        raise HeadgateError(f"--tolerance: found {tolerance:g}; expected a share below 1, such as 2%")


def lines_of(
    queues: Sequence[str], rate: str, rtt: str, buffer: str, classify: Sequence[str] = ("pair",)
) -> list[GameCell]:
    """The cells of lists of options; the queue varies fastest.

    Raises:
        HeadgateError: an entry is not valid.
    """
    together(
        lambda: read_list("--rate", rate, "bps"),
        lambda: read_list("--rtt", rtt, "s"),
        lambda: read_buffers(buffer),
    )
    return [
        GameCell(q, r, t, b, c)
        for c in classify
        for r in read_list("--rate", rate, "bps")
        for t in read_list("--rtt", rtt, "s")
        for b in read_buffers(buffer)
        for q in queues
    ]
