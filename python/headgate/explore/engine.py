"""One run of the engine under a control that may stop it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .. import _core
from ..scenario.scenario import Scenario
from .wire import StoppedError


@contextmanager
def stoppable() -> Iterator[None]:
    """A context for calls of the engine with a control: when the control stops the call, the error is not that of Ctrl-C.

    Raises:
        StoppedError: the control stopped the call.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise StoppedError from None


def run(scenario: Scenario, seed: int | None, control: _core.Control, number: int = 0) -> _core.RunResult:
    """A run to its end; `number` is that of the replication.

    Raises:
        StoppedError: the control stopped it.
        CodeError: the scenario names code that was not allowed to run.
    """
    scenario.require_code()
    with stoppable():
        return _core.run(scenario.to_json(), seed, number, control)
