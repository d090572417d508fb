"""What a request is about: a scenario, or the settings of a replay of the page's trace."""

from __future__ import annotations

from typing import Any

from ..scenario.scenario import Scenario
from . import controls as of_scenario
from .replays import controls as of_replay
from .replays.settings import Settings
from .replays.trace import Trace
from .wire import RequestError

Setup = Scenario | Settings


def setup_of(body: Any, trace: Trace | None, key: str = "scenario") -> Setup:
    """The scenario in a request, or the settings of a replay: those have a key `replay`, the name of the trace.

    Raises:
        RequestError: there is none, or the page has no trace.
    """
    found = body.get(key) if isinstance(body, dict) else None
    if not isinstance(found, dict):
        raise RequestError(400, f"{key}: expected a scenario, found {type(found).__name__}")
    if "replay" not in found:
        return Scenario(found)
    if trace is None:
        name = str(found["replay"])[:80]
        raise RequestError(
            422, f"replay: these are settings for a replay of {name!r}, and a link does not hold the trace; expected a page with it: "
            f"headgate explore {name}"
        )  # fmt: skip
    queue = found.get("queue")
    return Settings(
        {**found, "replay": trace.name} | ({"queue": {"kind": queue}} if isinstance(queue, str) else {}), trace
    )


def controls(setup: Setup) -> list[dict[str, Any]]:
    """The controls of a scenario, or of the settings of a replay."""
    return of_replay.controls(setup) if isinstance(setup, Settings) else of_scenario.controls(setup)


def with_value(setup: Setup, path: str, value: Any) -> Setup:
    """The scenario or the settings with one value changed."""
    return (
        of_replay.with_value(setup, path, value)
        if isinstance(setup, Settings)
        else of_scenario.with_value(setup, path, value)
    )
