"""Games: which mixes of flow controls are equilibria, and in which disciplines a selfish source gains nothing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .cells import GameCell
from .incentives import Outcome, SelfishResult
from .mixing import MixGame
from .payoffs import PAYOFFS
from .result import MixResult
from .selfish import SelfishGame
from .strategies import Strategy, all_strategies
from .theory import PayoffTable

if TYPE_CHECKING:
    from ...sweep.driver import Progress

__all__ = [
    "PAYOFFS",
    "GameCell",
    "MixGame",
    "MixResult",
    "Outcome",
    "PayoffTable",
    "SelfishGame",
    "SelfishResult",
    "Strategy",
    "all_strategies",
    "game",
]


def game(
    controls: str,
    *,
    selfish: bool = False,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    resume: bool = False,
    progress: Progress | None = None,
    **options: Any,
) -> MixResult | SelfishResult:
    """Runs a game: which mix of flow controls is an equilibrium, or with `selfish`, what a selfish source gains in which discipline.

    >>> found = game("cubic,reno", flows=2, queues="fq", duration="4s", runs=2)
    >>> [mix for mix in found.table(found.cells[0]).payoffs]
    [(2, 0), (1, 1), (0, 2)]

    Args:
        controls: flow controls with commas between; with `selfish`, that of honest sources first.
        selfish: the game of selfish sources.
        out: folder to store it in; a temporary one, which is removed with the result, unless given.
        workers: processes; as many as there are processors unless given.
        resume: continue the game in the folder, if there is one.
        progress: called with (runs done, runs in all, runs that failed).
        options: those of `MixGame` or `SelfishGame`.

    Raises:
        HeadgateError: an argument is not valid, or the folder cannot be written.
        KeyboardInterrupt: Ctrl-C or SIGTERM; finished runs are stored.
    """
    asked = (SelfishGame if selfish else MixGame)(controls, **options)
    return asked.run(out, workers, resume=resume, progress=progress)
