"""One run of the engine under a control that may stop it."""

from __future__ import annotations

from .. import _core
from ..scenario import Scenario
from .wire import StoppedError


def run(scenario: Scenario, seed: int | None, control: _core.Control, number: int = 0) -> _core.RunResult:
    """A run to its end; `number` is that of the replication.

    Raises:
        StoppedError: the control stopped it.
    """
    try:
        return _core.run(scenario.to_json(), seed, number, control)
    except KeyboardInterrupt:
        raise StoppedError from None
