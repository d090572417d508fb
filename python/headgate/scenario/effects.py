"""Parameters of scenarios that have no effect, in sentences. The engine finds them (`crates/view/src/effects`)."""

from __future__ import annotations

from collections.abc import Iterable

from .. import _core
from ..base.resolved import Resolved


def warnings(scenario: Resolved, whole_s: float | None = None) -> list[str]:
    """A sentence for each kind of parameter without effect in a resolved scenario.

    Args:
        scenario: what is looked at.
        whole_s: the duration in s of the whole run, if the scenario is its first part.

    >>> from headgate import quick
    >>> warnings(quick.scenario("20Mbit/s", "20ms", "dctcp,cubic").resolve())
    ['Flow dctcp responds to ECN marks, but no queue on its path sets any, so ECN has no effect.']
    >>> warnings(quick.scenario("20Mbit/s", "20ms", "dctcp,cubic", "red:mark=true").resolve())
    []
    """
    lasting = None if whole_s is None else max(round(whole_s * 1e12), 1)
    return scenario.engine.effects(lasting).sentences()


def warnings_of_all(scenarios: Iterable[Resolved]) -> list[str]:
    """As `warnings`, for what has no effect in any of these resolved scenarios: what some need, the others may have."""
    common: _core.Effects | None = None
    for scenario in scenarios:
        found = scenario.engine.effects()
        common = found if common is None else common.also_in(found)
        if not common:
            break
    return common.sentences() if common is not None else []
