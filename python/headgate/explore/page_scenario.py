"""A scenario made ready for the page: with recorded traces and short intervals; the flows, the network and the warm-up do not change."""

from __future__ import annotations

import json

from .. import _core
from ..scenario.scenario import Scenario


def prepared(scenario: Scenario, few: bool = False) -> Scenario:
    """The scenario as the explorer runs it; its packets are those of the scenario itself.

    Args:
        scenario: as it was given.
        few: leave out all traces but drops, and many intervals: the run takes less memory.

    Raises:
        ScenarioError: something in it is wrong.
    """
    base = scenario.base()
    resolved = base.resolve()
    duration, own = (_core.quantity(resolved[key])[1] for key in ("duration", "interval"))
    completions = "completions" in resolved.get("traces", [])
    interval, traces = _core.recording(duration, own, len(resolved["flows"]), completions, few)
    return base.put("warm_up", resolved["warm_up"]).put("interval", interval).put("traces", traces)


def shorter(scenario: Scenario, share: float) -> tuple[Scenario, float]:
    """The first part of a prepared scenario: its packets up to then, with a shorter warm-up, and where it ends in s.

    >>> from headgate.scenario.examples import example
    >>> part, end = shorter(prepared(example("two-sources").base()), 0.01)
    >>> part.data["duration"], part.data["warm_up"], part.data["interval"], end
    ('7s', '1s', '29166666.667ns', 7.0)
    """
    duration, warm_up = (_core.quantity(scenario.data[key])[1] for key in ("duration", "warm_up"))
    keys, end = _core.beginning(duration, warm_up, share)
    for key, value in json.loads(keys).items():
        scenario = scenario.put(key, value)
    return scenario, end
