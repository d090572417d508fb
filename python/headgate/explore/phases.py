"""The phase check of a run on the page: by how much shares and waits move when its hosts have other noise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .. import _core
from ..checks.phase import LEVELS, at_levels, compared, in_step
from ..results.results import Results
from ..scenario.scenario import Scenario
from .engine import run, stoppable

#: Flows that are listed one by one.
MOST = _core.MOST_LISTED


def checked(
    scenario: Scenario,
    seed: int | None,
    number: int,
    control: _core.Control,
    report: Callable[[float], None] = lambda share: None,
) -> dict[str, Any]:
    """Runs a scenario with each level of noise, as `headgate run --phase` does, if its flows may keep in step with a queue.

    The run on the page serves for no level: its intervals are finer, and the errors of shares come from the scenario's own.

    Args:
        scenario: as it was given.
        seed: of the runs; the scenario's unless given.
        number: that of the replication.
        control: stops the runs.
        report: called with the share that is done.

    Raises:
        ScenarioError: something in the scenario is wrong.
        StoppedError: the control stopped it.
    """
    with stoppable():
        numbers = in_step(scenario, control)
    if not numbers:
        nothing: dict[str, Any] = json.loads(_core.not_in_step())
        return nothing
    levels: list[Results] = []
    for noisy in at_levels(scenario):
        levels.append(Results([run(noisy, seed, control, number)]))
        report(len(levels) / len(LEVELS))
    return compared(levels).answer(MOST)
