"""A scenario made ready for the page: with recorded traces and short intervals; the flows, the network and the warm-up do not change."""

from __future__ import annotations

from .. import _core
from ..scenario.scenario import Scenario
from .views import ALL_TRACES, FEW_TRACES

#: Intervals of a run, and rows of the table of intervals that are enough.
INTERVALS = 240
ROWS = 200_000

#: With more flows than this only drops are traced.
FLOWS = 200


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
    duration, interval = (_core.quantity(resolved[key])[1] for key in ("duration", "interval"))
    flows = len(resolved["flows"])
    wanted = max(min(INTERVALS, ROWS // max(flows, 1)), 1)
    changed = base.set("warm_up", resolved["warm_up"])
    if few or duration // max(interval, 1) < wanted:
        changed = changed.set("interval", _core.quantity_text("s", parts(duration, wanted)))
    else:
        changed = changed.set("interval", resolved["interval"])
    few = few or flows > FLOWS
    own = [kind for kind in resolved.get("traces", []) if kind == "completions"]
    return changed.set("traces", [*(FEW_TRACES if few else ALL_TRACES), *own])


def parts(duration: int, count: int) -> int:
    """The length of an interval of which `count` are a duration, rounded up: otherwise one of almost no length would be left over.

    >>> parts(40, 3), parts(2, 3)
    (14, 1)
    """
    return max(-(-duration // count), 1)


def shorter(scenario: Scenario, share: float) -> tuple[Scenario, float]:
    """The first part of a prepared scenario: its packets up to then, with a shorter warm-up, and where it ends in s.

    >>> from headgate.scenario.examples import example
    >>> part, end = shorter(prepared(example("two-sources").base()), 0.01)
    >>> part.data["duration"], part.data["warm_up"], part.data["interval"], end
    ('7s', '1s', '29166666.667ns', 7.0)
    """
    duration, warm_up = (_core.quantity(scenario.data[key])[1] for key in ("duration", "warm_up"))
    until = min(max(int(duration * share), 1000), duration)
    changed = {"duration": until, "warm_up": min(warm_up, until // 7), "interval": parts(until, INTERVALS)}
    for key, ps in changed.items():
        scenario = scenario.set(key, _core.quantity_text("s", ps))
    return scenario, until / 1e12
