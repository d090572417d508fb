"""The phase check of a run on the page: by how much shares and waits move when its hosts have other noise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from ..checks.phase import ADVICE, LEVELS, at_noise, compared, in_step
from ..results.results import Results
from ..scenario.scenario import Scenario
from .engine import run, stoppable
from .shares import MOST


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
        return {"in_step": False, "noise": list(LEVELS), "depends": False, "sentence": "", "flows": [], "more_flows": 0}
    bare, levels = scenario.base().set("traces", []), []
    for level in LEVELS:
        levels.append(Results([run(at_noise(bare, level), seed, control, number)]))
        report(len(levels) / len(LEVELS))
    found = compared(levels)
    listed = found.most_moved(MOST)
    return {
        **found.to_dict(),
        "in_step": True,
        "sentence": f"{found.sentence()} {ADVICE}" if found.depends else "",
        "flows": [flow.to_dict() for flow in listed],
        "more_flows": len(found.flows) - len(listed),
    }
